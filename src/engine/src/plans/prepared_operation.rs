//! An operation prepared on the tables of one market. A call looks it up once.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::compute::concat_batches;
use datafusion::error::DataFusionError;
use futures::future::BoxFuture;

use super::market_data::MarketData;
use super::prepared_select::PreparedSelect;
use super::template::PlanKind;
use crate::answers::answer_rows::AnswerRows;
use crate::answers::result_column::ResultColumn;
use crate::deadline::Deadline;
use crate::error::EngineError;
use crate::tables::row_age::RowAge;
use crate::tables::tables_read::tables_of;
use parquote_catalogue::operation::{Arguments, Market, Operation, Tier, WantedRows};
use parquote_picture::spec::PictureSpec;

/// An operation prepared on the tables of one market.
pub struct PreparedOperation {
    operation: Arc<Operation>,
    name: Arc<str>,
    pub(crate) data: Arc<MarketData>,
    /// SELECTs in the order of the operation; `None` for one that only another market has.
    selects: Vec<Option<Arc<PreparedSelect>>>,
    columns: Vec<Vec<ResultColumn>>,
    missing: Vec<String>,
    age: RowAge,
}

impl PreparedOperation {
    /// Parses the operation's SELECTs, unless they are cached, and finds the tables that they read.
    pub(crate) async fn prepare(
        data: &Arc<MarketData>,
        operation: &Arc<Operation>,
    ) -> Result<Self, EngineError> {
        let mut selects = Vec::new();
        let (mut missing, mut age) = (BTreeSet::new(), RowAge::default());
        for (at, select) in operation.selects.iter().enumerate() {
            if !select.serves(data.market) {
                selects.push(None);
                continue;
            }
            let dictionary = data.engine.catalogue.dictionary();
            let prepared = PreparedSelect::prepare(&data.tables, operation, (at, select), dictionary);
            selects.push(Some(prepared.await?));
            missing.extend(data.missing_tables(operation, select)?);
            // An optional table may be read through a view.
            let read = tables_of(&data.tables.state, &select.sql)?;
            for table in read.iter().chain(&operation.optional_tables) {
                data.tables.row_age(table).into_iter().for_each(|of| age.add(table, of));
            }
        }
        let columns_of = |select: &Option<Arc<PreparedSelect>>| {
            select.as_ref().map(|select| select.columns.clone()).unwrap_or_default()
        };
        let columns = if operation.run.is_some() && !operation.is_read() {
            vec![ResultColumn::declared_fields(operation)]
        } else {
            selects.iter().map(columns_of).collect()
        };
        let (name, missing) = (operation.name.as_str().into(), missing.into_iter().collect());
        let (operation, data) = (Arc::clone(operation), Arc::clone(data));
        Ok(Self { operation, name, data, selects, columns, missing, age })
    }

    /// Returns the same operation over the same tables under another name.
    pub(crate) fn with_data(&self, data: &Arc<MarketData>) -> Self {
        Self {
            operation: Arc::clone(&self.operation),
            name: Arc::clone(&self.name),
            data: Arc::clone(data),
            selects: self.selects.clone(),
            columns: self.columns.clone(),
            missing: self.missing.clone(),
            age: self.age.clone(),
        }
    }

    /// Returns true if the SELECT at a position reads the same tables as on the previous snapshot.
    pub(crate) fn reads_the_same(&self, before: &Self, at: usize) -> bool {
        let (tables, before) = (&self.data.tables, &before.data.tables);
        // SQL that was parsed before parses again.
        let reads =
            |sql: &str| tables.reads_the_same(before, &self.data.engine.catalogue, sql).unwrap_or(false);
        self.operation.selects.get(at).is_some_and(|select| reads(&select.sql))
    }

    /// Returns true if all its SELECTs read the same tables.
    pub(crate) fn answers_the_same(&self, before: &Self) -> bool {
        (0..self.selects.len()).all(|at| self.reads_the_same(before, at))
    }

    /// Plans the operation's examples: without arguments, and with every parameter that has an example.
    pub(crate) async fn warm(&self) -> Result<(), EngineError> {
        for arguments in self.examples() {
            self.warm_for(&arguments, PlanKind::Custom).await?;
        }
        Ok(())
    }

    /// Makes the plan for these arguments, so that the first call need not; does nothing if tables are missing.
    pub(crate) async fn warm_for(&self, arguments: &Arguments, kind: PlanKind) -> Result<(), EngineError> {
        match self.select(arguments).filter(|_| self.missing.is_empty()) {
            Some(select) => {
                self.data.plans.plan_in_advance(&self.data.tables, select, (arguments, kind)).await
            }
            None => Ok(()),
        }
    }

    /// Returns the arguments of the operation's examples: none, and every parameter that has one.
    pub(crate) fn examples(&self) -> impl Iterator<Item = Arguments> + '_ {
        [false, true].into_iter().filter_map(|whole| {
            let pairs = self.operation.example_pairs(whole);
            Arguments::parse(&self.operation, Tier::ApiMax, pairs.iter().map(|(n, v)| (*n, v.as_str()))).ok()
        })
    }

    pub(crate) fn select(&self, arguments: &Arguments) -> Option<&Arc<PreparedSelect>> {
        let (at, _) = self.operation.select(arguments)?;
        self.selects.get(at)?.as_ref()
    }

    /// Returns an error if a table is missing.
    pub(crate) fn check_tables(&self) -> Result<(), EngineError> {
        if self.missing.is_empty() {
            Ok(())
        } else {
            Err(self.data.missing_tables_error(self.missing.clone()))
        }
    }

    /// Returns the operation's declaration.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the market whose tables it reads.
    pub fn market(&self) -> Market {
        self.data.market
    }

    /// Returns the columns of each of its SELECTs; for a Rust function, the fields of its object.
    pub fn columns(&self) -> &[Vec<ResultColumn>] {
        &self.columns
    }

    /// Returns the columns of the rows for these arguments.
    pub fn columns_for(&self, arguments: &Arguments) -> &[ResultColumn] {
        self.select(arguments).map_or(&[], |select| &select.columns)
    }

    /// Returns the picture declared for the rows of these arguments, if any.
    pub fn picture_for(&self, arguments: &Arguments) -> Option<&PictureSpec> {
        self.select(arguments)?.picture.as_ref()
    }

    /// Returns the missing tables that it needs, each as `market.table`.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the tables and views that its SELECTs and the values of its parameters name.
    ///
    /// # Errors
    /// SQL that cannot be parsed.
    pub fn tables_named(&self) -> Result<Vec<String>, EngineError> {
        let lookups = self.operation.params.iter().filter_map(|param| param.lookup.as_ref());
        let mut names: BTreeSet<String> = lookups.map(|lookup| lookup.table.clone()).collect();
        for select in self.operation.selects.iter().filter(|select| select.serves(self.data.market)) {
            names.extend(tables_of(&self.data.tables.state, &select.sql)?.iter().cloned());
        }
        Ok(names.into_iter().collect())
    }

    /// Returns the age of the rows that it reads.
    pub fn row_age(&self) -> &RowAge {
        &self.age
    }

    /// Returns the deadline of a call that starts now.
    pub fn deadline(&self) -> Deadline {
        self.data.engine.deadline()
    }

    /// Runs the operation for code that computes with its rows; there are none if no SELECT serves these arguments.
    ///
    /// # Errors
    /// Missing tables, a deadline or memory limit, or a fault of the engine.
    pub fn rows<'a>(
        &'a self,
        arguments: &'a Arguments,
        deadline: Deadline,
    ) -> BoxFuture<'a, Result<AnswerRows, EngineError>> {
        // Boxed: the future of a query is large, and the compiler examines it only once.
        Box::pin(async move {
            self.check_tables()?;
            let Some(select) = self.select(arguments) else { return Ok(AnswerRows::default()) };
            let mut batches = Vec::new();
            let tables = &self.data.tables;
            let rows = |batch| batches.push(batch);
            let wanted = (arguments, WantedRows::After(0));
            self.data.plans.run(tables, select, wanted, deadline, rows).await?;
            let batch = concat_batches(&select.schema, &batches).map_err(DataFusionError::from)?;
            Ok(AnswerRows::new(batch, select.columns.clone()))
        })
    }
}

//! An operation prepared on the tables of one market. A call looks it up once.

use std::borrow::Cow;
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
    /// The columns of each SELECT; for a Rust function, the fields of its object.
    columns: Vec<Vec<ResultColumn>>,
    /// Missing tables, each as `market.table`.
    missing: Vec<String>,
    /// Tables that its SELECTs name, and its optional ones.
    reads: BTreeSet<String>,
    age: RowAge,
}

impl PreparedOperation {
    /// Parses the operation's SELECTs, unless they are cached, and finds the tables that they read.
    pub(crate) async fn prepare(
        data: &Arc<MarketData>,
        operation: &Arc<Operation>,
    ) -> Result<Self, EngineError> {
        let mut selects = Vec::new();
        let (mut missing, mut reads, mut age) = (BTreeSet::new(), BTreeSet::new(), RowAge::default());
        for (at, select) in operation.selects.iter().enumerate() {
            if !select.serves(data.market) {
                selects.push(None);
                continue;
            }
            let dictionary = data.engine.catalogue.dictionary();
            let prepared = PreparedSelect::prepare(&data.tables, operation, (at, select), dictionary);
            selects.push(Some(prepared.await?));
            missing.extend(data.missing_tables(operation, select)?);
            // Optional tables are added, because a view may read them.
            let names = tables_of(&data.tables.state, &select.sql)?;
            for table in names.iter().chain(&operation.optional_tables) {
                data.tables.row_age(table).into_iter().for_each(|table_age| age.add(table, table_age));
                reads.insert(table.clone());
            }
        }
        let columns_of = |select: &Option<Arc<PreparedSelect>>| {
            select.as_ref().map(|select| select.columns.clone()).unwrap_or_default()
        };
        let columns = if operation.run.is_some() && !operation.answers_from_select() {
            vec![ResultColumn::declared_fields(operation)]
        } else {
            selects.iter().map(columns_of).collect()
        };
        let (name, missing) = (operation.name.as_str().into(), missing.into_iter().collect());
        let (operation, data) = (Arc::clone(operation), Arc::clone(data));
        Ok(Self { operation, name, data, selects, columns, missing, reads, age })
    }

    /// Returns the same operation over the same tables under the name of another set.
    pub(crate) fn with_data(&self, data: &Arc<MarketData>) -> Self {
        Self {
            operation: Arc::clone(&self.operation),
            name: Arc::clone(&self.name),
            data: Arc::clone(data),
            selects: self.selects.clone(),
            columns: self.columns.clone(),
            missing: self.missing.clone(),
            reads: self.reads.clone(),
            age: self.age.clone(),
        }
    }

    /// Returns true if the SELECT at a position reads the same tables as on the previous snapshot.
    pub(crate) fn reads_the_same(&self, before: &Self, at: usize) -> bool {
        let (tables, before) = (&self.data.tables, &before.data.tables);
        // The SQL was parsed when the operation was prepared, so this call has no error to lose.
        let reads =
            |sql: &str| tables.reads_the_same(before, &self.data.engine.catalogue, sql).unwrap_or(false);
        self.operation.selects.get(at).is_some_and(|select| reads(&select.sql))
    }

    /// Returns true if all SELECTs of the operation read the same tables as on the previous snapshot.
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

    /// Makes the plan for these arguments, so that the first call does not have to make it; does nothing if tables are missing.
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
        [false, true].into_iter().filter_map(|with_examples| {
            let pairs = self.operation.example_pairs(with_examples);
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

    /// Returns the market whose tables the operation reads.
    pub fn market(&self) -> Market {
        self.data.market
    }

    /// Returns the columns of each SELECT; for a Rust function, the fields of its object.
    pub fn columns(&self) -> &[Vec<ResultColumn>] {
        &self.columns
    }

    /// Returns the columns of the rows for these arguments; none if no SELECT serves them.
    pub fn columns_for(&self, arguments: &Arguments) -> &[ResultColumn] {
        self.select(arguments).map_or(&[], |select| &select.columns)
    }

    /// Returns the picture declared for the rows of these arguments, if any.
    pub fn picture_for(&self, arguments: &Arguments) -> Option<&PictureSpec> {
        self.select(arguments)?.picture.as_ref()
    }

    /// Returns the missing tables that the operation needs, each as `market.table`.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the tables and views that the SELECTs and the values of the parameters name.
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

    /// Returns the age of the rows that the operation reads.
    pub fn row_age(&self) -> &RowAge {
        &self.age
    }

    /// Returns the age of the rows that it reads, with the tables that have rows, but none of these stocks.
    pub fn row_age_for(&self, symbols: &[&str]) -> Cow<'_, RowAge> {
        let mut age = Cow::Borrowed(&self.age);
        for table in self.reads.iter().filter(|table| self.data.tables.is_of_others(table, symbols)) {
            age.to_mut().add_others(table);
        }
        age
    }

    /// Returns the deadline of a call that starts now.
    pub fn deadline(&self) -> Deadline {
        self.data.engine.deadline()
    }

    /// Runs the operation for code that computes with its rows; the result is empty if no SELECT serves these arguments.
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
            let requested = (arguments, WantedRows::After(0));
            self.data.plans.run(tables, select, requested, deadline, rows).await?;
            let batch = concat_batches(&select.schema, &batches).map_err(DataFusionError::from)?;
            Ok(AnswerRows::new(batch, select.columns.clone()))
        })
    }
}

//! All tables of one market of one set, and the operations prepared on them; immutable.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;
use futures::future::BoxFuture;

use crate::error::EngineError;
use crate::plans::market_data::MarketData;
use crate::plans::prepared_operation::PreparedOperation;
use crate::set_name::SetName;
use crate::storage::load_scope::LoadScope;
use crate::tables::coverage;
use crate::tables::market_tables::{self, MarketTables};
use crate::tables::shared::Engine;
use crate::updated::UpdateTimes;
use parquote_catalogue::operation::{Market, Operation, Table};
use parquote_functions::arrow_types::date;
use parquote_set::{Root, Set, SetFile, SetTable, TableFiles, hash_of};

/// The tables of one market and its operations on them.
pub struct MarketSnapshot {
    pub(crate) data: Arc<MarketData>,
    operations: BTreeMap<Arc<str>, Arc<PreparedOperation>>,
}

impl MarketSnapshot {
    /// Loads tables from their files and prepares every operation of the market on them. A built-in operation is planned at its first call
    /// or by [`MarketSnapshot::warm`].
    ///
    /// # Errors
    /// Data that breaks its contract, or an operation that does not fit the tables.
    pub fn load<'a>(
        engine: &'a Arc<Engine>,
        market: Market,
        name: SetName,
        files: &'a TableFiles,
        scope: LoadScope<'a>,
    ) -> BoxFuture<'a, Result<Self, EngineError>> {
        let updated = name.published.map_or(UpdateTimes::Unknown, UpdateTimes::Published);
        // Boxed so that the compiler examines this large future once instead of in each caller.
        Box::pin(Self::load_updated(engine, market, (name, updated), files, scope))
    }

    async fn load_updated(
        engine: &Arc<Engine>,
        market: Market,
        name_and_times: (SetName, UpdateTimes),
        files: &TableFiles,
        scope: LoadScope<'_>,
    ) -> Result<Self, EngineError> {
        let mut tables = market_tables::load(engine, market, files, scope).await?;
        tables.sources_of_missing = coverage::sources_of_missing_tables(&engine.catalogue, market, files)?;
        Self::assemble(engine, market, name_and_times, (tables, files.clone())).await
    }

    /// Loads a market from a root: its newest set, or plain files in place.
    ///
    /// # Errors
    /// Those of [`MarketSnapshot::load`], and a root that cannot be read.
    pub async fn from_root(
        engine: &Arc<Engine>,
        market: Market,
        root: &Root,
        scope: LoadScope<'_>,
    ) -> Result<Self, EngineError> {
        if let Some(set) = root.newest(market).await? {
            let files = root.files(market, &set);
            return Self::load(engine, market, SetName::from_set(&set), &files, scope).await;
        }
        let files = root.plain_tables(market).await?;
        let is_stored = |table: &String| engine.catalogue.table(market, table).is_some_and(|t| !t.is_view());
        let files: TableFiles = files.into_iter().filter(|(table, _)| is_stored(table)).collect();
        let name_and_times = (SetName::unpublished(&plain_id(&files)?), UpdateTimes::from_files(&files));
        Box::pin(Self::load_updated(engine, market, name_and_times, &files, scope)).await
    }

    /// Builds a market in which every declared table exists and is empty.
    ///
    /// # Errors
    /// A query file that does not plan.
    pub(crate) async fn with_empty_tables(engine: &Arc<Engine>, market: Market) -> Result<Self, EngineError> {
        let tables = market_tables::declared(&engine.catalogue, market).await?;
        let name_and_times = (SetName::unpublished("declared"), UpdateTimes::Unknown);
        let declared = Self::assemble(engine, market, name_and_times, (tables, TableFiles::new())).await?;
        for operation in declared.operations.values() {
            operation.warm().await?;
        }
        Ok(declared)
    }

    async fn assemble(
        engine: &Arc<Engine>,
        market: Market,
        name_and_times: (SetName, UpdateTimes),
        tables: (MarketTables, TableFiles),
    ) -> Result<Self, EngineError> {
        let data = Arc::new(MarketData::new(engine, market, name_and_times, tables));
        let mut operations = BTreeMap::new();
        for operation in engine.catalogue.operations().iter().filter(|operation| operation.serves(market)) {
            let prepared = Arc::new(PreparedOperation::prepare(&data, operation).await?);
            // User-written operations are planned before they are served, so that a mistake in one stops the start.
            if !engine.catalogue.is_shipped(operation) {
                prepared.warm().await?;
            }
            operations.insert(Arc::clone(prepared.name()), prepared);
        }
        Ok(Self { data, operations })
    }

    /// Plans the examples of its operations, so that first callers need not wait; stops when `goes_on` returns false.
    pub async fn warm(&self, goes_on: impl Fn() -> bool) {
        for operation in self.operations.values().take_while(|_| goes_on()) {
            if let Err(error) = operation.warm().await {
                tracing::error!(market = %self.market(), operation = &**operation.name(), %error, "an operation does not plan");
            }
        }
    }

    /// Shares plans with the previous snapshot: the plans of SELECTs that read the same tables in both.
    pub(crate) fn share_plans(&self, before: &Self) {
        self.data.plans.share_unchanged_plans(&before.data.plans, |name, at| {
            let (now, before) = (self.operations.get(name), before.operations.get(name));
            now.zip(before).is_some_and(|(now, before)| now.reads_the_same(before, at))
        });
    }

    /// Shares or makes the plans that callers of the previous snapshot use, so that the first calls here need not wait for them.
    pub async fn warm_like(&self, before: &Self) {
        self.share_plans(before);
        for (name, arguments, kind) in before.data.plans.plans_in_use() {
            let Some(operation) = self.operations.get(&name) else { continue };
            if let Err(error) = operation.warm_for(&arguments, kind).await {
                // The next caller gets this error.
                tracing::debug!(operation = &*name, %error, "an earlier call does not plan any more");
            }
        }
    }

    /// Returns an operation prepared on these tables; `None` if it does not serve the market.
    pub fn prepared_operation(&self, operation: &Operation) -> Option<&Arc<PreparedOperation>> {
        self.operations.get(operation.name.as_str())
    }

    /// Returns all operations prepared on these tables, by name.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Arc<PreparedOperation>> {
        self.operations.values()
    }

    /// Returns the missing tables that an operation needs, each as `market.table`.
    pub fn missing(&self, operation: &Operation) -> &[String] {
        self.prepared_operation(operation).map_or(&[], |prepared| prepared.missing())
    }

    /// Returns the error for missing tables, each named `market.table`.
    pub fn missing_tables_error(&self, tables: Vec<String>) -> EngineError {
        self.data.missing_tables_error(tables)
    }

    /// Returns the tables that the set has: stored tables with files, and views whose input tables all have files.
    ///
    /// # Errors
    /// SQL of a view that cannot be parsed.
    pub fn served_tables(&self) -> Result<Vec<&Table>, EngineError> {
        let (data, mut served) = (&self.data, Vec::new());
        let catalogue = &*data.engine.catalogue;
        let has = |name: &String| {
            data.files.contains_key(name) || catalogue.table(data.market, name).is_some_and(Table::is_view)
        };
        for table in catalogue.tables_in(data.market) {
            if data.tables.inputs(catalogue, table)?.iter().all(has) {
                served.push(table);
            }
        }
        Ok(served)
    }

    /// Returns the reason, in words, for each of these tables that has no rows here.
    ///
    /// # Errors
    /// SQL of a view that cannot be parsed.
    pub fn without_rows(&self, names: &[String]) -> Result<Vec<String>, EngineError> {
        let (data, mut reasons) = (&self.data, Vec::new());
        let catalogue = &*data.engine.catalogue;
        for table in names.iter().filter_map(|name| catalogue.table(data.market, name)) {
            let missing = data.tables.missing_inputs(catalogue, table)?;
            if !missing.is_empty() {
                reasons.push(self.missing_tables_error(missing).to_string());
            } else if data.tables.table(&table.name).is_some_and(|loaded| loaded.count() == 0) {
                reasons.push(format!("the table {}.{} has no rows in this set", data.market, table.name));
            }
        }
        Ok(reasons)
    }

    /// Returns the market.
    pub fn market(&self) -> Market {
        self.data.market
    }

    /// Returns the same tables with the name and the files of the set that they were published as.
    #[must_use]
    pub fn published_as(self, name: SetName, files: TableFiles) -> Self {
        let data = Arc::new(self.data.published_as(name, files));
        let renamed = |(name, operation): (Arc<str>, Arc<PreparedOperation>)| {
            (name, Arc::new(operation.with_data(&data)))
        };
        let operations = self.operations.into_iter().map(renamed).collect();
        Self { data, operations }
    }

    /// Returns the files of all tables, loaded or not.
    pub fn files(&self) -> &TableFiles {
        &self.data.files
    }

    /// Returns the name of the set.
    pub fn name(&self) -> &SetName {
        &self.data.name
    }

    /// Returns the market's last session; `None` if it has none.
    pub fn as_of(&self) -> Option<NaiveDate> {
        date(self.data.tables.calendar.last()?)
    }

    /// Returns the market's first session; `None` if it has none.
    pub fn first_session(&self) -> Option<NaiveDate> {
        date(self.data.tables.calendar.first()?)
    }

    /// Returns the date of a table's newest row up to the last session; `None` without such a row, or for a table of sessions.
    pub fn newest_row(&self, table: &str) -> Option<NaiveDate> {
        self.data.tables.row_age(table)?.date()
    }

    /// Returns true if no table is loaded.
    pub fn is_empty(&self) -> bool {
        self.data.tables.is_empty()
    }

    /// Returns the names of the loaded tables with their numbers of rows.
    pub fn counts(&self) -> Vec<(String, usize)> {
        self.data.tables.row_counts()
    }
}

/// Returns the id that a set of these plain files would have. Files of a store contribute the hash that the store reports.
fn plain_id(files: &TableFiles) -> Result<String, EngineError> {
    let mut tables = BTreeMap::new();
    for (name, files) in files {
        let mut set_files = Vec::new();
        for file in files {
            let hash = match (file.hash(), file.path()) {
                (Some(hash), _) => hash.to_owned(),
                (None, Some(path)) => hash_of(path)?,
                (None, None) => String::new(),
            };
            let part = file.part(name);
            set_files.push(SetFile { part, ..SetFile::named(&hash) });
        }
        tables.insert(name.clone(), SetTable { rows: 0, formula: None, files: set_files });
    }
    Ok(if tables.is_empty() { String::new() } else { Set::id_of(&tables) })
}

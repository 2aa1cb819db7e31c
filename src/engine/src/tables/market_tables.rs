//! The tables of one market in one context: loaded, viewed, or declared and missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Date32Type};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::datasource::ViewTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::{SessionContext, SessionState};
use datafusion::logical_expr::{EmptyRelation, LogicalPlan};
use quick_cache::sync::Cache;

use super::parsed_plan::ParsedPlan;
use super::row_age::{TableAge, ages};
use super::shared::Engine;
use super::table_handle::TableHandle;
use super::type_erased::TypeErased;
use crate::error::EngineError;
use crate::storage::key_index::KeyIndex;
use crate::storage::load_scope::LoadScope;
use crate::storage::served_table::{ServedTable, TableRows};
use parquote_catalogue::operation::{Catalogue, Likeness, Market, Table, TableOrigin};
use parquote_functions::arrow_types::{arrow_type, column_type, table_schema};
use parquote_functions::context::{market_context, register};
use parquote_functions::{Calendar, prices_function};
use parquote_set::TableFiles;

/// Table of the market's stocks, sorted by symbol.
const COMPANIES: &str = "companies";

/// Table of the market's stocks with their prices.
const STOCKS: &str = "stocks";

/// Table of former symbols and names of companies.
pub(crate) const FORMER_NAMES: &str = "former_names";
/// Table of the market's sessions.
const SESSIONS: &str = "sessions";
/// The table of symbols that free keys may see, sorted by symbol.
pub const FREE_SYMBOLS: &str = "free_symbols";

/// Key of a parsed view: the scope of its tables, its name.
type ViewKey = (Arc<str>, String);

/// Result of looking up a value in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// The market lacks the table.
    Unchecked,
    /// The table does not have the value.
    Unknown,
    /// The table has it, in this spelling.
    Known(String),
}

/// The tables of one market.
pub(crate) struct MarketTables {
    pub context: TypeErased<SessionContext>,
    /// The context's state, taken once.
    pub state: TypeErased<SessionState>,
    pub calendar: Calendar,
    /// Everything that affects the parsing of a SELECT on these tables: the query files, the market, and the missing tables.
    pub scope: Arc<str>,
    market: Market,
    loaded: TypeErased<BTreeMap<String, Arc<ServedTable>>>,
    missing: BTreeSet<String>,
    /// Ages of the loaded tables' rows.
    ages: BTreeMap<String, TableAge>,
    /// Tables that the set lacks, each with the source tables that it needs and their raw files.
    pub unfilled: BTreeMap<String, BTreeMap<String, String>>,
}

/// Loads the tables of a market from their files.
///
/// # Errors
/// Every violation of the declarations.
pub(crate) async fn load(
    engine: &Engine,
    market: Market,
    files: &TableFiles,
    wanted: LoadScope<'_>,
) -> Result<MarketTables, EngineError> {
    let catalogue = &*engine.catalogue;
    let wanted = match wanted {
        LoadScope::All => catalogue.tables_in(market).map(|table| table.name.clone()).collect(),
        LoadScope::Served => served(catalogue, market)?,
        LoadScope::Named(tables) => named(catalogue, market, tables)?,
    };
    let mut problems = Vec::new();
    let mut loaded = BTreeMap::new();
    let stored = catalogue.tables_in(market).filter(|table| wanted.contains(&table.name) && !table.is_view());
    let stored: Vec<_> = stored.filter_map(|table| Some((table, files.get(&table.name)?))).collect();
    engine.progress().start(market, "tables load", stored.len());
    for (table, files) in stored {
        match engine.loaded_tables.load(table, market, files) {
            Ok(table) => drop(loaded.insert(table.name.clone(), table)),
            Err(broken) => problems.extend(broken),
        }
        engine.progress().advance(market);
    }
    engine.progress().finish(market);
    if !problems.is_empty() {
        return Err(EngineError::Contract { problems });
    }
    assemble(catalogue, market, loaded).await
}

/// Builds a market in which every declared table exists and is empty; the SQL of every table is planned on it.
pub(crate) async fn declared(catalogue: &Catalogue, market: Market) -> Result<MarketTables, EngineError> {
    let mut tables = assemble(catalogue, market, BTreeMap::new()).await?;
    tables.missing.clear();
    for table in catalogue.tables_in(market).filter(|table| table.sql().is_some()) {
        planned(&tables.context, table, market).await?;
    }
    Ok(tables)
}

async fn assemble(
    catalogue: &Catalogue,
    market: Market,
    loaded: BTreeMap<String, Arc<ServedTable>>,
) -> Result<MarketTables, EngineError> {
    let calendar = loaded.get(SESSIONS).map(|loaded| calendar(loaded)).unwrap_or_default();
    let context = market_context(market, &calendar);
    context.register_udf(prices_function(loaded.is_empty() || loaded.contains_key(STOCKS)));
    let mut missing = BTreeSet::new();
    for table in catalogue.tables_in(market).filter(|table| !table.is_view()) {
        if let Some(loaded) = loaded.get(&table.name) {
            register(&context, &table.name, Arc::new(TableHandle(Arc::clone(loaded))))?;
        } else {
            missing.insert(table.name.clone());
            register(&context, &table.name, Arc::new(empty(table, market)?))?;
        }
    }
    let missing_names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let scope: Arc<str> = format!("{} {market} {}", catalogue.fingerprint(), missing_names.join(" ")).into();
    views(&context, (catalogue, market, &scope), &loaded).await?;
    let state = TypeErased::new(context.state());
    let ages = ages(catalogue, market, loaded.values().map(Arc::as_ref), calendar.last());
    Ok(MarketTables {
        context: TypeErased::new(context),
        state,
        calendar,
        scope,
        market,
        loaded: TypeErased::new(loaded),
        missing,
        ages,
        unfilled: BTreeMap::new(),
    })
}

impl MarketTables {
    pub(crate) fn is_empty(&self) -> bool {
        self.loaded.is_empty()
    }

    /// Plans a SELECT over these tables.
    ///
    /// # Errors
    /// A SELECT that was parsed in another scope.
    pub(crate) fn plan(&self, parsed: &ParsedPlan) -> Result<LogicalPlan, DataFusionError> {
        parsed.over(&self.state, &self.loaded)
    }

    /// Returns the age of a table's rows; `None` if they have no date.
    pub(crate) fn age(&self, table: &str) -> Option<TableAge> {
        if self.missing.contains(table) { Some(TableAge::Missing) } else { self.ages.get(table).copied() }
    }

    /// Returns a loaded table.
    pub(crate) fn table(&self, name: &str) -> Option<&ServedTable> {
        self.loaded.get(name).map(Arc::as_ref)
    }

    /// Returns the loaded tables.
    pub(crate) fn served(&self) -> impl Iterator<Item = &ServedTable> {
        self.loaded.values().map(Arc::as_ref)
    }

    pub(crate) fn counts(&self) -> Vec<(String, usize)> {
        self.loaded.iter().map(|(name, loaded)| (name.clone(), loaded.count())).collect()
    }

    /// Returns the missing tables that a SELECT needs, also through views.
    pub(crate) fn missing(
        &self,
        catalogue: &Catalogue,
        sql: &str,
        optional: &[String],
    ) -> Result<Vec<String>, EngineError> {
        // Without sessions a market has no date for "today".
        let mut reads = BTreeSet::from([SESSIONS.to_owned()]);
        references(&self.state, catalogue, self.market, sql, optional, &mut reads)?;
        Ok(self.missing_of(reads))
    }

    /// Returns true if a SELECT reads the same tables as in the previous snapshot, also behind views, with the same calendar.
    ///
    /// # Errors
    /// SQL that cannot be parsed.
    pub(crate) fn reads_the_same(
        &self,
        before: &Self,
        catalogue: &Catalogue,
        sql: &str,
    ) -> Result<bool, EngineError> {
        let mut reads = BTreeSet::from([SESSIONS.to_owned()]);
        references(&self.state, catalogue, self.market, sql, &[], &mut reads)?;
        let is_same = |name: &String| match (self.loaded.get(name), before.loaded.get(name)) {
            (Some(table), Some(before)) => Arc::ptr_eq(table, before),
            (table, before) => table.is_none() && before.is_none(),
        };
        Ok(self.scope == before.scope && reads.iter().all(is_same))
    }

    /// Returns the missing tables that a table needs, including itself.
    pub(crate) fn missing_behind(
        &self,
        catalogue: &Catalogue,
        table: &Table,
    ) -> Result<Vec<String>, EngineError> {
        let mut reads = BTreeSet::from([SESSIONS, &table.name].map(str::to_owned));
        if let TableOrigin::View(sql) = &table.origin {
            references(&self.state, catalogue, self.market, sql, &table.optional_tables, &mut reads)?;
        }
        Ok(self.missing_of(reads))
    }

    fn missing_of(&self, reads: BTreeSet<String>) -> Vec<String> {
        let missing = reads.into_iter().filter(|table| self.missing.contains(table));
        missing.map(|table| format!("{}.{table}", self.market)).collect()
    }

    /// Describes the raw files that would provide these tables, each `market.table`.
    pub(crate) fn remedy(&self, tables: &[String]) -> String {
        let names = tables.iter().map(|table| table.split_once('.').map_or(&**table, |(_, name)| name));
        let unfilled: BTreeMap<_, _> = names.filter_map(|name| self.unfilled.get(name)).flatten().collect();
        if unfilled.is_empty() {
            return "its set was derived before there was this table; `parquote derive` makes it".to_owned();
        }
        let takes: Vec<String> =
            unfilled.into_iter().map(|(source, files)| format!("for {source}: {files}")).collect();
        let (market, takes) = (self.market, takes.join(". And "));
        format!(
            "among the raw files there is nothing {takes}. Put it under raw/{market} and run `parquote derive`"
        )
    }

    pub(crate) fn has_symbol(&self, symbol: &str) -> Option<bool> {
        Some(!self.keys(COMPANIES)?.range(&ScalarValue::from(symbol)).is_empty())
    }

    /// Returns the exact spelling of a value in the leading column of a table.
    pub(crate) fn spelling(&self, table: &str, asked: &str) -> Spelling {
        match self.keys(table) {
            None => Spelling::Unchecked,
            Some(keys) => {
                keys.spelling(asked).map_or(Spelling::Unknown, |known| Spelling::Known(known.to_owned()))
            }
        }
    }

    /// Returns the values of the leading column of a table that are most similar to one that it lacks.
    pub(crate) fn nearest(&self, table: &str, asked: &str) -> Vec<String> {
        const SHOWN: usize = 3;
        const NEAR_ENOUGH: f64 = 0.75;
        // A text too long to compare is not even converted to lower case.
        let Some(asked) = Likeness::to(asked).map(|_| asked.to_lowercase()) else { return Vec::new() };
        let Some(likeness) = Likeness::to(&asked) else { return Vec::new() };
        let known = self.keys(table).into_iter().flat_map(KeyIndex::texts);
        let mut near: Vec<(f64, &str)> = known
            .map(|known| (likeness.similarity_to(&known.to_lowercase()), known))
            .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.into_iter().take(SHOWN).map(|(_, known)| known.to_owned()).collect()
    }

    /// Returns at most `most` values of the leading column of a table with this prefix, ignoring case, in order, and the number of all.
    pub(crate) fn beginning(&self, table: &str, like: &str, most: usize) -> (Vec<String>, usize) {
        let like = like.to_lowercase();
        let known = self.keys(table).into_iter().flat_map(KeyIndex::texts);
        let found: Vec<&str> = known.filter(|known| known.to_lowercase().starts_with(&like)).collect();
        (found.iter().take(most).map(|text| (*text).to_owned()).collect(), found.len())
    }

    /// Returns all values of the leading column of a table.
    pub(crate) fn values(&self, table: &str) -> Vec<String> {
        self.keys(table).into_iter().flat_map(KeyIndex::texts).map(str::to_owned).collect()
    }

    fn keys(&self, table: &str) -> Option<&KeyIndex> {
        match &self.loaded.get(table)?.rows {
            TableRows::Memory(_, index) => index.as_ref(),
            TableRows::Files(_) => None,
        }
    }
}

/// Returns the tables that operations of a market read, directly or through views.
pub fn served(catalogue: &Catalogue, market: Market) -> Result<BTreeSet<String>, EngineError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut names = BTreeSet::from([COMPANIES, SESSIONS, FREE_SYMBOLS, FORMER_NAMES].map(str::to_owned));
    for operation in catalogue.operations().iter().filter(|operation| operation.serves(market)) {
        for select in operation.selects.iter().filter(|select| select.serves(market)) {
            references(&state, catalogue, market, &select.sql, &[], &mut names)?;
            names.extend(select.wrap.iter().filter_map(|field| field.table().map(str::to_owned)));
        }
        names.extend(operation.params.iter().filter_map(|param| Some(param.lookup.as_ref()?.table.clone())));
    }
    Ok(names)
}

/// Returns these tables, those that their views read, also optionally, and the sessions, which every market needs.
fn named(catalogue: &Catalogue, market: Market, tables: &[String]) -> Result<BTreeSet<String>, EngineError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut names = BTreeSet::from([SESSIONS.to_owned()]);
    let mut waiting = tables.to_vec();
    while let Some(name) = waiting.pop() {
        if let Some(Table { origin: TableOrigin::View(sql), .. }) = catalogue.table(market, &name)
            && !names.contains(&name)
        {
            waiting.extend(tables_of(&state, sql)?.iter().cloned());
        }
        names.insert(name);
    }
    Ok(names)
}

/// Returns the tables that a SELECT names.
///
/// # Errors
/// SQL that cannot be parsed.
pub fn named_tables(market: Market, sql: &str) -> Result<Vec<String>, EngineError> {
    Ok(tables_of(&market_context(market, &Calendar::default()).state(), sql)?.to_vec())
}

/// Adds the tables that a SELECT reads, also through views, without the optional ones.
pub(crate) fn references(
    state: &SessionState,
    catalogue: &Catalogue,
    market: Market,
    sql: &str,
    optional: &[String],
    names: &mut BTreeSet<String>,
) -> Result<(), EngineError> {
    for name in tables_of(state, sql)?.iter() {
        if optional.contains(name) || !names.insert(name.clone()) {
            continue;
        }
        if let Some(Table { origin: TableOrigin::View(sql), optional_tables, .. }) =
            catalogue.table(market, name)
        {
            let optional: Vec<String> = optional.iter().chain(optional_tables).cloned().collect();
            references(state, catalogue, market, sql, &optional, names)?;
        }
    }
    Ok(())
}

/// Returns the names of the tables in a SELECT of a file. Each text is parsed once, because both markets, every set and the coverage need
/// the same ones.
pub fn tables_of(state: &SessionState, sql: &str) -> Result<Arc<[String]>, DataFusionError> {
    /// Several times the number of texts in all files.
    const TEXTS: usize = 4_096;
    static KNOWN: LazyLock<Cache<String, Arc<[String]>>> = LazyLock::new(|| Cache::new(TEXTS));
    if let Some(known) = KNOWN.get(sql) {
        return Ok(known);
    }
    let dialect = state.config().options().sql_parser.dialect;
    let select = state.sql_to_statement(sql, &dialect)?;
    let references = state.resolve_table_references(&select)?;
    let names: Arc<[String]> = references.iter().map(|reference| reference.table().to_owned()).collect();
    KNOWN.insert(sql.to_owned(), Arc::clone(&names));
    Ok(names)
}

/// Registers views, each after those that it reads; each is parsed once per process.
async fn views(
    context: &SessionContext,
    (catalogue, market, scope): (&Catalogue, Market, &Arc<str>),
    loaded: &BTreeMap<String, Arc<ServedTable>>,
) -> Result<(), EngineError> {
    /// Several times the number of views.
    const VIEWS: usize = 512;
    static KNOWN: LazyLock<Cache<ViewKey, Arc<ParsedPlan>>> = LazyLock::new(|| Cache::new(VIEWS));
    let mut waiting: Vec<&Table> = catalogue.tables_in(market).filter(|table| table.is_view()).collect();
    while !waiting.is_empty() {
        let names: BTreeSet<&str> = waiting.iter().map(|table| table.name.as_str()).collect();
        let state = context.state();
        let (mut ready, mut later) = (Vec::new(), Vec::new());
        for table in &waiting {
            let sources =
                tables_of(&state, table.sql().unwrap_or_default()).map_err(|e| plan_error(table, e))?;
            let waits = sources.iter().any(|name| names.contains(name.as_str()));
            if waits { later.push(*table) } else { ready.push(*table) }
        }
        if let (true, Some(table)) = (ready.is_empty(), later.first()) {
            let message = "this view reads itself, directly or through other views".to_owned();
            return Err(EngineError::Rule { file: table.file.clone(), line: table.line, message });
        }
        for table in ready {
            let key = (Arc::clone(scope), table.name.clone());
            let plan = if let Some(known) = KNOWN.get(&key) {
                known.over(&state, loaded)?
            } else {
                let plan = planned(context, table, market).await?;
                KNOWN.insert(key, Arc::new(ParsedPlan::from_plan(plan.clone())?));
                plan
            };
            let view = ViewTable::new(plan, table.sql().map(str::to_owned));
            register(context, &table.name, Arc::new(view))?;
        }
        waiting = later;
    }
    Ok(())
}

/// Plans the SQL of a table and checks its columns against the declaration.
pub(crate) async fn planned(
    context: &SessionContext,
    table: &Table,
    market: Market,
) -> Result<LogicalPlan, EngineError> {
    let sql = table.sql().unwrap_or_default();
    let plan = context.state().create_logical_plan(sql).await.map_err(|error| plan_error(table, error))?;
    let rule = |message| EngineError::Rule { file: table.file.clone(), line: table.line, message };
    for column in table.columns_in(market) {
        let field = plan.schema().field_with_unqualified_name(&column.name).map_err(|_| {
            rule(format!("the declared column `{}` is not among those of the SQL", column.name))
        })?;
        if column_type(field.data_type()) != Some(column.ty) && *field.data_type() != DataType::Null {
            return Err(rule(format!(
                "the column `{}` is declared {} ({}), the SQL makes it {}",
                column.name,
                column.ty.word(),
                arrow_type(column.ty),
                field.data_type()
            )));
        }
    }
    let declared = |name: &str| table.columns.iter().any(|column| column.name == name);
    if let Some(extra) = plan.schema().fields().iter().find(|field| !declared(field.name())) {
        return Err(rule(format!("the SQL yields `{}`, which is not declared", extra.name())));
    }
    Ok(plan)
}

fn plan_error(table: &Table, source: DataFusionError) -> EngineError {
    EngineError::Plan { file: table.file.clone(), line: table.line, source: Box::new(source) }
}

/// Builds an empty table that folds away during planning.
fn empty(table: &Table, market: Market) -> Result<ViewTable, DataFusionError> {
    let schema = Arc::new(DFSchema::try_from(table_schema(table, market))?);
    Ok(ViewTable::new(LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema }), None))
}

fn calendar(sessions: &ServedTable) -> Calendar {
    let TableRows::Memory(batch, _) = &sessions.rows else { return Calendar::default() };
    let days = batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
    Calendar::new(days.map(|days| days.values().to_vec()).unwrap_or_default())
}

//! The tables that a SELECT reads: those in its text, and those that its views read.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionState;
use quick_cache::sync::Cache;

use crate::error::EngineError;
use parquote_catalogue::operation::{Catalogue, Market, Table, TableOrigin};
use parquote_functions::Calendar;
use parquote_functions::context::market_context;

/// Name of the table of the market's companies, sorted by symbol.
pub(super) const COMPANIES: &str = "companies";

/// Name of the table of former symbols and names of companies.
pub(super) const FORMER_NAMES: &str = "former_names";
/// Name of the table of the market's sessions.
pub(super) const SESSIONS: &str = "sessions";
/// Name of the table of symbols that free keys may see, sorted by symbol.
pub const FREE_SYMBOLS: &str = "free_symbols";

/// Returns the tables that operations of a market read, directly or through views.
pub fn served_tables(catalogue: &Catalogue, market: Market) -> Result<BTreeSet<String>, EngineError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut names = BTreeSet::from([COMPANIES, SESSIONS, FREE_SYMBOLS, FORMER_NAMES].map(str::to_owned));
    for operation in catalogue.operations().iter().filter(|operation| operation.serves(market)) {
        for select in operation.selects.iter().filter(|select| select.serves(market)) {
            add_tables_read(&state, catalogue, market, &select.sql, None, &mut names)?;
            names.extend(select.wrap.iter().filter_map(|field| field.table().map(str::to_owned)));
        }
        names.extend(operation.params.iter().filter_map(|param| Some(param.lookup.as_ref()?.table.clone())));
    }
    Ok(names)
}

/// Returns these tables, the tables that their views read (optional ones included), and the sessions, which every market needs.
pub(super) fn with_dependencies(
    catalogue: &Catalogue,
    market: Market,
    tables: &[String],
) -> Result<BTreeSet<String>, EngineError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut names = BTreeSet::from([SESSIONS.to_owned()]);
    let mut pending = tables.to_vec();
    while let Some(name) = pending.pop() {
        if let Some(Table { origin: TableOrigin::View(sql), .. }) = catalogue.table(market, &name)
            && !names.contains(&name)
        {
            pending.extend(tables_of(&state, sql)?.iter().cloned());
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

/// Adds the tables that a SELECT reads, also through views. If `optional` is `Some`, neither these tables nor the optional tables of a view
/// are added.
pub(crate) fn add_tables_read(
    state: &SessionState,
    catalogue: &Catalogue,
    market: Market,
    sql: &str,
    optional: Option<&[String]>,
    names: &mut BTreeSet<String>,
) -> Result<(), EngineError> {
    for name in tables_of(state, sql)?.iter() {
        if optional.is_some_and(|optional| optional.contains(name)) || !names.insert(name.clone()) {
            continue;
        }
        if let Some(Table { origin: TableOrigin::View(sql), optional_tables, .. }) =
            catalogue.table(market, name)
        {
            let with_view = |optional: &[String]| [optional, optional_tables.as_slice()].concat();
            add_tables_read(state, catalogue, market, sql, optional.map(with_view).as_deref(), names)?;
        }
    }
    Ok(())
}

/// Returns the names of the tables in a SELECT of a file. Each text is parsed once and its names are cached, because both markets, every
/// set and the coverage need them.
pub fn tables_of(state: &SessionState, sql: &str) -> Result<Arc<[String]>, DataFusionError> {
    /// Maximum number of cached texts, several times the number in all files.
    const MOST_TEXTS: usize = 4_096;
    static CACHE: LazyLock<Cache<String, Arc<[String]>>> = LazyLock::new(|| Cache::new(MOST_TEXTS));
    if let Some(names) = CACHE.get(sql) {
        return Ok(names);
    }
    let dialect = state.config().options().sql_parser.dialect;
    let select = state.sql_to_statement(sql, &dialect)?;
    let references = state.resolve_table_references(&select)?;
    let names: Arc<[String]> = references.iter().map(|reference| reference.table().to_owned()).collect();
    CACHE.insert(sql.to_owned(), Arc::clone(&names));
    Ok(names)
}

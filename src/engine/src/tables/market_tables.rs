//! The tables of one market in one context: loaded tables, views, and empty tables in place of missing ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Date32Type;
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::execution::context::{SessionContext, SessionState};
use datafusion::logical_expr::LogicalPlan;

use super::parsed_plan::ParsedPlan;
use super::planned_tables::{empty_view, plan_table, register_views};
use super::row_age::{TableAge, ages_of_tables};
use super::shared::Engine;
use super::table_handle::TableHandle;
use super::tables_read::{COMPANIES, SESSIONS, add_tables_read, served_tables, with_dependencies};
use super::type_erased::TypeErased;
use crate::error::EngineError;
use crate::storage::key_index::KeyIndex;
use crate::storage::load_scope::LoadScope;
use crate::storage::served_table::{ServedTable, TableRows};
use parquote_catalogue::operation::{Catalogue, Likeness, Market, Table, TableOrigin};
use parquote_functions::context::{market_context, register};
use parquote_functions::{Calendar, prices_function};
use parquote_set::TableFiles;

/// Name of the table of the market's stocks with their prices.
const STOCKS: &str = "stocks";

/// Result of looking up a value in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// The market lacks the table.
    Unchecked,
    /// The table does not have the value.
    Unknown,
    /// The table has the value, in this spelling.
    Known(String),
}

pub(crate) struct MarketTables {
    pub context: TypeErased<SessionContext>,
    /// The state of the context, computed once.
    pub state: TypeErased<SessionState>,
    pub calendar: Calendar,
    /// A text of everything that affects the parsing of a SELECT on these tables: the query files, the market, and the missing tables.
    pub scope: Arc<str>,
    market: Market,
    loaded: TypeErased<BTreeMap<String, Arc<ServedTable>>>,
    missing: BTreeSet<String>,
    /// Ages of the rows of loaded tables, as [`ages_of_tables`] returns them.
    ages: BTreeMap<String, TableAge>,
    /// Tables that the set lacks, each with the source tables that it needs and their raw files.
    pub sources_of_missing: BTreeMap<String, BTreeMap<String, String>>,
}

/// Loads the tables of a market from their files.
///
/// # Errors
/// Every violation of the declarations.
pub(crate) async fn load(
    engine: &Engine,
    market: Market,
    files: &TableFiles,
    scope: LoadScope<'_>,
) -> Result<MarketTables, EngineError> {
    let catalogue = &*engine.catalogue;
    let names = match scope {
        LoadScope::All => catalogue.tables_in(market).map(|table| table.name.clone()).collect(),
        LoadScope::Served => served_tables(catalogue, market)?,
        LoadScope::Named(tables) => with_dependencies(catalogue, market, tables)?,
    };
    let mut problems = Vec::new();
    let mut loaded = BTreeMap::new();
    let stored = catalogue.tables_in(market).filter(|table| names.contains(&table.name) && !table.is_view());
    let stored: Vec<_> = stored.filter_map(|table| Some((table, files.get(&table.name)?))).collect();
    engine.progress().start(market, "tables load", stored.len());
    for (table, files) in stored {
        match engine.loaded_tables.load(table, market, files) {
            Ok(table) => drop(loaded.insert(table.name.clone(), table)),
            Err(violations) => problems.extend(violations),
        }
        engine.progress().advance(market);
    }
    engine.progress().finish(market);
    if !problems.is_empty() {
        return Err(EngineError::Contract(problems));
    }
    assemble(catalogue, market, loaded).await
}

/// Builds a market in which every declared table exists and is empty; the SQL of every table is planned on it.
pub(crate) async fn declared(catalogue: &Catalogue, market: Market) -> Result<MarketTables, EngineError> {
    let mut tables = assemble(catalogue, market, BTreeMap::new()).await?;
    tables.missing.clear();
    for table in catalogue.tables_in(market).filter(|table| table.sql().is_some()) {
        plan_table(&tables.context, table, market).await?;
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
            register(&context, &table.name, Arc::new(empty_view(table, market)?))?;
        }
    }
    for table in catalogue.foreign_tables(market) {
        register(&context, &table.name, Arc::new(empty_view(table, table.market.unwrap_or(market))?))?;
    }
    let missing_names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let scope: Arc<str> = format!("{} {market} {}", catalogue.fingerprint(), missing_names.join(" ")).into();
    register_views(&context, (catalogue, market, &scope), &loaded).await?;
    let state = TypeErased::new(context.state());
    let ages = ages_of_tables(catalogue, market, loaded.values().map(Arc::as_ref), calendar.last());
    Ok(MarketTables {
        context: TypeErased::new(context),
        state,
        calendar,
        scope,
        market,
        loaded: TypeErased::new(loaded),
        missing,
        ages,
        sources_of_missing: BTreeMap::new(),
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
        parsed.bind_to_tables(&self.state, &self.loaded)
    }

    /// Returns the age of a table's rows; `None` if they have no date and some have a score.
    pub(crate) fn row_age(&self, table: &str) -> Option<TableAge> {
        if self.missing.contains(table) { Some(TableAge::Missing) } else { self.ages.get(table).copied() }
    }

    /// Returns a loaded table.
    pub(crate) fn table(&self, name: &str) -> Option<&ServedTable> {
        self.loaded.get(name).map(Arc::as_ref)
    }

    pub(crate) fn loaded_tables(&self) -> impl Iterator<Item = &ServedTable> {
        self.loaded.values().map(Arc::as_ref)
    }

    pub(crate) fn row_counts(&self) -> Vec<(String, usize)> {
        self.loaded.iter().map(|(name, loaded)| (name.clone(), loaded.count())).collect()
    }

    /// Returns the missing tables that a SELECT needs, also through views, each as `market.table`.
    pub(crate) fn missing_tables(
        &self,
        catalogue: &Catalogue,
        sql: &str,
        optional: &[String],
    ) -> Result<Vec<String>, EngineError> {
        // Without sessions a market has no date for "today".
        let mut reads = BTreeSet::from([SESSIONS.to_owned()]);
        add_tables_read(&self.state, catalogue, self.market, sql, Some(optional), &mut reads)?;
        Ok(self.missing_among(reads))
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
        add_tables_read(&self.state, catalogue, self.market, sql, None, &mut reads)?;
        let is_same = |name: &String| match (self.loaded.get(name), before.loaded.get(name)) {
            (Some(table), Some(before)) => Arc::ptr_eq(table, before),
            (table, before) => table.is_none() && before.is_none(),
        };
        Ok(self.scope == before.scope && reads.iter().all(is_same))
    }

    /// Returns the tables that a table needs, including itself.
    ///
    /// # Errors
    /// SQL that cannot be parsed.
    pub(crate) fn inputs(
        &self,
        catalogue: &Catalogue,
        table: &Table,
    ) -> Result<BTreeSet<String>, EngineError> {
        let mut reads = BTreeSet::from([SESSIONS, &table.name].map(str::to_owned));
        if let TableOrigin::View(sql) = &table.origin {
            let optional = Some(&*table.optional_tables);
            add_tables_read(&self.state, catalogue, self.market, sql, optional, &mut reads)?;
        }
        Ok(reads)
    }

    /// Returns the missing tables that a table needs, including itself, each as `market.table`.
    pub(crate) fn missing_inputs(
        &self,
        catalogue: &Catalogue,
        table: &Table,
    ) -> Result<Vec<String>, EngineError> {
        Ok(self.missing_among(self.inputs(catalogue, table)?))
    }

    fn missing_among(&self, reads: BTreeSet<String>) -> Vec<String> {
        let missing = reads.into_iter().filter(|table| self.missing.contains(table));
        missing.map(|table| format!("{}.{table}", self.market)).collect()
    }

    /// Describes the raw files that would provide these tables, each named `market.table`.
    pub(crate) fn remedy(&self, tables: &[String]) -> String {
        let names = tables.iter().map(|table| table.split_once('.').map_or(&**table, |(_, name)| name));
        let unfilled: BTreeMap<_, _> =
            names.filter_map(|name| self.sources_of_missing.get(name)).flatten().collect();
        if unfilled.is_empty() {
            return "this set was published without it; `parquote derive` makes it".to_owned();
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

    /// Returns true if a table has rows, but none of these stocks. Long tables, and those that are not sorted by symbol, are not searched.
    pub(crate) fn is_of_others(&self, table: &str, symbols: &[&str]) -> bool {
        let is_absent = |keys: &KeyIndex| {
            keys.rows() > 0 && symbols.iter().all(|symbol| keys.range(&ScalarValue::from(*symbol)).is_empty())
        };
        !symbols.is_empty()
            && self.table(table).is_some_and(ServedTable::is_by_symbol)
            && self.keys(table).is_some_and(is_absent)
    }

    /// Looks up a value in the leading column of a table, without regard to case and spaces.
    pub(crate) fn spelling(&self, table: &str, requested: &str) -> Spelling {
        match self.keys(table) {
            None => Spelling::Unchecked,
            Some(keys) => {
                keys.spelling(requested).map_or(Spelling::Unknown, |value| Spelling::Known(value.to_owned()))
            }
        }
    }

    /// Returns the values of a table's leading column that are most similar to a value that the column lacks.
    pub(crate) fn nearest(&self, table: &str, requested: &str) -> Vec<String> {
        const MOST_SHOWN: usize = 3;
        const LEAST_LIKENESS: f64 = 0.75;
        // A text too long to compare is not even converted to lower case.
        let Some(requested) = Likeness::new_for(requested).map(|_| requested.to_lowercase()) else {
            return Vec::new();
        };
        let Some(likeness) = Likeness::new_for(&requested) else { return Vec::new() };
        let values = self.keys(table).into_iter().flat_map(KeyIndex::texts);
        let mut near: Vec<(f64, &str)> = values
            .map(|value| (likeness.similarity_to(&value.to_lowercase()), value))
            .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.into_iter().take(MOST_SHOWN).map(|(_, value)| value.to_owned()).collect()
    }

    /// Returns values of the leading column of a table that start with this prefix, ignoring case, in order and at most `most`; also
    /// returns the number of all such values.
    pub(crate) fn values_with_prefix(&self, table: &str, prefix: &str, most: usize) -> (Vec<String>, usize) {
        let prefix = prefix.to_lowercase();
        let values = self.keys(table).into_iter().flat_map(KeyIndex::texts);
        let matching: Vec<&str> = values.filter(|value| value.to_lowercase().starts_with(&prefix)).collect();
        (matching.iter().take(most).map(|text| (*text).to_owned()).collect(), matching.len())
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

fn calendar(sessions: &ServedTable) -> Calendar {
    let TableRows::Memory(batch, _) = &sessions.rows else { return Calendar::default() };
    let days = batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
    Calendar::new(days.map(|days| days.values().to_vec()).unwrap_or_default())
}

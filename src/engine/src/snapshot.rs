//! Both markets at one time. A request takes a snapshot at its start and uses it to its end.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use crate::answers::result_column::ResultColumn;
use crate::caller_select::SelectStates;
use crate::checks::checking::CheckResult;
use crate::error::EngineError;
use crate::limits::QueryLimits;
use crate::market_snapshot::MarketSnapshot;
use crate::plans::prepared_call::PreparedCall;
use crate::plans::prepared_operation::PreparedOperation;
use crate::set_name::SetName;
use crate::storage::load_scope::LoadScope;
use crate::tables::coverage::no_data;
use crate::tables::market_tables::Spelling;
use crate::tables::name_search::{self, FoundCompany};
use crate::tables::shared::Engine;
use parquote_catalogue::operation::{
    Arguments, Catalogue, Check, Market, Operation, Presentation, sessions_behind,
};
use parquote_set::{Root, TableFiles};

/// The sets of both markets at one time, ready to answer.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<Engine>,
    id: Arc<str>,
    markets: BTreeMap<Market, Arc<MarketSnapshot>>,
    /// Numbers of newer sets that exist and are not served.
    newer_sets: BTreeMap<Market, u64>,
    /// Operations without tables, for operations that need no table before a market is loaded.
    without_tables: BTreeMap<Market, Arc<MarketSnapshot>>,
    pub(crate) select_states: Arc<SelectStates>,
}

impl Snapshot {
    /// Loads a root: the newest set of each market, or plain files in place.
    ///
    /// # Errors
    /// An unreadable root, data that breaks its contract, or an operation that does not plan.
    pub async fn open(
        catalogue: Arc<Catalogue>,
        root: &Root,
        scope: LoadScope<'_>,
        limits: &QueryLimits,
    ) -> Result<Self, EngineError> {
        let engine = Engine::new(catalogue, limits);
        let mut markets = Vec::new();
        let mut problems = Vec::new();
        for market in Market::ALL {
            match MarketSnapshot::from_root(&engine, market, root, scope).await {
                Ok(tables) => markets.push(Arc::new(tables)),
                Err(EngineError::Contract(more)) => problems.extend(more),
                Err(error) => return Err(error),
            }
        }
        if !problems.is_empty() {
            return Err(EngineError::Contract(problems));
        }
        if markets.iter().all(|market| market.is_empty()) {
            return Err(EngineError::Empty(root.location()));
        }
        Ok(Self::from_markets(&engine, markets))
    }

    /// Builds a snapshot in which every declared table exists and is empty, for documents and rule checks.
    ///
    /// # Errors
    /// A query file that does not plan, or breaks a rule that only planning can check.
    pub async fn declared(catalogue: Arc<Catalogue>) -> Result<Self, EngineError> {
        let engine = Engine::new(catalogue, &QueryLimits::default());
        let mut markets = Vec::new();
        for market in Market::ALL {
            markets.push(Arc::new(MarketSnapshot::with_empty_tables(&engine, market).await?));
        }
        Ok(Self { id: "declared".into(), ..Self::from_markets(&engine, markets) })
    }

    /// Builds a snapshot of these markets.
    pub fn from_markets(
        engine: &Arc<Engine>,
        markets: impl IntoIterator<Item = Arc<MarketSnapshot>>,
    ) -> Self {
        let markets: BTreeMap<Market, Arc<MarketSnapshot>> =
            markets.into_iter().map(|market| (market.market(), market)).collect();
        let id = join_ids(|market| markets.get(&market).map_or("", |market| &*market.name().id));
        Self {
            engine: Arc::clone(engine),
            id: id.into(),
            markets,
            newer_sets: BTreeMap::new(),
            without_tables: BTreeMap::new(),
            select_states: Arc::default(),
        }
    }

    /// Returns the same snapshot with or without the number of a newer set of a market that is not served.
    #[must_use]
    pub fn with_newer_set(&self, market: Market, number: Option<u64>) -> Self {
        let mut newer_sets = self.newer_sets.clone();
        newer_sets.remove(&market);
        newer_sets.extend(number.map(|number| (market, number)));
        Self { newer_sets, ..self.clone() }
    }

    /// Returns the number of a newer set of a market that is not served, because it is being checked or was refused.
    pub fn newer_set(&self, market: Market) -> Option<u64> {
        self.newer_sets.get(&market).copied()
    }

    /// Builds a snapshot without a market, with the operations that need no table.
    ///
    /// # Errors
    /// A query file that does not plan.
    pub async fn before_data(engine: &Arc<Engine>) -> Result<Self, EngineError> {
        let (mut snapshot, files) = (Self::from_markets(engine, []), TableFiles::new());
        for market in Market::ALL {
            let name = SetName::unpublished("");
            let operations = MarketSnapshot::load(engine, market, name, &files, LoadScope::Served).await?;
            snapshot.without_tables.insert(market, Arc::new(operations));
        }
        Ok(snapshot)
    }

    /// Returns the snapshot with another set of one market.
    #[must_use]
    pub fn with_market(&self, market: Arc<MarketSnapshot>) -> Self {
        let mut markets = self.markets.clone();
        markets.insert(market.market(), market);
        let newer_sets = self.newer_sets.clone();
        Self { newer_sets, ..Self::from_markets(&self.engine, markets.into_values()) }
    }

    /// Returns true if no market is loaded.
    pub fn is_empty(&self) -> bool {
        self.markets.is_empty()
    }

    /// Returns the tables of a market; `None` if the market is not loaded.
    pub fn market(&self, market: Market) -> Option<&Arc<MarketSnapshot>> {
        self.markets.get(&market)
    }

    /// Returns the state that all snapshots of the process share.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Returns an operation prepared on the tables of a market; `None` if the snapshot lacks the market or the operation does not serve it.
    pub fn prepared_operation(
        &self,
        operation: &Operation,
        market: Market,
    ) -> Option<&Arc<PreparedOperation>> {
        self.markets.get(&market).or_else(|| self.without_tables.get(&market))?.prepared_operation(operation)
    }

    /// Creates a call of an operation with checked arguments, in the default presentation; `None` if [`Snapshot::prepared_operation`]
    /// returns `None`.
    pub fn call(
        &self,
        operation: &Operation,
        arguments: Arguments,
        now: DateTime<Utc>,
    ) -> Option<PreparedCall> {
        let prepared = self.prepared_operation(operation, operation.market_of(&arguments))?;
        Some(PreparedCall::new(Arc::clone(prepared), arguments, Presentation::default(), now))
    }

    /// Returns the ids of both markets' sets, separated by a dash, as in the `X-Snapshot` header.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the id of the same snapshot with another set of one market.
    pub fn id_with(&self, market: Market, set: &str) -> String {
        let id = |market| self.markets.get(&market).map_or("", |market| &*market.name().id);
        join_ids(|other| if other == market { set } else { id(other) })
    }

    /// Returns a hash over query files and data, the entity tag of documents made from them.
    pub fn tag(&self) -> String {
        const LENGTH: usize = 16;
        let content = format!("{}\n{}", self.engine.catalogue.fingerprint(), self.id);
        blake3::hash(content.as_bytes()).to_hex().chars().take(LENGTH).collect()
    }

    /// Returns the market's last session; `None` if it has none.
    pub fn as_of(&self, market: Market) -> Option<NaiveDate> {
        self.markets.get(&market)?.as_of()
    }

    /// Counts the sessions of the exchange after the market's last one whose data should be published by `now`.
    pub fn sessions_behind(&self, market: Market, now: DateTime<Utc>) -> Option<u64> {
        Some(sessions_behind(market, self.as_of(market)?, now))
    }

    /// Returns the market's first session; `None` if it has none.
    pub fn first_session(&self, market: Market) -> Option<NaiveDate> {
        self.markets.get(&market)?.first_session()
    }

    /// Returns the columns of each SELECT of an operation on its market; for a Rust function, the fields of its object.
    pub fn columns(&self, operation: &Operation) -> &[Vec<ResultColumn>] {
        self.prepared_operation(operation, operation.market).map_or(&[], |prepared| prepared.columns())
    }

    /// Returns the error for missing tables of a market, each named `market.table`.
    pub fn missing_tables_error(&self, market: Market, tables: Vec<String>) -> EngineError {
        match self.markets.get(&market) {
            Some(market) => market.missing_tables_error(tables),
            None => EngineError::MissingTables { tables: Vec::new(), remedy: no_data(market) },
        }
    }

    /// Returns the missing tables that an operation needs on its market, each as `market.table`.
    pub fn missing(&self, operation: &Operation) -> &[String] {
        self.prepared_operation(operation, operation.market).map_or(&[], |prepared| prepared.missing())
    }

    /// Returns true if an operation has all its tables on at least one of its markets, or if that is undecided, because no market is loaded
    /// or the operation serves no market.
    pub fn can_answer(&self, operation: &Operation) -> bool {
        let mut markets = Market::ALL.into_iter().filter(|market| operation.serves(*market)).peekable();
        let is_undecided = self.is_empty() || markets.peek().is_none();
        is_undecided
            || markets.any(|market| {
                self.prepared_operation(operation, market)
                    .is_some_and(|prepared| prepared.missing().is_empty())
            })
    }

    /// Returns true if the market has this stock; `None` if the snapshot has no list of stocks.
    pub fn has_symbol(&self, market: Market, symbol: &str) -> Option<bool> {
        self.markets.get(&market)?.data.tables.has_symbol(symbol)
    }

    /// Returns the present symbol of the company that formerly had a symbol; `None` if a stock of the market has that symbol now, or if no
    /// company or several formerly had it.
    pub fn present_symbol(&self, market: Market, symbol: &str) -> Option<String> {
        let tables = &self.markets.get(&market)?.data.tables;
        let present = (tables.has_symbol(symbol) == Some(false))
            .then(|| name_search::current_symbol(tables, symbol))??;
        (tables.has_symbol(&present) == Some(true)).then_some(present)
    }

    /// Returns the symbol that a company has on the day of this snapshot, from its symbol in a later snapshot; `None` if the market has a
    /// stock of this symbol on the day too, or if not exactly one of the company's symbols is here.
    pub fn earlier_symbol(&self, later: &Self, market: Market, symbol: &str) -> Option<String> {
        let tables = &self.markets.get(&market)?.data.tables;
        if tables.has_symbol(symbol) != Some(false) {
            return None;
        }
        let later = &later.markets.get(&market)?.data.tables;
        let names = name_search::names_on(later, symbol, self.as_of(market)?);
        let mut symbols = names.into_iter().filter(|name| tables.has_symbol(name) == Some(true));
        symbols.next().filter(|_| symbols.next().is_none())
    }

    /// Returns the number of the market's stocks without a sector, and the number of all; `None` if all have a sector, or if there is no
    /// list of stocks.
    pub fn without_sector(&self, market: Market) -> Option<(usize, usize)> {
        name_search::without_sector(&self.markets.get(&market)?.data.tables).filter(|(none, _)| *none > 0)
    }

    /// Looks up a value in the leading column of a small table, without regard to case and spaces.
    pub fn spelling(&self, market: Market, table: &str, requested: &str) -> Spelling {
        self.markets
            .get(&market)
            .map_or(Spelling::Unchecked, |market| market.data.tables.spelling(table, requested))
    }

    /// Returns the symbols that an unknown symbol probably means: companies with such a current or former symbol or name, otherwise similar
    /// symbols.
    pub fn likely_symbols(&self, market: Market, symbol: &str) -> Vec<String> {
        let companies = self.find_companies(market, symbol);
        if companies.is_empty() { self.nearest(market, "companies", symbol) } else { companies }
    }

    /// Returns the symbols of a market's companies whose present or former symbol or name matches `text`, best first.
    pub fn find_companies(&self, market: Market, text: &str) -> Vec<String> {
        const MOST_SHOWN: usize = 3;
        self.companies(market, text, MOST_SHOWN).into_iter().map(|company| company.symbol).collect()
    }

    /// Returns at most `most` companies of a market whose present or former symbol or name matches `text`, best first.
    pub fn companies(&self, market: Market, text: &str, most: usize) -> Vec<FoundCompany> {
        let tables = self.markets.get(&market).map(|market| &market.data.tables);
        tables.map(|tables| name_search::companies(tables, text, most)).unwrap_or_default()
    }

    /// Returns at most `most` companies of a market whose symbol or name is similar to the text, most similar first.
    pub fn near_companies(&self, market: Market, text: &str, most: usize) -> Vec<FoundCompany> {
        let tables = self.markets.get(&market).map(|market| &market.data.tables);
        tables.map(|tables| name_search::similar_companies(tables, text, most)).unwrap_or_default()
    }

    /// Returns the symbols that [`Snapshot::find_companies`] finds in the other market, with that market; `None` if there are none.
    pub fn find_in_other_market(&self, market: Market, text: &str) -> Option<(Market, Vec<String>)> {
        let other = Market::ALL.into_iter().find(|other| *other != market)?;
        Some((other, self.find_companies(other, text))).filter(|(_, symbols)| !symbols.is_empty())
    }

    /// Returns the values of a small table's leading column that are most similar to a value that the column lacks.
    pub fn nearest(&self, market: Market, table: &str, requested: &str) -> Vec<String> {
        self.markets
            .get(&market)
            .map(|market| market.data.tables.nearest(table, requested))
            .unwrap_or_default()
    }

    /// Returns at most `most` values of the leading column of a small table with this prefix, and the number of all.
    pub fn values_with_prefix(
        &self,
        market: Market,
        table: &str,
        prefix: &str,
        most: usize,
    ) -> (Vec<String>, usize) {
        let market = self.markets.get(&market);
        market.map(|market| market.data.tables.values_with_prefix(table, prefix, most)).unwrap_or_default()
    }

    /// Returns all values of the leading column of a small table.
    pub fn values(&self, market: Market, table: &str) -> Vec<String> {
        self.markets.get(&market).map(|market| market.data.tables.values(table)).unwrap_or_default()
    }

    /// Returns the names of a market's loaded tables with their numbers of rows.
    pub fn tables(&self, market: Market) -> Vec<(String, usize)> {
        self.markets.get(&market).map(|market| market.counts()).unwrap_or_default()
    }

    /// Returns the source tables that a market lacks, and other tables that its set lacks although they could be derived.
    pub fn unfilled_tables(&self, market: Market) -> Vec<String> {
        let unfilled = self.markets.get(&market).map(|market| &market.data.tables.sources_of_missing);
        let names = |(table, sources): (&String, &BTreeMap<String, String>)| match sources.len() {
            0 => vec![table.clone()],
            _ => sources.keys().cloned().collect(),
        };
        unfilled.into_iter().flatten().flat_map(names).collect()
    }

    /// Checks a market's tables against a rule.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn check(&self, market: Market, check: &Check) -> Result<CheckResult, EngineError> {
        match self.markets.get(&market) {
            Some(market) => market.check(check).await,
            None => Ok(CheckResult::Skipped(Vec::new())),
        }
    }
}

/// Joins the ids of both markets' sets.
fn join_ids<'a>(id: impl Fn(Market) -> &'a str) -> String {
    Market::ALL.map(id).join("-")
}

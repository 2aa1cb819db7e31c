//! Both markets at one moment. A request takes a snapshot at its start and keeps it to its end.
//!
//! A refresh of one market makes the next snapshot of it and shares the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use crate::answers::result_column::ResultColumn;
use crate::checks::checking::CheckResult;
use crate::error::EngineError;
use crate::limits::QueryLimits;
use crate::market_snapshot::MarketSnapshot;
use crate::own_select::OwnStates;
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

/// The markets of one moment.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<Engine>,
    id: Arc<str>,
    markets: BTreeMap<Market, Arc<MarketSnapshot>>,
    /// The numbers of newer sets that are there and not served.
    unserved: BTreeMap<Market, u64>,
    /// Operations on no table, for what needs none before there is a market.
    without_tables: BTreeMap<Market, Arc<MarketSnapshot>>,
    pub(crate) own_states: Arc<OwnStates>,
}

impl Snapshot {
    /// Loads what lies under a root: of each market its newest set, or plain files where they lie.
    ///
    /// # Errors
    /// An unreadable root, data that does not keep its contract, or an operation that does not plan.
    pub async fn open(
        catalogue: Arc<Catalogue>,
        root: &Root,
        wanted: LoadScope<'_>,
        limits: &QueryLimits,
    ) -> Result<Self, EngineError> {
        let engine = Engine::new(catalogue, limits);
        let mut markets = Vec::new();
        let mut broken = Vec::new();
        for market in Market::ALL {
            match MarketSnapshot::of_root(&engine, market, root, wanted).await {
                Ok(tables) => markets.push(Arc::new(tables)),
                Err(EngineError::Contract { problems }) => broken.extend(problems),
                Err(error) => return Err(error),
            }
        }
        if !broken.is_empty() {
            return Err(EngineError::Contract { problems: broken });
        }
        if markets.iter().all(|market| market.is_empty()) {
            return Err(EngineError::Empty { root: root.shown() });
        }
        Ok(Self::from_markets(&engine, markets))
    }

    /// A snapshot in which every declared table exists and is empty: what documents and rule checks plan against.
    ///
    /// # Errors
    /// A query file that does not plan, or breaks a rule that only planning shows.
    pub async fn declared(catalogue: Arc<Catalogue>) -> Result<Self, EngineError> {
        let engine = Engine::new(catalogue, &QueryLimits::default());
        let mut markets = Vec::new();
        for market in Market::ALL {
            markets.push(Arc::new(MarketSnapshot::declared(&engine, market).await?));
        }
        Ok(Self { id: "declared".into(), ..Self::from_markets(&engine, markets) })
    }

    /// A snapshot of these markets.
    pub fn from_markets(
        engine: &Arc<Engine>,
        markets: impl IntoIterator<Item = Arc<MarketSnapshot>>,
    ) -> Self {
        let markets: BTreeMap<Market, Arc<MarketSnapshot>> =
            markets.into_iter().map(|market| (market.market(), market)).collect();
        let id = joined(|market| markets.get(&market).map_or("", |market| &*market.name().id));
        Self {
            engine: Arc::clone(engine),
            id: id.into(),
            markets,
            unserved: BTreeMap::new(),
            without_tables: BTreeMap::new(),
            own_states: Arc::default(),
        }
    }

    /// The same, with the number of a newer set of a market that is there and not served, or without.
    #[must_use]
    pub fn with_unserved(&self, market: Market, number: Option<u64>) -> Self {
        let mut unserved = self.unserved.clone();
        unserved.remove(&market);
        unserved.extend(number.map(|number| (market, number)));
        Self { unserved, ..self.clone() }
    }

    /// The number of a newer set of a market that is there and not served: it is looked at, or was refused.
    pub fn unserved(&self, market: Market) -> Option<u64> {
        self.unserved.get(&market).copied()
    }

    /// A snapshot without a market, in which what needs no table is prepared all the same.
    ///
    /// # Errors
    /// A query file that does not plan.
    pub async fn before_data(engine: &Arc<Engine>) -> Result<Self, EngineError> {
        let (mut snapshot, files) = (Self::from_markets(engine, []), TableFiles::new());
        for market in Market::ALL {
            let name = SetName::unpublished("");
            let without = MarketSnapshot::load(engine, market, name, &files, LoadScope::Served).await?;
            snapshot.without_tables.insert(market, Arc::new(without));
        }
        Ok(snapshot)
    }

    /// The same with another set of one market.
    #[must_use]
    pub fn with(&self, market: Arc<MarketSnapshot>) -> Self {
        let mut markets = self.markets.clone();
        markets.insert(market.market(), market);
        let unserved = self.unserved.clone();
        Self { unserved, ..Self::from_markets(&self.engine, markets.into_values()) }
    }

    /// Whether it has no market: nothing was loaded yet.
    pub fn is_empty(&self) -> bool {
        self.markets.is_empty()
    }

    /// One of the markets.
    pub fn market(&self, market: Market) -> Option<&Arc<MarketSnapshot>> {
        self.markets.get(&market)
    }

    /// What all snapshots of the process share.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// An operation, ready on the tables of a market; none where the snapshot lacks the market, or the operation does not
    /// serve it.
    pub fn prepared(&self, operation: &Operation, market: Market) -> Option<&Arc<PreparedOperation>> {
        self.markets.get(&market).or_else(|| self.without_tables.get(&market))?.prepared(operation)
    }

    /// A call of an operation with arguments that are right for it, in the usual presentation; none where
    /// [`Snapshot::prepared`] has none.
    pub fn call(
        &self,
        operation: &Operation,
        arguments: Arguments,
        now: DateTime<Utc>,
    ) -> Option<PreparedCall> {
        let prepared = self.prepared(operation, operation.market_of(&arguments))?;
        Some(PreparedCall::new(Arc::clone(prepared), arguments, Presentation::default(), now))
    }

    /// The ids of the sets of both markets, parted by a dash: what an `X-Snapshot` header carries.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The id of the same snapshot with another set of one market.
    pub fn id_with(&self, market: Market, set: &str) -> String {
        let served = |of| self.markets.get(&of).map_or("", |market| &*market.name().id);
        joined(|of| if of == market { set } else { served(of) })
    }

    /// What names documents that are made of query files and data.
    pub fn tag(&self) -> String {
        const LENGTH: usize = 16;
        let named = format!("{}\n{}", self.engine.catalogue.fingerprint(), self.id);
        blake3::hash(named.as_bytes()).to_hex().chars().take(LENGTH).collect()
    }

    /// The market's last session.
    pub fn as_of(&self, market: Market) -> Option<NaiveDate> {
        self.markets.get(&market)?.as_of()
    }

    /// Sessions of the exchange after the market's last one whose data should be out at `now`.
    pub fn sessions_behind(&self, market: Market, now: DateTime<Utc>) -> Option<u64> {
        Some(sessions_behind(market, self.as_of(market)?, now))
    }

    /// The market's first session.
    pub fn first_session(&self, market: Market) -> Option<NaiveDate> {
        self.markets.get(&market)?.first_session()
    }

    /// The columns of each SELECT of an operation on its own market; of one that a Rust function answers, the fields of its
    /// object.
    pub fn columns(&self, operation: &Operation) -> &[Vec<ResultColumn>] {
        self.prepared(operation, operation.market).map_or(&[], |prepared| prepared.columns())
    }

    /// That a market lacks these tables, each as `market.table`.
    pub fn lacks(&self, market: Market, tables: Vec<String>) -> EngineError {
        match self.markets.get(&market) {
            Some(market) => market.lacks(tables),
            None => EngineError::MissingTables { tables: Vec::new(), remedy: no_data(market) },
        }
    }

    /// The tables that keep an operation from answering on its own market.
    pub fn missing(&self, operation: &Operation) -> &[String] {
        self.prepared(operation, operation.market).map_or(&[], |prepared| prepared.missing())
    }

    /// Whether an operation can answer on one of its markets: no table that it needs is missing there.
    pub fn can_answer(&self, operation: &Operation) -> bool {
        let mut of_markets = Market::ALL.into_iter().filter(|market| operation.serves(*market)).peekable();
        let is_not_known = self.is_empty() || of_markets.peek().is_none();
        is_not_known
            || of_markets.any(|of| self.prepared(operation, of).is_some_and(|it| it.missing().is_empty()))
    }

    /// Whether the market has this stock; `None` where the snapshot has no list of stocks.
    pub fn has_symbol(&self, market: Market, symbol: &str) -> Option<bool> {
        self.markets.get(&market)?.data.tables.has_symbol(symbol)
    }

    /// The symbol now of the company that had this one before; `None` where the market has this symbol itself, where no company had it
    /// or where several had.
    pub fn renamed(&self, market: Market, symbol: &str) -> Option<String> {
        let tables = &self.markets.get(&market)?.data.tables;
        let now =
            (tables.has_symbol(symbol) == Some(false)).then(|| name_search::renamed(tables, symbol))??;
        (tables.has_symbol(&now) == Some(true)).then_some(now)
    }

    /// How many stocks of the market have no sector, of how many; `None` where all have one.
    pub fn without_sector(&self, market: Market) -> Option<(usize, usize)> {
        name_search::without_sector(&self.markets.get(&market)?.data.tables).filter(|(none, _)| *none > 0)
    }

    /// How a value is spelt in the leading column of a small table, whatever its case and spaces.
    pub fn spelling(&self, market: Market, table: &str, asked: &str) -> Spelling {
        self.markets
            .get(&market)
            .map_or(Spelling::Unchecked, |market| market.data.tables.spelling(table, asked))
    }

    /// The symbols that were probably meant by one that the market does not have: of companies with such a symbol or name, now or before,
    /// else of those with a symbol that is nearly the same.
    pub fn meant(&self, market: Market, symbol: &str) -> Vec<String> {
        let found = self.found(market, symbol);
        if found.is_empty() { self.nearest(market, "companies", symbol) } else { found }
    }

    /// The symbols of a market's companies with such a symbol or name, now or before; the best first.
    pub fn found(&self, market: Market, text: &str) -> Vec<String> {
        const SHOWN: usize = 3;
        let tables = self.markets.get(&market).map(|market| &market.data.tables);
        tables.map(|tables| name_search::found(tables, text, SHOWN)).unwrap_or_default()
    }

    /// The companies of a market with such a symbol or name, now or before, the best first: at most so many.
    pub fn companies(&self, market: Market, text: &str, most: usize) -> Vec<FoundCompany> {
        let tables = self.markets.get(&market).map(|market| &market.data.tables);
        tables.map(|tables| name_search::companies(tables, text, most)).unwrap_or_default()
    }

    /// The companies of a market whose symbol or name is nearly the text, the likest first: at most so many.
    pub fn near_companies(&self, market: Market, text: &str, most: usize) -> Vec<FoundCompany> {
        let tables = self.markets.get(&market).map(|market| &market.data.tables);
        tables.map(|tables| name_search::near(tables, text, most)).unwrap_or_default()
    }

    /// The symbols that [`Snapshot::found`] finds in the other market, with that market; none where it finds nothing.
    pub fn found_elsewhere(&self, market: Market, text: &str) -> Option<(Market, Vec<String>)> {
        let other = Market::ALL.into_iter().find(|other| *other != market)?;
        Some((other, self.found(other, text))).filter(|(_, symbols)| !symbols.is_empty())
    }

    /// The values of the leading column of a small table that are nearest to one that it does not have.
    pub fn nearest(&self, market: Market, table: &str, asked: &str) -> Vec<String> {
        self.markets.get(&market).map(|market| market.data.tables.nearest(table, asked)).unwrap_or_default()
    }

    /// The values of the leading column of a small table that begin like this, at most so many, and how many there are.
    pub fn beginning(&self, market: Market, table: &str, like: &str, most: usize) -> (Vec<String>, usize) {
        let market = self.markets.get(&market);
        market.map(|market| market.data.tables.beginning(table, like, most)).unwrap_or_default()
    }

    /// All values of the leading column of a small table.
    pub fn values(&self, market: Market, table: &str) -> Vec<String> {
        self.markets.get(&market).map(|market| market.data.tables.values(table)).unwrap_or_default()
    }

    /// The tables of a market with their numbers of rows, for a person to read.
    pub fn tables(&self, market: Market) -> Vec<(String, usize)> {
        self.markets.get(&market).map(|market| market.counts()).unwrap_or_default()
    }

    /// The source tables that a market lacks, and other tables that its set has not although nothing keeps them from being derived.
    pub fn unfilled(&self, market: Market) -> Vec<String> {
        let unfilled = self.markets.get(&market).map(|market| &market.data.tables.unfilled);
        let names = |(table, sources): (&String, &BTreeMap<String, String>)| match sources.len() {
            0 => vec![table.clone()],
            _ => sources.keys().cloned().collect(),
        };
        unfilled.into_iter().flatten().flat_map(names).collect()
    }

    /// Holds a market's tables against a check.
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

/// The ids of both markets' sets, as one.
fn joined<'a>(id: impl Fn(Market) -> &'a str) -> String {
    Market::ALL.map(id).join("-")
}

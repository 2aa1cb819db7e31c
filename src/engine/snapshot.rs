//! Both markets at one moment: what a request takes at its start and keeps.
//!
//! A refresh of one market makes the next snapshot of it and shares the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};

use super::answer_rows::AnswerRows;
use super::checking::Verdict;
use super::encoded::Encoded;
use super::error::EngineError;
use super::limits::Limits;
use super::market_snapshot::MarketSnapshot;
use super::market_tables::{Spelling, Wanted};
use super::result_column::ResultColumn;
use super::shared::{AnswerKey, Engine};
use crate::operation::{Arguments, Catalogue, Check, Market, Operation, Presentation};
use crate::set::Root;

/// The markets of one moment.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<Engine>,
    id: Arc<str>,
    markets: BTreeMap<Market, Arc<MarketSnapshot>>,
}

impl Snapshot {
    /// Loads what lies under a root: of each market its newest set, or plain files where they lie.
    ///
    /// # Errors
    /// An unreadable root, data that does not keep its contract, or an operation that does not plan.
    pub async fn open(
        catalogue: Arc<Catalogue>,
        root: &Root,
        wanted: Wanted,
        limits: &Limits,
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
        Ok(Self::of(&engine, markets))
    }

    /// A snapshot in which every declared table exists and is empty: what documents and rule checks plan against.
    ///
    /// # Errors
    /// A query file that does not plan, or breaks a rule that only planning shows.
    pub async fn declared(catalogue: Arc<Catalogue>) -> Result<Self, EngineError> {
        let engine = Engine::new(catalogue, &Limits::default());
        let mut markets = Vec::new();
        for market in Market::ALL {
            markets.push(Arc::new(MarketSnapshot::declared(&engine, market).await?));
        }
        Ok(Self { id: "declared".into(), ..Self::of(&engine, markets) })
    }

    /// A snapshot of these markets.
    pub fn of(engine: &Arc<Engine>, markets: impl IntoIterator<Item = Arc<MarketSnapshot>>) -> Self {
        let markets: BTreeMap<Market, Arc<MarketSnapshot>> =
            markets.into_iter().map(|market| (market.market(), market)).collect();
        let ids: Vec<&str> = Market::ALL
            .iter()
            .map(|market| markets.get(market).map_or("", |market| &*market.name().id))
            .collect();
        Self { engine: Arc::clone(engine), id: ids.join("-").into(), markets }
    }

    /// The same with another set of one market.
    #[must_use]
    pub fn with(&self, market: Arc<MarketSnapshot>) -> Self {
        let mut markets = self.markets.clone();
        markets.insert(market.market(), market);
        Self::of(&self.engine, markets.into_values())
    }

    /// One of the markets.
    pub fn market(&self, market: Market) -> Option<&Arc<MarketSnapshot>> {
        self.markets.get(&market)
    }

    /// What all snapshots of the process share.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    fn of_operation(&self, index: usize) -> Option<(&Operation, &Arc<MarketSnapshot>)> {
        let operation = self.engine.catalogue.operations().get(index)?;
        Some((operation, self.markets.get(&operation.market)?))
    }

    /// The operation at a place with the market that a call of it is about.
    fn asked(&self, index: usize, arguments: &Arguments) -> Option<(&Operation, &Arc<MarketSnapshot>)> {
        let operation = self.engine.catalogue.operations().get(index)?;
        Some((operation, self.markets.get(&operation.market_of(arguments))?))
    }

    /// Runs the operation at this place in the catalogue. `None` where an object is asked for and there is none.
    ///
    /// # Errors
    /// Missing tables, a deadline or memory limit, or a fault of the engine.
    pub async fn answer(
        &self,
        index: usize,
        arguments: &Arguments,
        presentation: &Presentation,
        now: DateTime<Utc>,
    ) -> Result<Option<Encoded>, EngineError> {
        let Some((operation, market)) = self.asked(index, arguments) else { return Ok(None) };
        let key = self.answer_key((index, operation, market), arguments, presentation, now);
        match self.engine.answers.get_value_or_guard_async(&key).await {
            Ok(answer) => Ok(Some(answer)),
            Err(guard) => {
                let asked = (index, operation);
                let answer = market.encode(&self.engine, asked, arguments, presentation, now).await?;
                if let Some(answer) = &answer {
                    let _ = guard.insert(answer.clone());
                }
                Ok(answer)
            }
        }
    }

    /// The answer, if it is kept from an earlier call; nothing is computed, and nobody waited for.
    pub fn kept(
        &self,
        index: usize,
        arguments: &Arguments,
        presentation: &Presentation,
        now: DateTime<Utc>,
    ) -> Option<Encoded> {
        let (operation, market) = self.asked(index, arguments)?;
        let is_kept = operation.run.is_none();
        let key = is_kept.then(|| self.answer_key((index, operation, market), arguments, presentation, now));
        self.engine.answers.get(&key?)
    }

    /// Whether calls of the same shape took no more than a millisecond lately: what takes so long holds up nobody.
    pub fn is_quick(&self, index: usize, arguments: &Arguments, presentation: &Presentation) -> bool {
        self.asked(index, arguments)
            .is_some_and(|(operation, market)| market.is_quick((index, operation), arguments, presentation))
    }

    fn answer_key(
        &self,
        (index, operation, market): (usize, &Operation, &Arc<MarketSnapshot>),
        arguments: &Arguments,
        presentation: &Presentation,
        now: DateTime<Utc>,
    ) -> AnswerKey {
        let clock = market.clock_facts(&self.engine, operation, arguments, now);
        let named = arguments.canonical() + &clock + &presentation.canonical();
        (Arc::clone(&market.name().id), index, named)
    }

    /// What names an answer beside what was asked and what depends on the clock: a hash over the query files and the set.
    pub fn answer_tag(&self, index: usize, arguments: &Arguments) -> &str {
        self.asked(index, arguments).map_or("", |(_, market)| market.tag())
    }

    /// What an answer says that depends on the clock, as text: part of what names the answer.
    pub fn clock_facts(&self, index: usize, arguments: &Arguments, now: DateTime<Utc>) -> String {
        match self.asked(index, arguments) {
            Some((operation, market)) => market.clock_facts(&self.engine, operation, arguments, now),
            None => String::new(),
        }
    }

    /// As [`Snapshot::answer`] in the usual presentation, without looking among the answers that are kept.
    ///
    /// # Errors
    /// As [`Snapshot::answer`].
    pub async fn compute(
        &self,
        index: usize,
        arguments: &Arguments,
        now: DateTime<Utc>,
    ) -> Result<Option<Bytes>, EngineError> {
        let Some((operation, market)) = self.asked(index, arguments) else { return Ok(None) };
        let presentation = Presentation::default();
        let answer = market.encode(&self.engine, (index, operation), arguments, &presentation, now).await?;
        Ok(answer.map(|answer| answer.body))
    }

    /// Runs the operation at this place in the catalogue for code that goes on with its rows.
    ///
    /// # Errors
    /// As [`Snapshot::answer`].
    pub async fn rows(&self, index: usize, arguments: &Arguments) -> Result<AnswerRows, EngineError> {
        match self.asked(index, arguments) {
            Some((operation, market)) => market.rows(&self.engine, (index, operation), arguments).await,
            None => Ok(AnswerRows::default()),
        }
    }

    /// The ids of the sets of both markets, parted by a dash: what an `X-Snapshot` header carries.
    pub fn id(&self) -> &str {
        &self.id
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

    /// The market's first session.
    pub fn first_session(&self, market: Market) -> Option<NaiveDate> {
        self.markets.get(&market)?.first_session()
    }

    /// The columns of each statement of the operation at this place in the catalogue; of one that a Rust function answers,
    /// the fields of its object.
    pub fn columns(&self, operation: usize) -> &[Vec<ResultColumn>] {
        self.of_operation(operation).map_or(&[], |(_, market)| market.columns(operation))
    }

    /// That a market lacks these tables, each as `market.table`.
    pub(crate) fn lacks(&self, market: Market, tables: Vec<String>) -> EngineError {
        match self.markets.get(&market) {
            Some(market) => market.lacks(&self.engine, tables),
            None => EngineError::MissingTables { tables, given: Vec::new() },
        }
    }

    /// The tables that keep the operation at this place from answering.
    pub fn missing(&self, operation: usize) -> &[String] {
        self.of_operation(operation).map_or(&[], |(_, market)| market.missing(operation))
    }

    /// Whether the market has this stock; `None` where the snapshot has no list of stocks.
    pub fn has_symbol(&self, market: Market, symbol: &str) -> Option<bool> {
        self.markets.get(&market)?.tables.has_symbol(symbol)
    }

    /// How a value is spelt in the leading column of a small table, whatever its case and spaces.
    pub fn spelling(&self, market: Market, table: &str, asked: &str) -> Spelling {
        self.markets.get(&market).map_or(Spelling::Unchecked, |market| market.tables.spelling(table, asked))
    }

    /// The values of the leading column of a small table that are nearest to one that it does not have.
    pub fn nearest(&self, market: Market, table: &str, asked: &str) -> Vec<String> {
        self.markets.get(&market).map(|market| market.tables.nearest(table, asked)).unwrap_or_default()
    }

    /// The values of the leading column of a small table that begin like this, at most so many, and how many there are.
    pub fn beginning(&self, market: Market, table: &str, like: &str, most: usize) -> (Vec<String>, usize) {
        let market = self.markets.get(&market);
        market.map(|market| market.tables.beginning(table, like, most)).unwrap_or_default()
    }

    /// All values of the leading column of a small table.
    pub fn values(&self, market: Market, table: &str) -> Vec<String> {
        self.markets.get(&market).map(|market| market.tables.values(table)).unwrap_or_default()
    }

    /// The tables of a market with their numbers of rows, for a person to read.
    pub fn tables(&self, market: Market) -> Vec<(String, usize)> {
        self.markets.get(&market).map(|market| market.counts()).unwrap_or_default()
    }

    /// Holds a market's tables against a check.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn check(&self, market: Market, check: &Check) -> Result<Verdict, EngineError> {
        match self.markets.get(&market) {
            Some(market) => market.check(&self.engine, check).await,
            None => Ok(Verdict::Skipped(Vec::new())),
        }
    }

    /// Runs a SELECT of a person at a terminal on a market's tables; the rows come as a drawn table.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn select(&self, market: Market, sql: &str) -> Result<String, EngineError> {
        match self.markets.get(&market) {
            Some(market) => market.select(sql).await,
            None => Ok(String::new()),
        }
    }
}

//! All tables of both markets at one moment, every operation ready on them; immutable.
//!
//! A request takes one `Arc<Snapshot>` at its start and keeps it. A refresh builds the next one beside the old.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::answer::{self, Facts, Writer};
use super::arrow_types::date;
use super::chosen::Chosen;
use super::encoded::Encoded;
use super::error::EngineError;
use super::form::Rows;
use super::limits::Limits;
use super::market_tables::{self, MarketTables, Spelling};
use super::prepared::{Plans, Ready};
use super::result_column::ResultColumn;
use super::root::Root;
use crate::operation::{
    Arguments, Catalogue, Check, GIVEN, Market, Operation, Presentation, Table, TableOrigin, Tier, WrapSource,
};

/// Which tables of the root are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Those that operations read.
    Served,
    /// All that are declared.
    All,
}

/// All tables of both markets, their plans, an id, each market's `as_of`.
pub struct Snapshot {
    catalogue: Arc<Catalogue>,
    id: String,
    markets: BTreeMap<Market, MarketTables>,
    operations: Vec<Prepared>,
    columns: Vec<Vec<Vec<ResultColumn>>>,
    plans: Plans,
    answers: Cache<AnswerKey, Encoded, AnswerWeight>,
    /// Spooled files live as long as the snapshot.
    _root: Option<Root>,
}

struct Prepared {
    statements: Vec<Ready>,
    missing: Vec<String>,
}

type AnswerKey = (usize, String);

#[derive(Clone)]
struct AnswerWeight;

impl Weighter<AnswerKey, Encoded> for AnswerWeight {
    fn weight(&self, key: &AnswerKey, answer: &Encoded) -> u64 {
        const BOOKKEEPING: usize = 128;
        (key.1.len() + answer.size() + BOOKKEEPING) as u64
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No row breaks the rule.
    Kept,
    /// Tables that the check reads are not there.
    Skipped(Vec<String>),
    /// Rows that break the rule.
    Broken {
        /// How many, counted up to [`Verdict::MOST_ROWS`].
        rows: usize,
        /// The first of them, drawn as a table.
        shown: String,
    },
}

impl Verdict {
    /// Rows that are counted at most.
    pub const MOST_ROWS: usize = 10_000;
    /// Rows that are shown.
    pub const SHOWN_ROWS: usize = 5;
}

impl Snapshot {
    /// Loads the tables under a root - a folder or an object store's URL - and plans every operation on them.
    ///
    /// # Errors
    /// An unreadable root, data that does not keep its contract, or an operation that does not plan.
    pub async fn open(
        catalogue: Arc<Catalogue>,
        root: &str,
        wanted: Wanted,
        limits: &Limits,
    ) -> Result<Self, EngineError> {
        let files = Root::open(root).await?;
        let mut markets = BTreeMap::new();
        let mut hash = blake3::Hasher::new();
        hash.update(catalogue.fingerprint().as_bytes());
        for market in Market::ALL {
            let tables = market_tables::load(&catalogue, market, &files, wanted, &mut hash).await?;
            markets.insert(market, tables);
        }
        if markets.values().all(MarketTables::is_empty) {
            return Err(EngineError::Empty { root: root.to_owned() });
        }
        // Sixty-four bits tell any two snapshots of one server apart.
        let id = hash.finalize().to_hex().chars().take(16).collect();
        Self::assemble(catalogue, id, markets, Some(files), limits).await
    }

    /// A snapshot in which every declared table exists and is empty: what documents and rule checks plan against.
    ///
    /// # Errors
    /// A query file that does not plan, or breaks a rule that only planning shows.
    pub async fn declared(catalogue: Arc<Catalogue>) -> Result<Self, EngineError> {
        let mut markets = BTreeMap::new();
        for market in Market::ALL {
            markets.insert(market, market_tables::declared(&catalogue, market).await?);
        }
        Self::assemble(catalogue, "declared".to_owned(), markets, None, &Limits::default()).await
    }

    async fn assemble(
        catalogue: Arc<Catalogue>,
        id: String,
        markets: BTreeMap<Market, MarketTables>,
        root: Option<Root>,
        limits: &Limits,
    ) -> Result<Self, EngineError> {
        const TYPICAL_ANSWER: u64 = 4096;
        let answers = (limits.cache_bytes / TYPICAL_ANSWER).max(16) as usize;
        let mut snapshot = Self {
            id,
            markets,
            operations: Vec::new(),
            columns: Vec::new(),
            plans: Plans::new(limits),
            answers: Cache::with_weighter(answers, limits.cache_bytes, AnswerWeight),
            _root: root,
            catalogue: Arc::clone(&catalogue),
        };
        for operation in catalogue.operations() {
            let prepared = snapshot.prepare(operation).await?;
            snapshot.columns.push(prepared.statements.iter().map(|ready| ready.columns.clone()).collect());
            snapshot.operations.push(prepared);
        }
        for (index, operation) in catalogue.operations().iter().enumerate() {
            snapshot.warm(index, operation).await?;
        }
        Ok(snapshot)
    }

    async fn prepare(&self, operation: &Operation) -> Result<Prepared, EngineError> {
        let Some(market) = self.markets.get(&operation.market) else {
            return Ok(Prepared { statements: Vec::new(), missing: Vec::new() });
        };
        let mut statements = Vec::new();
        let mut missing = BTreeSet::new();
        for statement in &operation.statements {
            let dictionary = self.catalogue.dictionary();
            statements.push(Ready::prepare(&market.context, operation, statement, dictionary).await?);
            missing.extend(market.missing(&self.catalogue, &statement.sql, &operation.optional_tables)?);
        }
        Ok(Prepared { statements, missing: missing.into_iter().collect() })
    }

    /// Plans what the operation's examples ask for: bare, and with every parameter that has an example.
    async fn warm(&self, index: usize, operation: &Operation) -> Result<(), EngineError> {
        let (Some(prepared), Some(market)) =
            (self.operations.get(index), self.markets.get(&operation.market))
        else {
            return Ok(());
        };
        if !prepared.missing.is_empty() {
            return Ok(());
        }
        let state = market.context.state();
        for pairs in [operation.example_pairs(false), operation.example_pairs(true)] {
            let Ok(arguments) =
                Arguments::parse(operation, Tier::ApiMax, pairs.iter().map(|(n, v)| (*n, v.as_str())))
            else {
                continue;
            };
            if let Some((at, _)) = operation.statement(&arguments)
                && let Some(ready) = prepared.statements.get(at)
            {
                self.plans.warm(&state, (index, at), operation, ready, &arguments).await?;
            }
        }
        Ok(())
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
        let named = arguments.canonical() + &self.clock_facts(index, arguments, now);
        let key = (index, named + &presentation.canonical());
        match self.answers.get_value_or_guard_async(&key).await {
            Ok(answer) => Ok(Some(answer)),
            Err(guard) => {
                let answer = self.encode(index, arguments, presentation, now).await?;
                if let Some(answer) = &answer {
                    let _ = guard.insert(answer.clone());
                }
                Ok(answer)
            }
        }
    }

    /// What an answer says that depends on the clock, as text: part of what names the answer.
    pub fn clock_facts(&self, index: usize, arguments: &Arguments, now: DateTime<Utc>) -> String {
        let Some(operation) = self.catalogue.operations().get(index) else { return String::new() };
        let (Some(market), Some((_, statement))) =
            (self.markets.get(&operation.market), operation.statement(arguments))
        else {
            return String::new();
        };
        let facts =
            Facts { operation, arguments, catalogue: &self.catalogue, market, snapshot: &self.id, now };
        let stale = statement.wrap.iter().filter_map(|field| match &field.source {
            WrapSource::Stale(table) => Some(answer::stale(&facts, table)),
            _ => None,
        });
        let word = |stale| match stale {
            Some(true) => "stale ",
            Some(false) => "fresh ",
            None => "none ",
        };
        stale.map(word).collect()
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
        let answer = self.encode(index, arguments, &Presentation::default(), now).await?;
        Ok(answer.map(|answer| answer.body))
    }

    async fn encode(
        &self,
        index: usize,
        arguments: &Arguments,
        presentation: &Presentation,
        now: DateTime<Utc>,
    ) -> Result<Option<Encoded>, EngineError> {
        let (Some(operation), Some(prepared)) =
            (self.catalogue.operations().get(index), self.operations.get(index))
        else {
            return Ok(None);
        };
        if !prepared.missing.is_empty() {
            return Err(self.lacks(operation.market, prepared.missing.clone()));
        }
        let Some(market) = self.markets.get(&operation.market) else { return Ok(None) };
        let Some((at, statement)) = operation.statement(arguments) else { return Ok(None) };
        let Some(ready) = prepared.statements.get(at) else { return Ok(None) };
        let chosen = Chosen::of(ready, presentation.fields())?;
        let rows = match &chosen {
            None => Rows {
                answer: statement.answer,
                columns: &ready.columns,
                schema: &ready.schema,
                json: &ready.json,
            },
            Some(chosen) => Rows {
                answer: statement.answer,
                columns: &chosen.columns,
                schema: &chosen.schema,
                json: &chosen.json,
            },
        };
        let places = chosen.as_ref().map(|chosen| chosen.places.as_slice());
        let mut writer = Writer::new(presentation.form(), &rows, places);
        self.plans
            .run(&market.state, (index, at), operation, ready, arguments, |batch| writer.rows(batch))
            .await?;
        let facts =
            Facts { operation, arguments, catalogue: &self.catalogue, market, snapshot: &self.id, now };
        Ok(writer.finish(&statement.wrap, &facts)?)
    }

    /// The id: a hash over the query files and the content of the loaded tables, hexadecimal.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The market's last session.
    pub fn as_of(&self, market: Market) -> Option<NaiveDate> {
        date(self.markets.get(&market)?.calendar.last()?)
    }

    /// The market's first session.
    pub fn first_session(&self, market: Market) -> Option<NaiveDate> {
        date(self.markets.get(&market)?.calendar.first()?)
    }

    /// The columns of each statement of the operation at this place in the catalogue.
    pub fn columns(&self, operation: usize) -> &[Vec<ResultColumn>] {
        self.columns.get(operation).map_or(&[], Vec::as_slice)
    }

    /// That a market lacks these tables, each as `market.table`.
    pub(crate) fn lacks(&self, market: Market, tables: Vec<String>) -> EngineError {
        let given = |table: &&Table| {
            table.origin == TableOrigin::Source(GIVEN.to_owned())
                && tables.contains(&format!("{market}.{}", table.name))
        };
        let given = self.catalogue.tables_in(market).filter(given).map(|table| table.name.clone()).collect();
        EngineError::MissingTables { tables, given }
    }

    /// The tables that keep the operation at this place from answering.
    pub fn missing(&self, operation: usize) -> &[String] {
        self.operations.get(operation).map_or(&[], |prepared| &prepared.missing)
    }

    /// Whether the market has this stock; `None` where the snapshot has no list of stocks.
    pub fn has_symbol(&self, market: Market, symbol: &str) -> Option<bool> {
        self.markets.get(&market)?.has_symbol(symbol)
    }

    /// How a value is spelt in the leading column of a small table, whatever its case and spaces.
    pub fn spelling(&self, market: Market, table: &str, asked: &str) -> Spelling {
        self.markets.get(&market).map_or(Spelling::Unchecked, |tables| tables.spelling(table, asked))
    }

    /// The values of the leading column of a small table that are nearest to one that it does not have.
    pub fn nearest(&self, market: Market, table: &str, asked: &str) -> Vec<String> {
        self.markets.get(&market).map(|tables| tables.nearest(table, asked)).unwrap_or_default()
    }

    /// The values of the leading column of a small table that begin like this, at most so many, and how many there are.
    pub fn beginning(&self, market: Market, table: &str, like: &str, most: usize) -> (Vec<String>, usize) {
        self.markets.get(&market).map(|tables| tables.beginning(table, like, most)).unwrap_or_default()
    }

    /// All values of the leading column of a small table.
    pub fn values(&self, market: Market, table: &str) -> Vec<String> {
        self.markets.get(&market).map(|tables| tables.values(table)).unwrap_or_default()
    }

    /// The tables of a market with their numbers of rows, for a person to read.
    pub fn tables(&self, market: Market) -> Vec<(String, usize)> {
        self.markets.get(&market).map(MarketTables::counts).unwrap_or_default()
    }

    /// Holds a market's tables against a check.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn check(&self, market: Market, check: &Check) -> Result<Verdict, EngineError> {
        let Some(tables) = self.markets.get(&market) else { return Ok(Verdict::Skipped(Vec::new())) };
        let missing = tables.missing(&self.catalogue, &check.sql, &[])?;
        if !missing.is_empty() {
            return Ok(Verdict::Skipped(missing));
        }
        let found = tables.context.sql_with_options(&check.sql, reads()).await?;
        let found = found.limit(0, Some(Verdict::MOST_ROWS))?.collect().await?;
        let rows = found.iter().map(RecordBatch::num_rows).sum();
        let mut left = Verdict::SHOWN_ROWS;
        let shown = found.iter().map(|batch| {
            let batch = batch.slice(0, left.min(batch.num_rows()));
            left -= batch.num_rows();
            batch
        });
        let shown = pretty_format_batches(&shown.collect::<Vec<_>>()).map_err(DataFusionError::from)?;
        Ok(if rows == 0 { Verdict::Kept } else { Verdict::Broken { rows, shown: shown.to_string() } })
    }

    /// Runs a SELECT of a person at a terminal on a market's tables; the rows come as a drawn table.
    ///
    /// # Errors
    /// SQL that does not plan or run.
    pub async fn select(&self, market: Market, sql: &str) -> Result<String, EngineError> {
        let Some(tables) = self.markets.get(&market) else { return Ok(String::new()) };
        let rows = tables.context.sql_with_options(sql, reads()).await?.collect().await?;
        let drawn = pretty_format_batches(&rows).map_err(DataFusionError::from)?;
        Ok(drawn.to_string())
    }
}

/// What a SELECT may do: read.
fn reads() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}

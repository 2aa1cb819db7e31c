//! All tables of one market of one set, its operations ready on them; immutable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use datafusion::arrow::compute::concat_batches;
use datafusion::error::DataFusionError;
use futures::future::BoxFuture;

use super::answer::{Facts, Writer};
use super::answer_rows::AnswerRows;
use super::arrow_types::date;
use super::chosen::Chosen;
use super::encoded::Encoded;
use super::error::EngineError;
use super::form::Rows;
use super::market_tables::{self, MarketTables, Wanted};
use super::prepared::{Plans, Ready};
use super::result_column::ResultColumn;
use super::shared::Engine;
use super::updated::Updated;
use crate::operation::{
    Arguments, GIVEN, Market, Operation, Presentation, Table, TableOrigin, Tier, WrapSource,
};
use crate::set::{Root, Set, SetFile, SetTable, TableFiles, hash_of};

/// Which set a market's tables are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetName {
    /// The id: a hash over the content; empty where the market has no tables.
    pub id: Arc<str>,
    /// The number; none of plain files that are read where they lie.
    pub number: Option<u64>,
    /// When its content was published first; none of what is not published.
    pub published: Option<DateTime<Utc>>,
}

/// The tables of one market and its operations on them.
pub struct MarketSnapshot {
    market: Market,
    name: SetName,
    /// What names its answers beside what was asked: the query files and the set.
    tag: String,
    pub(super) tables: MarketTables,
    updated: Updated,
    /// By the place in the catalogue.
    operations: BTreeMap<usize, Prepared>,
    plans: Plans,
}

struct Prepared {
    /// In the operation's order; `None` for one that answers for another market alone.
    statements: Vec<Option<Ready>>,
    columns: Vec<Vec<ResultColumn>>,
    missing: Vec<String>,
}

impl Prepared {
    /// The SELECT at this place, if it answers for the market.
    fn ready(&self, at: usize) -> Option<&Ready> {
        self.statements.get(at)?.as_ref()
    }
}

impl SetName {
    /// The name of a published set.
    pub fn of(set: &Set) -> Self {
        Self {
            id: set.id.as_str().into(),
            number: Some(set.number),
            published: Some(set.published.content_at()),
        }
    }

    /// The name of tables that are no published set.
    pub fn unpublished(id: &str) -> Self {
        Self { id: id.into(), number: None, published: None }
    }
}

impl MarketSnapshot {
    /// Loads tables from their files and plans every operation of the market on them.
    ///
    /// # Errors
    /// Data that does not keep its contract, or an operation that does not plan.
    pub fn load<'a>(
        engine: &'a Engine,
        market: Market,
        name: SetName,
        files: &'a TableFiles,
        wanted: Wanted,
    ) -> BoxFuture<'a, Result<Self, EngineError>> {
        // Boxed here: the compiler looks into the future of all that planning once, and not for each of its callers.
        Box::pin(async move {
            let tables = market_tables::load(&engine.catalogue, market, files, wanted, &engine.shelf).await?;
            Self::assemble(engine, market, name, tables).await
        })
    }

    /// Loads what a root has of a market: its newest set, or plain files where they lie.
    ///
    /// # Errors
    /// As [`MarketSnapshot::load`], and a root that cannot be read.
    pub async fn of_root(
        engine: &Engine,
        market: Market,
        root: &Root,
        wanted: Wanted,
    ) -> Result<Self, EngineError> {
        if let Some(set) = root.newest(market).await? {
            let files = root.files(market, &set);
            return Self::load(engine, market, SetName::of(&set), &files, wanted).await;
        }
        let files = root.plain_tables(market).await?;
        let declared = |table: &String| engine.catalogue.table(market, table).is_some_and(|t| !t.is_view());
        let files: TableFiles = files.into_iter().filter(|(table, _)| declared(table)).collect();
        let name = SetName::unpublished(&plain_id(&files)?);
        let loaded = Self::load(engine, market, name, &files, wanted).await?;
        Ok(Self { updated: Updated::of_files(&files), ..loaded })
    }

    /// A market in which every declared table exists and is empty.
    ///
    /// # Errors
    /// A query file that does not plan.
    pub(super) async fn declared(engine: &Engine, market: Market) -> Result<Self, EngineError> {
        let tables = market_tables::declared(&engine.catalogue, market).await?;
        Self::assemble(engine, market, SetName::unpublished("declared"), tables).await
    }

    async fn assemble(
        engine: &Engine,
        market: Market,
        name: SetName,
        tables: MarketTables,
    ) -> Result<Self, EngineError> {
        let plans = Plans::new(&engine.limits, Arc::clone(&engine.runtimes));
        let tag =
            blake3::hash(format!("{}\n{}", engine.catalogue.fingerprint(), name.id).as_bytes()).to_string();
        let updated = name.published.map_or(Updated::Unknown, Updated::Published);
        let mut snapshot = Self { market, name, tag, tables, updated, operations: BTreeMap::new(), plans };
        let operations = engine.catalogue.operations().iter().enumerate();
        let operations: Vec<(usize, &Operation)> =
            operations.filter(|(_, operation)| operation.serves(market)).collect();
        for (index, operation) in &operations {
            let prepared = snapshot.prepare(engine, operation).await?;
            snapshot.operations.insert(*index, prepared);
        }
        for (index, operation) in operations {
            snapshot.warm(index, operation).await?;
        }
        Ok(snapshot)
    }

    async fn prepare(&self, engine: &Engine, operation: &Operation) -> Result<Prepared, EngineError> {
        let mut statements = Vec::new();
        let mut missing = BTreeSet::new();
        for statement in &operation.statements {
            if !statement.serves(self.market) {
                statements.push(None);
                continue;
            }
            let dictionary = engine.catalogue.dictionary();
            let ready = Ready::prepare(&self.tables.context, operation, statement, dictionary).await?;
            statements.push(Some(ready));
            let optional = &operation.optional_tables;
            missing.extend(self.tables.missing(&engine.catalogue, &statement.sql, optional)?);
        }
        let columns_of = |ready: &Option<Ready>| ready.as_ref().map(|ready| ready.columns.clone());
        let columns = match &operation.run {
            Some(_) => vec![ResultColumn::declared(operation)],
            None => statements.iter().map(|ready| columns_of(ready).unwrap_or_default()).collect(),
        };
        Ok(Prepared { statements, columns, missing: missing.into_iter().collect() })
    }

    /// Plans what the operation's examples ask for: bare, and with every parameter that has an example.
    async fn warm(&self, index: usize, operation: &Operation) -> Result<(), EngineError> {
        let Some(prepared) = self.operations.get(&index).filter(|prepared| prepared.missing.is_empty())
        else {
            return Ok(());
        };
        let state = self.tables.context.state();
        for arguments in examples(operation) {
            if let Some((at, _)) = operation.statement(&arguments)
                && let Some(ready) = prepared.ready(at)
            {
                self.plans.warm(&state, (index, at), operation, ready, &arguments).await?;
            }
        }
        Ok(())
    }

    /// Plans what callers of the snapshot before ask for, so that the first of them need not wait for it here.
    pub async fn warm_like(&self, engine: &Engine, before: &Self) {
        let state = self.tables.context.state();
        for ((index, at), arguments) in before.plans.in_use() {
            let Some(operation) = engine.catalogue.operations().get(index) else { continue };
            let prepared = self.operations.get(&index).filter(|prepared| prepared.missing.is_empty());
            let Some(ready) = prepared.and_then(|prepared| prepared.ready(at)) else { continue };
            if let Err(error) = self.plans.warm(&state, (index, at), operation, ready, &arguments).await {
                // Whoever asks for it is told.
                tracing::debug!(operation = operation.name, %error, "what was asked before does not plan any more");
            }
        }
    }

    /// What an answer says that depends on the clock, as text: part of what names the answer.
    pub(super) fn clock_facts(
        &self,
        engine: &Engine,
        operation: &Operation,
        arguments: &Arguments,
        now: DateTime<Utc>,
    ) -> String {
        let Some((_, statement)) = operation.statement(arguments) else { return String::new() };
        let facts = self.facts(engine, operation, arguments, now);
        let said = statement.wrap.iter().filter_map(|field| match &field.source {
            WrapSource::Stale(table) => Some(format!("{:?} ", facts.is_stale(table))),
            // Equal content that is published again was updated at another time.
            WrapSource::TableUpdated(table) => Some(format!("{:?} ", facts.updated(table))),
            _ => None,
        });
        said.collect()
    }

    /// Whether calls of the same shape were quick lately, and a plan is at hand.
    pub(super) fn is_quick(
        &self,
        (index, operation): (usize, &Operation),
        arguments: &Arguments,
        presentation: &Presentation,
    ) -> bool {
        let prepared = self.operations.get(&index).filter(|prepared| prepared.missing.is_empty());
        let statement = operation.statement(arguments).filter(|_| operation.run.is_none());
        let (Some(prepared), Some((at, _))) = (prepared, statement) else { return false };
        prepared.ready(at).is_some_and(|ready| {
            self.plans.is_quick((index, at), (operation, ready), (arguments, presentation.offset()))
        })
    }

    /// Runs the operation at this place in the catalogue and encodes its answer. `None` where an object is asked for and
    /// there is none.
    ///
    /// # Errors
    /// Missing tables, a deadline or memory limit, or a fault of the engine.
    pub(super) fn encode<'a>(
        &'a self,
        engine: &'a Engine,
        asked: (usize, &'a Operation),
        arguments: &'a Arguments,
        presentation: &'a Presentation,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<Encoded>, EngineError>> {
        // Boxed here: the future of a query is large, most calls are answered without one, and the compiler looks into it once.
        Box::pin(self.encode_now(engine, asked, arguments, presentation, now))
    }

    async fn encode_now(
        &self,
        engine: &Engine,
        (index, operation): (usize, &Operation),
        arguments: &Arguments,
        presentation: &Presentation,
        now: DateTime<Utc>,
    ) -> Result<Option<Encoded>, EngineError> {
        let Some(prepared) = self.operations.get(&index) else { return Ok(None) };
        if !prepared.missing.is_empty() {
            return Err(self.lacks(engine, prepared.missing.clone()));
        }
        let Some((at, statement)) = operation.statement(arguments) else { return Ok(None) };
        let Some(ready) = prepared.ready(at) else { return Ok(None) };
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
        let asked = (arguments, presentation.offset());
        let state = &self.tables.state;
        let run = self.plans.run(state, (index, at), (operation, ready), asked, |batch| writer.rows(batch));
        let extent = run.await?;
        Ok(writer.finish(&statement.wrap, &self.facts(engine, operation, arguments, now), extent)?)
    }

    /// Runs the operation at this place in the catalogue for code that goes on with its rows.
    ///
    /// # Errors
    /// As [`MarketSnapshot::encode`].
    pub(super) fn rows<'a>(
        &'a self,
        engine: &'a Engine,
        asked: (usize, &'a Operation),
        arguments: &'a Arguments,
    ) -> BoxFuture<'a, Result<AnswerRows, EngineError>> {
        Box::pin(self.rows_now(engine, asked, arguments))
    }

    async fn rows_now(
        &self,
        engine: &Engine,
        (index, operation): (usize, &Operation),
        arguments: &Arguments,
    ) -> Result<AnswerRows, EngineError> {
        let Some(prepared) = self.operations.get(&index) else { return Ok(AnswerRows::default()) };
        if !prepared.missing.is_empty() {
            return Err(self.lacks(engine, prepared.missing.clone()));
        }
        let at = operation.statement(arguments).map(|(at, _)| at);
        let Some((at, ready)) = at.and_then(|at| Some((at, prepared.ready(at)?))) else {
            return Ok(AnswerRows::default());
        };
        let mut batches = Vec::new();
        let state = &self.tables.state;
        let rows = |batch| batches.push(batch);
        self.plans.run(state, (index, at), (operation, ready), (arguments, 0), rows).await?;
        let batch = concat_batches(&ready.schema, &batches).map_err(DataFusionError::from)?;
        Ok(AnswerRows::new(batch, ready.columns.clone()))
    }

    fn facts<'a>(
        &'a self,
        engine: &'a Engine,
        operation: &'a Operation,
        arguments: &'a Arguments,
        now: DateTime<Utc>,
    ) -> Facts<'a> {
        let (catalogue, market, snapshot) = (&*engine.catalogue, &self.tables, &*self.name.id);
        Facts { operation, arguments, catalogue, market, updated: &self.updated, snapshot, now }
    }

    /// That the market lacks these tables, each as `market.table`.
    pub(super) fn lacks(&self, engine: &Engine, tables: Vec<String>) -> EngineError {
        let given = |table: &&Table| {
            table.origin == TableOrigin::Source(GIVEN.to_owned())
                && tables.contains(&format!("{}.{}", self.market, table.name))
        };
        let given = engine.catalogue.tables_in(self.market).filter(given);
        let given = given.map(|table| table.name.clone()).collect();
        EngineError::MissingTables { tables, given }
    }

    /// The market.
    pub fn market(&self) -> Market {
        self.market
    }

    /// The same tables under the name of the set that they were published as.
    #[must_use]
    pub fn published_as(self, name: SetName) -> Self {
        let updated = name.published.map_or(self.updated, Updated::Published);
        Self { name, updated, ..self }
    }

    /// Which set it is of.
    pub fn name(&self) -> &SetName {
        &self.name
    }

    /// What names its answers beside what was asked: a hash over the query files and the set.
    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// The market's last session.
    pub fn as_of(&self) -> Option<NaiveDate> {
        date(self.tables.calendar.last()?)
    }

    /// The market's first session.
    pub fn first_session(&self) -> Option<NaiveDate> {
        date(self.tables.calendar.first()?)
    }

    /// Whether it has no table at all.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The tables with their numbers of rows.
    pub fn counts(&self) -> Vec<(String, usize)> {
        self.tables.counts()
    }

    /// The columns of each statement of an operation; of one that a Rust function answers, the fields of its object.
    pub(super) fn columns(&self, index: usize) -> &[Vec<ResultColumn>] {
        self.operations.get(&index).map_or(&[], |prepared| &prepared.columns)
    }

    /// The tables that keep an operation from answering.
    pub fn missing(&self, index: usize) -> &[String] {
        self.operations.get(&index).map_or(&[], |prepared| &prepared.missing)
    }
}

/// The arguments of an operation's examples: bare, and with every parameter that has one.
pub(super) fn examples(operation: &Operation) -> impl Iterator<Item = Arguments> + '_ {
    [false, true].into_iter().filter_map(|whole| {
        let pairs = operation.example_pairs(whole);
        Arguments::parse(operation, Tier::ApiMax, pairs.iter().map(|(n, v)| (*n, v.as_str()))).ok()
    })
}

/// The id that a set of these plain files would have. Files of a store are named by what it says of them.
fn plain_id(files: &TableFiles) -> Result<String, EngineError> {
    let mut tables = BTreeMap::new();
    for (name, files) in files {
        let mut named = Vec::new();
        for file in files {
            let hash = match (file.hash(), file.path()) {
                (Some(hash), _) => hash.to_owned(),
                (None, Some(path)) => hash_of(path)?,
                (None, None) => String::new(),
            };
            let part = file.part(name);
            named.push(SetFile { part, hash, bytes: 0, rows: 0, fingerprint: None });
        }
        tables.insert(name.clone(), SetTable { rows: 0, formula: None, files: named });
    }
    Ok(if tables.is_empty() { String::new() } else { Set::id_of(&tables) })
}

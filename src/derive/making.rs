//! A set of tables in the making: sources first, then what is derived from bars, then what is derived from that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::bars::Bars;
use super::error::DeriveError;
use super::given;
use super::kept_years::{KeptYears, Stamps, YearPlan, digests_in};
use super::later_pass::LaterPass;
use super::order::{Order, order};
use super::published::Published;
use super::raw::{Progress, RawMarket, Session};
use super::resume::Resume;
use super::run::TableSize;
use super::sinks::Sink;
use super::sources::{self, BARS};
use super::stamps;
use super::symbol_pass::{self, Output, SymbolPass};
use super::table_writer::{Closes, Pages, RULES, STAMP, TableWriter};
use crate::engine::arrow_types::{days, table_schema};
use crate::engine::functions::Calendar;
use crate::engine::long_table::LongTable;
use crate::operation::{Catalogue, Market, Per, Table, TableOrigin};

/// Small tables by name.
pub(super) type Small = BTreeMap<String, RecordBatch>;

/// The bars as raw files give them, among what tables are made from.
const READ: &str = "bars";
/// The table of what is counted of a stock's bars: nothing beside the bars.
const SPANS: &str = "bar_spans";
/// The table that says which stocks have other bars than before.
const DIGESTS: &str = "bar_digests";

/// What makes a table; it returns the number of its rows and for how long it kept a core.
type Work = BoxFuture<'static, Result<(u64, Duration), DeriveError>>;

/// A set of tables in the making.
pub(super) struct Making<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    folder: PathBuf,
    sessions: Vec<Session>,
    calendar: Calendar,
    /// The set that is there, whose kept tables stay.
    before: Option<Published>,
    /// The kept tables that raw files give anew.
    given: Small,
    /// The wanted tables; empty means all.
    only: Vec<String>,
    closes: Closes,
    /// The tables that are read by key once they are served.
    sought: BTreeSet<String>,
    kept: KeptYears,
    written: Vec<Table>,
    pub sizes: Vec<TableSize>,
}

impl<'a> Making<'a> {
    /// Begins a set in an empty folder.
    pub(super) fn begin(
        catalogue: &'a Catalogue,
        market: Market,
        folder: &Path,
        sessions: Vec<Session>,
    ) -> Self {
        let of_year = |session: &Session| (session.date.year(), closed(market, session.date));
        let closes = Closes {
            last: sessions.last().map(|session| closed(market, session.date)).unwrap_or_default(),
            by_year: sessions.iter().map(of_year).collect(),
        };
        Self {
            catalogue,
            market,
            folder: folder.to_owned(),
            calendar: Calendar::new(sessions.iter().map(|session| days(session.date)).collect()),
            kept: KeptYears::new(market, sessions.clone(), folder.to_owned(), None),
            before: None,
            given: Small::new(),
            only: Vec::new(),
            closes,
            sought: BTreeSet::new(),
            sessions,
            written: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Keeps the tables that are to stay as the set before has them, unless a raw file gives them anew; and, unless all is to
    /// be made anew, the years of long tables whose inputs stand.
    pub(super) fn keeping(mut self, before: Option<Published>, anew: bool) -> Self {
        let years = before.clone().filter(|_| !anew);
        self.kept = KeptYears::new(self.market, self.sessions.clone(), self.folder.clone(), years);
        self.before = before;
        self
    }

    /// Derives only these tables and what they read; the others stay as the set before has them.
    pub(super) fn only(mut self, tables: &[String]) -> Self {
        self.only = tables.to_vec();
        self
    }

    /// Writes the small source tables that raw files gave.
    pub(super) async fn sources(&mut self, raw: &RawMarket) -> Result<Small, DeriveError> {
        let mut small = Small::new();
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market).filter(|table| table.keep) {
            if let Some(batch) = given::batch(table, raw) {
                self.given.insert(table.name.clone(), batch.map_err(DeriveError::rows(&table.name))?);
            }
        }
        for table in catalogue.tables_in(self.market) {
            let TableOrigin::Source(source) = &table.origin else { continue };
            let Some(batch) = sources::batch(source, table, raw) else { continue };
            let batch = batch.map_err(DeriveError::rows(&table.name))?;
            let sink = Sink::start(table, self.writer(table, YearPlan::default()));
            sink.write(vec![batch.clone()]).await;
            self.wrote(table, sink).await?;
            small.insert(table.name.clone(), batch);
        }
        Ok(small)
    }

    /// Takes the source tables of a published set over.
    pub(super) fn published_sources(&mut self, published: &Published) -> Result<Small, DeriveError> {
        let mut small = Small::new();
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market) {
            if !matches!(table.origin, TableOrigin::Source(_)) || table.yearly {
                continue;
            }
            let Some(batch) = published.small(table) else { continue };
            published.take_over(table, &self.folder)?;
            let batch = batch?;
            self.written.push(table.clone());
            self.sizes.push(TableSize { name: table.name.clone(), rows: batch.num_rows() as u64 });
            small.insert(table.name.clone(), batch);
        }
        Ok(small)
    }

    /// Derives everything else: symbol by symbol from the bars, then from what is written.
    pub(super) async fn derived(
        &mut self,
        bars: Bars,
        small: Small,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        let mut made: BTreeSet<String> = small.keys().cloned().collect();
        made.insert(BARS.to_owned());
        let catalogue = self.catalogue;
        let mut order = order(catalogue, self.market, &made)?;
        if !self.only.is_empty() {
            let others = order.keep_only(&self.only)?;
            self.stay(&others)?;
        }
        let Some(of_bars) = catalogue.table(self.market, BARS).cloned() else {
            return Err(DeriveError::Order { tables: vec![BARS.to_owned()] });
        };
        self.sought = std::mem::take(&mut order.sought);
        self.by_symbol(of_bars, &order, bars, small, progress).await?;
        self.later(&order, progress).await
    }

    /// What becomes of a table that is to be made: of a long one and of one made by symbol, which years stay.
    fn plan(&mut self, table: &Table, order: &Order<'_>) -> Result<YearPlan, DeriveError> {
        if !table.yearly && table.per != Some(Per::Symbol) {
            return Ok(YearPlan::default());
        }
        let reads = order.reads.get(&table.name).into_iter().flatten();
        let reads: Vec<&Table> = reads.filter_map(|name| self.catalogue.table(self.market, name)).collect();
        self.kept.plan(table, &reads)
    }

    /// What becomes of the bars: read ones are stamped, published ones are linked with the stamps that they have.
    fn plan_bars(&mut self, table: &Table, bars: &Bars, small: &Small) -> Result<YearPlan, DeriveError> {
        match bars {
            Bars::Read(_) => {
                let digests = self.catalogue.table(self.market, DIGESTS);
                if let Some((digests, rows)) = digests.zip(small.get(DIGESTS)) {
                    let whole = stamps::of_bars(digests_in(rows), &self.sessions);
                    self.kept.stamped(READ, Stamps { whole, rules: stamps::of_sessions(&self.sessions) });
                    self.kept.compare(digests, rows)?;
                }
                let plan = self.kept.plan_source(table, READ)?;
                self.kept.stamped(SPANS, plan.stamps.clone());
                Ok(plan)
            }
            Bars::Published(_) => {
                let made = Published::at(&self.folder, self.market);
                let mut stamps = Stamps::default();
                for year in years(&self.sessions) {
                    if let Some(([Some(whole), Some(rules)], _)) = made.year(table, year, [STAMP, RULES]) {
                        stamps.whole.insert(year, whole);
                        stamps.rules.insert(year, rules);
                    }
                }
                self.kept.stamped(SPANS, stamps.clone());
                self.kept.stamped(BARS, stamps);
                Ok(YearPlan::default())
            }
        }
    }

    async fn by_symbol(
        &mut self,
        of_bars: Table,
        order: &Order<'_>,
        bars: Bars,
        small: Small,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        // Bars that are published already are linked, not written again.
        let linked = matches!(bars, Bars::Published(_));
        let tables: Vec<Table> = order.by_symbol.iter().copied().cloned().collect();
        let mut plans = vec![self.plan_bars(&of_bars, &bars, &small)?];
        for table in &tables {
            plans.push(self.plan(table, order)?);
        }
        let resume = self.resume(&plans).filter(|_| !linked);
        let changed = self.kept.changed();
        let bars = match &resume {
            Some(resume) => bars.resumed(resume, &self.sessions, &changed),
            None => bars,
        };
        let replaced: BTreeSet<String> = bars.whole().chain(changed.iter().cloned()).collect();
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: of_bars.clone(),
            tables: tables.clone(),
            small,
            carried: resume.map(|resume| self.carried(&tables, &resume)).transpose()?.unwrap_or_default(),
        };
        let mut outputs: Vec<Output> = std::iter::once(&of_bars)
            .chain(&tables)
            .zip(&plans)
            .map(|(table, plan)| match table.yearly {
                _ if linked && table.name == BARS => Output::Linked,
                true => Output::Written(Sink::start(table, self.writer(table, plan.clone()))),
                false => Output::Gathered(Vec::new()),
            })
            .collect();
        symbol_pass::run(pass, bars, &mut outputs, progress).await?;
        for ((table, plan), output) in std::iter::once(&of_bars).chain(&tables).zip(plans).zip(outputs) {
            match output {
                Output::Written(sink) => self.wrote(table, sink).await?,
                Output::Gathered(made) => {
                    let rows = self.with_standing(table, made, resume.as_ref(), &replaced)?;
                    let sink = Sink::start(table, self.writer(table, plan));
                    sink.write(vec![rows]).await;
                    self.wrote(table, sink).await?;
                }
                Output::Linked => self.written.push(table.clone()),
            }
        }
        Ok(())
    }

    /// From when on rows of the tables made by symbol are made: from the first year that not all of them have.
    fn resume(&self, plans: &[YearPlan]) -> Option<Resume> {
        let years = years(&self.sessions);
        let stands = |year: &i32| plans.iter().all(|plan| plan.stands(*year));
        let first = years.iter().copied().find(|year| !stands(year)).or_else(|| years.last().copied());
        Resume::with(first?, &self.sessions)
    }

    /// Of every table that carries figures the year before the first that is made, as the set before has it.
    fn carried(&self, tables: &[Table], resume: &Resume) -> Result<BTreeMap<String, LongTable>, DeriveError> {
        let carrying =
            tables.iter().filter(|table| !table.carried.is_empty()).zip(self.before.iter().cycle());
        carrying
            .map(|(table, before)| Ok((table.name.clone(), before.long_year(table, resume.year_before())?)))
            .collect()
    }

    /// The rows of a table in one file that were made, with those of the set before that stand.
    fn with_standing(
        &self,
        table: &Table,
        made: Vec<RecordBatch>,
        resume: Option<&Resume>,
        replaced: &BTreeSet<String>,
    ) -> Result<RecordBatch, DeriveError> {
        let failed = DeriveError::rows(&table.name);
        let schema = table_schema(table, self.market);
        let made = concat_batches(&schema, &made).map_err(|error| failed(error.into()))?;
        let before = self.before.as_ref().and_then(|before| before.small(table));
        match (resume, before) {
            (Some(resume), Some(before)) => {
                resume.with_standing(table, &before?, &made, replaced).map_err(failed)
            }
            _ => Ok(made),
        }
    }

    /// Takes tables over that are not derived this time, those that the set before has.
    fn stay(&mut self, tables: &[&Table]) -> Result<(), DeriveError> {
        let Some(before) = &self.before else { return Ok(()) };
        tables
            .iter()
            .filter(|table| before.has(table))
            .try_for_each(|table| before.take_over(table, &self.folder))
    }

    /// A kept table, from a raw file or from the set before; `None` where it is to be derived.
    fn stays(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let given = self.given.get(&table.name).cloned().map(Ok);
        given.or_else(|| self.before.as_ref()?.small(table))
    }

    /// Derives the tables that read written ones, each as soon as those that it reads are there.
    async fn later(&mut self, order: &Order<'_>, progress: &dyn Progress) -> Result<(), DeriveError> {
        progress.start("deriving table by table", order.later.len() as u64);
        let cores = Arc::new(Semaphore::new(cores()));
        let mut waiting = order.later.clone();
        let mut making = JoinSet::new();
        loop {
            let (ready, others) = waiting.into_iter().partition(|table| self.is_ready(table, order));
            waiting = others;
            for table in ready {
                let (name, work) = (table.name.clone(), self.one(table, order, &cores)?);
                making.spawn(async move { Ok::<_, DeriveError>((name, work.await?)) });
            }
            let Some(made) = making.join_next().await else { break };
            let (name, (rows, took)) = made??;
            let table = order.later.iter().find(|table| table.name == name);
            self.written.extend(table.map(|table| (*table).clone()));
            progress.part(&name, took);
            progress.advance(1);
            self.sizes.push(TableSize { name, rows });
        }
        progress.finish();
        let place = |size: &TableSize| order.later.iter().position(|table| table.name == size.name);
        self.sizes.sort_by_key(place);
        Ok(())
    }

    /// The work that makes one table.
    fn one(&mut self, table: &Table, order: &Order<'_>, cores: &Arc<Semaphore>) -> Result<Work, DeriveError> {
        if let Some(rows) = table.keep.then(|| self.stays(table)).flatten() {
            let (sink, rows) = (Sink::start(table, self.writer(table, YearPlan::default())), rows?);
            return Ok(Box::pin(async move {
                sink.write(vec![rows]).await;
                Ok((sink.finish().await?, Duration::ZERO))
            }));
        }
        let plan = self.plan(table, order)?;
        let tables = |names: &[String]| -> Vec<Table> {
            names.iter().filter_map(|name| self.catalogue.table(self.market, name).cloned()).collect()
        };
        let reads = order.reads.get(&table.name).map(Vec::as_slice).unwrap_or_default();
        let absent = table.optional_tables.iter().filter(|name| !reads.contains(name)).cloned();
        let pass = LaterPass {
            market: self.market,
            calendar: self.calendar.clone(),
            folder: self.folder.clone(),
            table: table.clone(),
            reads: tables(reads),
            absent: tables(&absent.collect::<Vec<_>>()),
            years: years(&self.sessions).into_iter().filter(|year| !plan.kept.contains_key(year)).collect(),
            cores: Arc::clone(cores),
        };
        let sink = Sink::start(table, self.writer(table, plan));
        Ok(Box::pin(pass.run(sink)))
    }

    /// Whether all that a table reads is written.
    fn is_ready(&self, table: &Table, order: &Order<'_>) -> bool {
        let written = |name: &String| self.written.iter().any(|table| table.name == *name);
        order.reads.get(&table.name).is_none_or(|reads| reads.iter().all(written))
    }

    fn writer(&self, table: &Table, plan: YearPlan) -> TableWriter {
        let sought = !table.yearly || table.name == BARS || self.sought.contains(&table.name);
        let pages = if sought { Pages::Sought } else { Pages::Streamed };
        TableWriter::new(&self.folder, table, self.market, pages, self.closes.clone(), plan)
    }

    async fn wrote(&mut self, table: &Table, sink: Sink) -> Result<(), DeriveError> {
        let rows = sink.finish().await?;
        self.written.push(table.clone());
        self.sizes.push(TableSize { name: table.name.clone(), rows });
        Ok(())
    }
}

/// The calendar years of sessions, ascending.
pub(super) fn years(sessions: &[Session]) -> Vec<i32> {
    let mut years: Vec<i32> = sessions.iter().map(|session| session.date.year()).collect();
    years.dedup();
    years
}

/// How many tables are made at once.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// When a session's data was complete: the close of trading, in the market's time.
fn closed(market: Market, session: NaiveDate) -> String {
    use chrono::TimeZone;
    let (hour, minute) = match market {
        Market::India => (15, 30),
        Market::Us => (16, 0),
    };
    session
        .and_hms_opt(hour, minute, 0)
        .and_then(|time| market.time_zone().from_local_datetime(&time).earliest())
        .map(|time| time.to_rfc3339())
        .unwrap_or_default()
}

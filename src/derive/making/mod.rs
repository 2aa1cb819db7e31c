//! A set of tables in the making: sources first, then what is derived from bars, then what is derived from that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use futures::future::try_join_all;

use super::bars::Bars;
use super::error::DeriveError;
use super::given;
use super::kept_years::KeptYears;
use super::order::{Order, order};
use super::published::Published;
use super::raw::{Progress, RawMarket, Session, map_in_order};
use super::sinks::Sink;
use super::sources::{self, BARS};
use super::stamps;
use super::table_writer::{Pages, TableSize, TableWriter};
use super::year_plan::{ONE_FILE, YearPlan};
use crate::engine::arrow_types::days;
use crate::engine::functions::Calendar;
use crate::operation::{Catalogue, Market, Per, Table, TableOrigin};

mod by_company;
mod by_symbol;
mod later;

/// Small tables by name.
pub(super) type Small = BTreeMap<String, RecordBatch>;

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
    /// By table: the rows of the companies of whose statements something else is known than before.
    of_changed: Small,
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
        Self {
            catalogue,
            market,
            folder: folder.to_owned(),
            calendar: Calendar::new(sessions.iter().map(|session| days(session.date)).collect()),
            kept: KeptYears::new(market, sessions.clone(), folder.to_owned(), None),
            before: None,
            given: Small::new(),
            only: Vec::new(),
            of_changed: Small::new(),
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
    pub(super) async fn sources(&mut self, raw: &RawMarket) -> Result<(), DeriveError> {
        let mut sinks = Vec::new();
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market).filter(|table| table.keep) {
            if let Some(batch) = given::batch(table, raw) {
                self.given.insert(table.name.clone(), batch.map_err(DeriveError::rows(&table.name))?);
            }
        }
        let mut coming = Vec::new();
        for table in catalogue.tables_in(self.market) {
            let TableOrigin::Source(source) = &table.origin else { continue };
            // Rows that cost much to make have a stamp of their own, the others that of their cells.
            let stamp = sources::stamp(source, raw);
            let plan = stamp.map(|stamp| self.kept.plan_one_file_source(table, stamp)).transpose()?;
            if !plan.as_ref().is_some_and(|plan| self.is_kept(table, plan)) {
                coming.push((table, source, plan));
            }
        }
        let made = map_in_order(coming, |(table, source, plan)| {
            let batch = sources::batch(source, table, raw)?;
            let stamped = batch.and_then(|batch| {
                let stamp = if plan.is_none() { Some(stamps::of_cells(&batch)?) } else { None };
                Ok((batch, stamp))
            });
            Some((table, plan, stamped))
        });
        for (table, plan, stamped) in made.into_iter().flatten() {
            let (batch, stamp) = stamped.map_err(DeriveError::rows(&table.name))?;
            let of_cells = stamp.map(|stamp| self.kept.plan_one_file_source(table, stamp)).transpose()?;
            let plan = plan.or(of_cells).unwrap_or_default();
            if self.is_kept(table, &plan) {
                continue;
            }
            let sink = Sink::start(table, self.writer(table, plan));
            sink.write(vec![batch]).await;
            sinks.push((table, sink));
        }
        self.wrote(sinks).await?;
        self.sizes.sort_by(|a, b| a.name.cmp(&b.name));
        self.compare_companies(raw)
    }

    /// What is made of the set so far.
    fn made(&self) -> Published {
        Published::at(&self.folder, self.market)
    }

    /// Whether a table in one file stays; it is counted as written then.
    fn is_kept(&mut self, table: &Table, plan: &YearPlan) -> bool {
        let Some(rows) = plan.kept.get(&ONE_FILE) else { return false };
        self.written.push(table.clone());
        self.sizes.push(TableSize { name: table.name.clone(), rows: *rows });
        true
    }

    /// Takes the source tables of a published set over.
    pub(super) fn published_sources(&mut self, published: &Published) -> Result<(), DeriveError> {
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market) {
            if !matches!(table.origin, TableOrigin::Source(_)) || table.yearly {
                continue;
            }
            let Some(rows) = published.rows(table) else { continue };
            published.take_over(table, &self.folder)?;
            self.written.push(table.clone());
            self.sizes.push(TableSize { name: table.name.clone(), rows });
        }
        Ok(())
    }

    /// Derives everything else: symbol by symbol from the bars, then from what is written.
    pub(super) async fn derived(&mut self, bars: Bars, progress: &dyn Progress) -> Result<(), DeriveError> {
        let mut made: BTreeSet<String> = self.written.iter().map(|table| table.name.clone()).collect();
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
        self.by_symbol(of_bars, &order, bars, progress).await?;
        self.later(&order, progress).await
    }

    /// What becomes of a table that is to be made: of a long one and of one made by symbol, which years stay; of another,
    /// whether it stays. A kept table stays by another rule, and is made only where there is none.
    fn plan(&mut self, table: &Table, order: &Order<'_>) -> Result<YearPlan, DeriveError> {
        if table.keep {
            return Ok(YearPlan::default());
        }
        let reads = order.reads.get(&table.name).into_iter().flatten();
        let reads: Vec<&Table> = reads.filter_map(|name| self.catalogue.table(self.market, name)).collect();
        if table.yearly || table.per == Some(Per::Symbol) {
            self.kept.plan(table, &reads)
        } else if table.per == Some(Per::Company) {
            self.plan_by_company(table, &reads)
        } else {
            self.kept.plan_one_file(table, &reads)
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

    /// What writes a table, by who reads it and by what of it stays.
    fn writer(&self, table: &Table, plan: YearPlan) -> TableWriter {
        let sought = !table.yearly || table.name == BARS || self.sought.contains(&table.name);
        let pages = if sought { Pages::Sought } else { Pages::Streamed };
        TableWriter::new(&self.folder, table, self.market, pages, plan)
    }

    /// Waits until tables are written, all at once.
    async fn wrote(&mut self, sinks: Vec<(&Table, Sink)>) -> Result<(), DeriveError> {
        let (tables, sinks): (Vec<&Table>, Vec<Sink>) = sinks.into_iter().unzip();
        let rows = try_join_all(sinks.into_iter().map(Sink::finish)).await?;
        for (table, rows) in tables.into_iter().zip(rows) {
            self.written.push(table.clone());
            self.sizes.push(TableSize { name: table.name.clone(), rows });
        }
        Ok(())
    }
}

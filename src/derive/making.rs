//! A set of tables in the making: sources first, then what is derived from bars, then what is derived from that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::RecordBatch;

use super::bars::Bars;
use super::error::DeriveError;
use super::given;
use super::later_pass::LaterPass;
use super::order::order;
use super::published::Published;
use super::raw::{Progress, RawMarket, Session};
use super::run::TableSize;
use super::sinks::Sink;
use super::sources::{self, BARS};
use super::symbol_pass::{self, SymbolPass};
use super::table_writer::TableWriter;
use crate::engine::arrow_types::days;
use crate::engine::functions::Calendar;
use crate::operation::{Catalogue, Market, Table, TableOrigin};

/// Small tables by name.
pub(super) type Small = BTreeMap<String, RecordBatch>;

/// A set of tables in the making.
pub(super) struct Making<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    folder: PathBuf,
    sessions: Vec<Session>,
    calendar: Calendar,
    /// The calendar years of the sessions, ascending.
    years: Vec<i32>,
    /// The set that is there, whose kept tables stay.
    before: Option<Published>,
    /// The kept tables that raw files give anew.
    given: Small,
    /// The wanted tables; empty means all.
    only: Vec<String>,
    last_updated: String,
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
        let years: BTreeSet<i32> = sessions.iter().map(|session| session.date.year()).collect();
        Self {
            catalogue,
            market,
            folder: folder.to_owned(),
            calendar: Calendar::new(sessions.iter().map(|session| days(session.date)).collect()),
            years: years.into_iter().collect(),
            before: None,
            given: Small::new(),
            only: Vec::new(),
            last_updated: sessions.last().map(|session| closed(market, session.date)).unwrap_or_default(),
            sessions,
            written: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Keeps the tables that are to stay as the set before has them, unless a raw file gives them anew.
    pub(super) fn keeping(mut self, before: Option<Published>) -> Self {
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
            let sink = Sink::start(table, self.writer(table));
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
        self.by_symbol(of_bars, order.by_symbol, bars, small, progress).await?;
        for table in order.later {
            self.later(table, progress).await?;
        }
        Ok(())
    }

    async fn by_symbol(
        &mut self,
        of_bars: Table,
        tables: Vec<&Table>,
        bars: Bars,
        small: Small,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        // Bars that are published already are linked, not written again.
        let linked = matches!(bars, Bars::Published(_));
        let tables: Vec<Table> = tables.into_iter().cloned().collect();
        let mut sinks = Vec::new();
        for table in std::iter::once(&of_bars).chain(&tables) {
            let is_linked = linked && table.name == BARS;
            sinks.push((!is_linked).then(|| Sink::start(table, self.writer(table))));
        }
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: of_bars.clone(),
            tables: tables.clone(),
            small,
        };
        symbol_pass::run(pass, bars, &sinks, progress).await?;
        for (table, sink) in std::iter::once(&of_bars).chain(&tables).zip(sinks) {
            match sink {
                Some(sink) => self.wrote(table, sink).await?,
                None => self.written.push(table.clone()),
            }
        }
        Ok(())
    }

    /// Takes tables over that are not derived this time, those that the set before has.
    fn stay(&mut self, tables: &[&Table]) -> Result<(), DeriveError> {
        let Some(before) = &self.before else { return Ok(()) };
        tables.iter().filter(|table| before.has(table)).try_for_each(|table| before.take_over(table, &self.folder))
    }

    /// A kept table, from a raw file or from the set before; `None` where it is to be derived.
    fn stays(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let given = self.given.get(&table.name).cloned().map(Ok);
        given.or_else(|| self.before.as_ref()?.small(table))
    }

    async fn later(&mut self, table: &Table, progress: &dyn Progress) -> Result<(), DeriveError> {
        if let Some(rows) = table.keep.then(|| self.stays(table)).flatten() {
            let sink = Sink::start(table, self.writer(table));
            sink.write(vec![rows?]).await;
            return self.wrote(table, sink).await;
        }
        let pass = LaterPass {
            market: self.market,
            calendar: self.calendar.clone(),
            folder: self.folder.clone(),
            written: self.written.clone(),
            absent: self.absent(table),
            years: self.years.clone(),
        };
        let sink = Sink::start(table, self.writer(table));
        pass.run(table, &sink, progress).await?;
        self.wrote(table, sink).await
    }

    /// The tables that this one can do without and that are not there.
    fn absent(&self, table: &Table) -> Vec<Table> {
        let written = |name: &str| self.written.iter().any(|table| table.name == name);
        let lacking = table.optional_tables.iter().filter(|name| !written(name));
        lacking.filter_map(|name| self.catalogue.table(self.market, name).cloned()).collect()
    }

    fn writer(&self, table: &Table) -> TableWriter {
        TableWriter::new(&self.folder, table, self.market, &self.last_updated)
    }

    async fn wrote(&mut self, table: &Table, sink: Sink) -> Result<(), DeriveError> {
        let rows = sink.finish().await?;
        self.written.push(table.clone());
        self.sizes.push(TableSize { name: table.name.clone(), rows });
        Ok(())
    }
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

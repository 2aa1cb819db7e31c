//! The whole derivation of a market, step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::RecordBatch;

use super::error::DeriveError;
use super::later_pass::LaterPass;
use super::order::order;
use super::publish::Staging;
use super::raw::{self, Progress, RawMarket, RawOptions, RefusedFile};
use super::report::Report;
use super::sources::{self, BARS};
use super::symbol_pass::{self, SymbolPass};
use super::table_writer::TableWriter;
use crate::engine::arrow_types::days;
use crate::engine::functions::Calendar;
use crate::operation::{Catalogue, Market, Table, TableOrigin};

/// What is derived from what.
#[derive(Debug, Clone)]
pub struct DeriveOptions {
    /// The folder that holds a folder of raw files for each market.
    pub raw: PathBuf,
    /// The folder that takes a folder of tables for each market.
    pub data: PathBuf,
    /// Rows after this date are not read.
    pub as_of: Option<NaiveDate>,
    /// The date of lists whose path has none.
    pub lists_as_of: Option<NaiveDate>,
}

/// What became of a market.
#[derive(Debug)]
pub struct Derived {
    /// The market.
    pub market: Market,
    /// What became of every row.
    pub report: Report,
    /// The tables that were written.
    pub tables: Vec<TableSize>,
}

/// A written table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
}

/// Derives the tables of one market and publishes them in one rename.
///
/// # Errors
/// Raw files that make no market, a table whose SQL fails, a folder that cannot be written. Nothing is published then.
pub async fn derive(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &DeriveOptions,
    progress: &dyn Progress,
) -> Result<Derived, DeriveError> {
    let staging = Staging::create(&options.data, market)?;
    let raw = read(market, options, staging.folder(), progress)?;
    write_report(&raw.report, staging.folder())?;
    let mut making = Making::new(catalogue, market, staging.folder(), &raw);
    let small = making.sources(&raw)?;
    let report = making.derived(raw, small, progress).await?;
    let tables = std::mem::take(&mut making.sizes);
    staging.publish()?;
    Ok(Derived { market, report, tables })
}

fn read(
    market: Market,
    options: &DeriveOptions,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<RawMarket, DeriveError> {
    let path = folder.join("refused.csv.gz");
    let failed = |source| DeriveError::Write { path: path.clone(), source };
    let mut refused = RefusedFile::create(&path).map_err(failed)?;
    let how = RawOptions { market, as_of: options.as_of, lists_as_of: options.lists_as_of };
    let raw = raw::read(&options.raw.join(market.word()), &how, &mut refused, progress)?;
    refused.finish().map_err(failed)?;
    Ok(raw)
}

fn write_report(report: &Report, folder: &Path) -> Result<(), DeriveError> {
    let path = folder.join("report.json");
    let text = serde_json::to_string_pretty(report).map_err(DeriveError::Report)?;
    fs::write(&path, text).map_err(|source| DeriveError::Write { path, source })
}

/// A set of tables in the making.
struct Making<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    folder: PathBuf,
    calendar: Calendar,
    years: Vec<i32>,
    last_updated: String,
    written: Vec<Table>,
    sizes: Vec<TableSize>,
}

impl<'a> Making<'a> {
    fn new(catalogue: &'a Catalogue, market: Market, folder: &Path, raw: &RawMarket) -> Self {
        let years: BTreeSet<i32> = raw.sessions.iter().map(|session| session.date.year()).collect();
        Self {
            catalogue,
            market,
            folder: folder.to_owned(),
            calendar: Calendar::new(raw.sessions.iter().map(|session| days(session.date)).collect()),
            years: years.into_iter().collect(),
            last_updated: raw.sessions.last().map(|session| closed(market, session.date)).unwrap_or_default(),
            written: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Writes the small source tables and keeps them for those that are derived from bars.
    fn sources(&mut self, raw: &RawMarket) -> Result<BTreeMap<String, RecordBatch>, DeriveError> {
        let mut small = BTreeMap::new();
        for table in self.catalogue.tables_in(self.market) {
            let TableOrigin::Source(source) = &table.origin else { continue };
            let Some(batch) = sources::batch(source, table, raw) else { continue };
            let failed = DeriveError::rows(&table.name);
            let batch = batch.map_err(&failed)?;
            let mut writer = self.writer(table);
            writer.write(&batch).map_err(&failed)?;
            self.wrote(table, writer)?;
            small.insert(table.name.clone(), batch);
        }
        Ok(small)
    }

    /// Derives everything else: symbol by symbol from the bars, then from what is written.
    async fn derived(
        &mut self,
        raw: RawMarket,
        small: BTreeMap<String, RecordBatch>,
        progress: &dyn Progress,
    ) -> Result<Report, DeriveError> {
        let mut made: BTreeSet<String> = small.keys().cloned().collect();
        made.insert(BARS.to_owned());
        let order = order(self.catalogue, self.market, &made)?;
        let Some(bars) = self.catalogue.table(self.market, BARS).cloned() else {
            return Err(DeriveError::Order { tables: vec![BARS.to_owned()] });
        };
        let RawMarket { sessions, stocks, report, .. } = raw;
        let tables: Vec<Table> = order.by_symbol.iter().map(|table| (*table).clone()).collect();
        let mut writers: Vec<TableWriter> =
            std::iter::once(&bars).chain(&tables).map(|t| self.writer(t)).collect();
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions,
            bars: bars.clone(),
            tables: tables.clone(),
            small,
        };
        symbol_pass::run(pass, stocks, &mut writers, progress).await?;
        for (table, writer) in std::iter::once(&bars).chain(&tables).zip(writers) {
            self.wrote(table, writer)?;
        }
        for table in order.later {
            let pass = LaterPass {
                market: self.market,
                calendar: self.calendar.clone(),
                folder: self.folder.clone(),
                written: self.written.clone(),
                years: self.years.clone(),
            };
            let mut writer = self.writer(table);
            pass.run(table, &mut writer, progress).await?;
            self.wrote(table, writer)?;
        }
        Ok(report)
    }

    fn writer(&self, table: &Table) -> TableWriter {
        TableWriter::new(&self.folder, table, self.market, &self.last_updated)
    }

    fn wrote(&mut self, table: &Table, writer: TableWriter) -> Result<(), DeriveError> {
        let rows = writer.finish().map_err(DeriveError::rows(&table.name))?;
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

//! Runs a work unit over its input files in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tokio::sync::Semaphore;

use super::of_files;
use super::of_stocks::{CARRIED_FOLDER, CHUNK, read_present_columns};
use super::work_unit::{StocksTable, Work, WorkUnit, plan_from_cut};
use crate::bars::Bars;
use crate::error::DeriveError;
use crate::later_pass::LaterPass;
use crate::partition::{PartitionPlan, PartitionSpan, PlannedFile, PlannedPart};
use crate::published::{self, PublishedSet};
use crate::sinks::Sink;
use crate::sources::{self, BARS, SESSIONS};
use crate::symbol_pass::{self, CarriedRows, Output, SymbolPass};
use crate::table_writer::TableWriter;
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::days;
use parquote_raw::{Session, SilentProgress, cores};

/// Runs a unit, which reads files below `from` and writes files below `into`. Both are named by table and part. Returns the paths of the
/// written files with their row counts.
///
/// # Errors
/// A table is unknown to this program, SQL fails, or a file cannot be read or written.
pub async fn run_unit(
    catalogue: &Catalogue,
    unit: &WorkUnit,
    from: &Path,
    into: &Path,
) -> Result<Vec<(PathBuf, u64)>, DeriveError> {
    let market = unit.market;
    let unknown = |name: &str| DeriveError::Order(vec![name.to_owned()]);
    let find = |name: &String| catalogue.table_in_sql(market, name).cloned().ok_or_else(|| unknown(name));
    match &unit.work {
        Work::Files { versions, bounds, .. } => {
            return of_files::parse(catalogue, market, versions, *bounds, from, into);
        }
        Work::Stocks { tables } => {
            let known_tables = tables.iter().map(|table| find(&table.name)).collect::<Result<Vec<_>, _>>()?;
            let bars_table = sources::table(catalogue, market, BARS).ok_or_else(|| unknown(BARS))?;
            let (sessions, calendar) = sessions_of(catalogue, market, from)?;
            let pass = StocksRun { catalogue, from, into, market, calendar, sessions };
            pass.run(bars_table, tables, known_tables).await?;
        }
        Work::Table { name, pages, years, keys, reads, absent } => {
            let table = find(name)?;
            let file = |(year, key): &(Option<i32>, Option<String>)| {
                let planned = match key {
                    Some(_) => PlannedFile::Made(vec![PlannedPart::all(key.clone())]),
                    None => PlannedFile::Reused(0),
                };
                (year.map_or(PartitionSpan::Whole, PartitionSpan::Year), planned)
            };
            let plan = PartitionPlan { files: keys.iter().map(file).collect() };
            let sink = Sink::start(&table, TableWriter::new(into, &table, market, *pages, plan));
            let pass = LaterPass {
                market,
                calendar: sessions_of(catalogue, market, from)?.1,
                folder: from.to_owned(),
                reads: reads.iter().map(find).collect::<Result<_, _>>()?,
                missing_tables: absent.iter().map(find).collect::<Result<_, _>>()?,
                years: years.clone(),
                cores: Arc::new(Semaphore::new(cores())),
                table,
            };
            pass.run(sink).await?;
        }
    }
    list_files_with_rows(into)
}

/// Reads the sessions of a market from their table below a folder.
fn sessions_of(
    catalogue: &Catalogue,
    market: Market,
    folder: &Path,
) -> Result<(Vec<Session>, Calendar), DeriveError> {
    let unknown = || DeriveError::Order(vec![SESSIONS.to_owned()]);
    let table = sources::table(catalogue, market, SESSIONS).ok_or_else(unknown)?;
    let session_rows = PublishedSet::open(folder, market).read_single_file(table).ok_or_else(unknown)??;
    let sessions = published::parse_sessions(&session_rows).map_err(DeriveError::row_error(SESSIONS))?;
    let calendar = Calendar::new(sessions.iter().map(|session| days(session.date)).collect());
    Ok((sessions, calendar))
}

/// The inputs of a unit of stocks.
struct StocksRun<'a> {
    catalogue: &'a Catalogue,
    from: &'a Path,
    into: &'a Path,
    market: Market,
    calendar: Calendar,
    sessions: Vec<Session>,
}

impl StocksRun<'_> {
    async fn run(
        self,
        bars_table: &Table,
        declared: &[StocksTable],
        tables: Vec<Table>,
    ) -> Result<(), DeriveError> {
        let (market, input_tables) = (self.market, PublishedSet::open(self.from, self.market));
        let failed = DeriveError::row_error(&bars_table.name);
        let bars = read_present_columns(&self.from.join(CHUNK), bars_table, market).map_err(failed)?;
        let small = self.catalogue.tables_in(market).filter(|table| !table.yearly);
        let small =
            small.filter_map(|table| Some((table.name.clone(), input_tables.read_single_file(table)?)));
        let small: BTreeMap<String, RecordBatch> =
            small.map(|(name, rows)| Ok((name, rows?))).collect::<Result<_, DeriveError>>()?;
        let mut carried = BTreeMap::new();
        for table in &tables {
            let path = self.from.join(CARRIED_FOLDER).join(format!("{}.parquet", table.name));
            if path.exists() {
                let rows = read_present_columns(&path, table, market)
                    .map_err(DeriveError::row_error(&table.name))?;
                carried.insert(table.name.clone(), CarriedRows::Supplied(rows));
            }
        }
        let output = |(table, declared): (&Table, &StocksTable)| {
            if declared.is_reused {
                return Output::Linked;
            }
            let plan = plan_from_cut(&declared.years);
            let writer = TableWriter::new(self.into, table, market, declared.pages, plan);
            Output::Written(Sink::start(table, writer))
        };
        let mut outputs = vec![Output::Linked];
        outputs.extend(tables.iter().zip(declared).map(output));
        let pass = SymbolPass {
            market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: bars_table.clone(),
            tables,
            small,
            carried,
        };
        symbol_pass::run(pass, Bars::Supplied(bars), &mut outputs, &SilentProgress).await?;
        for output in outputs {
            if let Output::Written(sink) = output {
                sink.finish().await?;
            }
        }
        Ok(())
    }
}

/// Lists the files below a folder with their row counts. Files of years without rows are removed.
fn list_files_with_rows(folder: &Path) -> Result<Vec<(PathBuf, u64)>, DeriveError> {
    let mut files = Vec::new();
    for staged in crate::staged_files::list_staged_files(folder)? {
        let read_error = |source| DeriveError::Write { path: staged.path.clone(), source };
        let Some(([], rows)) = published::read_metadata(&staged.path, []) else {
            return Err(read_error(std::io::Error::other("it is not a Parquet file")));
        };
        if rows > 0 || staged.part.is_none() {
            files.push((staged.path, rows));
        } else {
            fs::remove_file(&staged.path).map_err(read_error)?;
        }
    }
    Ok(files)
}

/// Reads the row groups of a file that begin within a range of rows.
pub(super) fn read_row_groups(
    path: &Path,
    range: &Range<u64>,
) -> datafusion::error::Result<Vec<RecordBatch>> {
    let file = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path)?)?;
    let mut first = 0;
    let begins = file.metadata().row_groups().iter().map(|group| {
        first += group.num_rows() as u64;
        first - group.num_rows() as u64
    });
    let groups = begins.enumerate().filter(|(_, begin)| range.contains(begin)).map(|(at, _)| at).collect();
    Ok(file.with_row_groups(groups).build()?.collect::<Result<Vec<_>, _>>()?)
}

//! Writes a table as Parquet with zstd compression, statistics and a page index. Tables for point lookups have small pages.
//!
//! A table split by year has one file for each calendar year. The years may arrive in any order, but the rows of a year must be sorted.
//! [`super::part_file`] writes files of several parts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Date32Type, SchemaRef};
use datafusion::common::{exec_datafusion_err, exec_err, internal_datafusion_err};
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::metadata::{KeyValue, SortingColumn};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use datafusion::parquet::schema::types::ColumnPath;
use serde::{Deserialize, Serialize};

use super::fingerprint;
use super::limits::ColumnLimits;
use super::part_file::PartFile;
use super::partition::{KEY, PartitionPlan, PartitionSpan, PlannedFile, PlannedPart};
use super::published::file_path;
use parquote_catalogue::operation::{ColumnType, Market, Table, TableOrigin, Unit};
use parquote_engine::row_ranges::{RowRange, concat_ranges};
use parquote_functions::arrow_types::{self, date, declared_columns, written_schema};

/// Name and row count of a written table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Name of the table.
    pub name: String,
    /// Number of its rows.
    pub rows: u64,
}

pub(super) struct TableWriter {
    folder: PathBuf,
    name: String,
    yearly: bool,
    schema: SchemaRef,
    properties: WriterPropertiesBuilder,
    key_values: Vec<KeyValue>,
    plan: PartitionPlan,
    limits: ColumnLimits,
    files: BTreeMap<PartitionSpan, OpenFile>,
}

impl TableWriter {
    /// Creates a writer of files below the folder of a market. Files that the plan reuses are not written.
    pub(super) fn new(
        folder: &Path,
        table: &Table,
        market: Market,
        pages: Pages,
        plan: PartitionPlan,
    ) -> Self {
        Self {
            folder: folder.to_owned(),
            name: table.name.clone(),
            yearly: table.yearly,
            schema: written_schema(table, market),
            properties: properties(table, market, pages),
            key_values: key_values(table, market),
            plan,
            limits: ColumnLimits::for_table(table, market),
            files: BTreeMap::new(),
        }
    }

    /// Writes the next rows. Their columns are matched by name.
    pub(super) fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let declared = batches.iter().map(|batch| declared_columns(batch, &self.schema));
        let limited = declared.map(|batch| self.limits.null_outside_limits(batch?));
        let batches: Vec<RecordBatch> = limited.collect::<Result<_>>()?;
        if !self.yearly {
            return batches.into_iter().try_for_each(|batch| self.append(PartitionSpan::Whole, batch));
        }
        let years = rows_by_year(&batches)?;
        if let [(year, _)] = years.as_slice() {
            return batches.into_iter().try_for_each(|batch| self.append(PartitionSpan::Year(*year), batch));
        }
        let batches: Vec<&RecordBatch> = batches.iter().collect();
        for (year, ranges) in years {
            let span = PartitionSpan::Year(year);
            if self.plan.reused_rows(span).is_none() {
                self.append(span, concat_ranges(&self.schema, &batches, &ranges)?)?;
            }
        }
        Ok(())
    }

    /// Finishes all files. Returns the number of rows, including those of reused files.
    pub(super) fn finish(mut self) -> Result<u64> {
        self.limits.log_dropped_figures();
        if self.files.is_empty() && !self.yearly {
            self.open(PartitionSpan::Whole)?;
        }
        self.open_planned()?;
        let reused_rows = self.plan.files.keys().filter_map(|span| self.plan.reused_rows(*span)).sum::<u64>();
        let made = std::mem::take(&mut self.files).into_values().map(OpenFile::finish);
        Ok(reused_rows + made.sum::<Result<u64>>()?)
    }

    /// Begins the files of planned years without new rows, if the table has rows in other years. Without a file and its key, the next
    /// derivation could not reuse such a year.
    fn open_planned(&mut self) -> Result<()> {
        let is_copied = |file: &PlannedFile| match file {
            PlannedFile::Reused(_) => true,
            PlannedFile::Made(parts) => parts.iter().any(|part| part.stored.is_some()),
        };
        if self.files.is_empty() && !self.plan.files.values().any(is_copied) {
            return Ok(());
        }
        let planned: Vec<PartitionSpan> = self.plan.files.keys().copied().collect();
        let is_unopened =
            |span: &PartitionSpan| self.plan.reused_rows(*span).is_none() && !self.files.contains_key(span);
        let unopened: Vec<PartitionSpan> = planned.into_iter().filter(is_unopened).collect();
        unopened.into_iter().try_for_each(|span| self.open(span))
    }

    fn append(&mut self, span: PartitionSpan, rows: RecordBatch) -> Result<()> {
        if self.plan.reused_rows(span).is_some() {
            return Ok(());
        }
        if !self.files.contains_key(&span) {
            self.open(span)?;
        }
        if let Some(file) = self.files.get(&span) {
            file.write(rows);
        }
        Ok(())
    }

    fn open(&mut self, span: PartitionSpan) -> Result<()> {
        let path = file_path(&self.folder, &self.name, span);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let parts = self.plan.parts(span);
        let properties =
            self.properties.clone().set_key_value_metadata(Some(self.key_values(&parts))).build();
        let schema = Arc::clone(&self.schema);
        let writer = ArrowWriter::try_new(File::create(path)?, Arc::clone(&schema), Some(properties))?;
        self.files.insert(span, OpenFile::start(PartFile::start(writer, schema, parts)?)?);
        Ok(())
    }

    /// Returns the key-value metadata of a file of these parts.
    fn key_values(&self, parts: &[PlannedPart]) -> Vec<KeyValue> {
        let keys: Option<Vec<&str>> = parts.iter().map(|part| part.key.as_deref()).collect();
        let file_key = keys.map(|keys| KeyValue::new(KEY.to_owned(), fingerprint::of_partitions(keys)));
        self.key_values.iter().cloned().chain(file_key).collect()
    }
}

/// A file that a separate thread encodes, so that the years of a market are encoded on all cores.
struct OpenFile {
    rows: SyncSender<RecordBatch>,
    encoding: JoinHandle<Result<u64>>,
}

impl OpenFile {
    fn start(mut file: PartFile) -> Result<Self> {
        /// Maximum number of batches that wait to be encoded.
        const MOST_WAITING_BATCHES: usize = 1;
        let (rows, arriving) = sync_channel::<RecordBatch>(MOST_WAITING_BATCHES);
        let encoding = thread::Builder::new().spawn(move || {
            for batch in arriving {
                file.write(&batch)?;
            }
            file.finish()
        })?;
        Ok(Self { rows, encoding })
    }

    /// Sends rows to the thread. [`OpenFile::finish`] returns the errors of writing them.
    fn write(&self, rows: RecordBatch) {
        let _stopped = self.rows.send(rows);
    }

    /// Waits until all rows are written. Returns their number.
    fn finish(self) -> Result<u64> {
        drop(self.rows);
        self.encoding.join().unwrap_or_else(|_| exec_err!("packing rows ended in a panic"))
    }
}

/// Groups rows by calendar year, ascending. The rows of a year stay in their order.
fn rows_by_year(batches: &[RecordBatch]) -> Result<Vec<(i32, Vec<RowRange>)>> {
    let mut years: BTreeMap<i32, Vec<RowRange>> = BTreeMap::new();
    for (position, batch) in batches.iter().enumerate() {
        let sessions =
            batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
        let missing = || internal_datafusion_err!("a table split by year has a date column `session`");
        for (year, rows) in runs_of_years(sessions.ok_or_else(missing)?.values())? {
            years.entry(year).or_default().push((position, rows));
        }
    }
    Ok(years.into_iter().collect())
}

/// Splits sessions into runs of the same calendar year.
fn runs_of_years(sessions: &[i32]) -> Result<Vec<(i32, Range<usize>)>> {
    let mut runs = Vec::new();
    let mut row = 0;
    while let Some(day) = sessions.get(row) {
        let no_date = || exec_datafusion_err!("{day} days since 1970 are not a date");
        let year = date(*day).ok_or_else(no_date)?.year();
        let first = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(arrow_types::days).ok_or_else(no_date);
        let days = first(year)?..first(year + 1)?;
        let rest = sessions.get(row..).unwrap_or_default();
        let end = row + rest.iter().position(|day| !days.contains(day)).unwrap_or(rest.len());
        runs.push((year, row..end));
        row = end;
    }
    Ok(runs)
}

/// The access pattern of the readers of a file, which decides its page size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pages {
    /// Lookups by key: a page has a few years of one symbol, or a fraction of one session.
    PointLookup,
    /// Sequential scans by derivations: larger pages are cheaper to write and to read.
    Scan,
}

impl Pages {
    const fn rows(self) -> usize {
        match self {
            Self::PointLookup => 1024,
            Self::Scan => 16 * 1024,
        }
    }
}

/// Returns the key-value metadata that all files of a table have.
fn key_values(table: &Table, market: Market) -> Vec<KeyValue> {
    let source = match &table.origin {
        TableOrigin::Source(source) => format!("raw files ({source})"),
        TableOrigin::Derived(_) | TableOrigin::View(_) => format!("queries/{}", table.file),
    };
    let key_values = [
        ("parquote.source", Some(source)),
        ("parquote.schedule", table.schedule_in(market).map(str::to_owned)),
        ("parquote.formula", table.formula.clone()),
    ];
    key_values
        .into_iter()
        .filter_map(|(key, value)| Some(KeyValue::new(key.to_owned(), Some(value?))))
        .collect()
}

fn properties(table: &Table, market: Market, pages: Pages) -> WriterPropertiesBuilder {
    let columns: Vec<_> = table.columns_in(market).collect();
    let position = |name: &String| columns.iter().position(|column| column.name == *name);
    let sorting = table.sorted.iter().filter_map(position).map(|at| SortingColumn {
        column_idx: at as i32,
        descending: false,
        nulls_first: false,
    });
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("parquote ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(pages.rows())
        .set_write_batch_size(pages.rows())
        .set_sorting_columns(Some(sorting.collect()));
    for column in columns.iter().filter(|column| matches!(column.ty, ColumnType::Number | ColumnType::Int)) {
        let path = ColumnPath::from(column.name.as_str());
        // Figures rarely repeat, so a dictionary needs more space than it saves, and a reader of one symbol would have to decode the whole
        // dictionary.
        builder = builder.set_column_dictionary_enabled(path.clone(), false);
        if pages == Pages::Scan && column.ty == ColumnType::Number {
            // Averages use all bits of the mantissa, so byte-stream split encodes them smaller and faster. It does not help prices with two
            // decimals.
            builder = builder.set_column_encoding(path.clone(), Encoding::BYTE_STREAM_SPLIT);
            if matches!(column.unit, Unit::Pct | Unit::Ratio | Unit::Score) {
                // The low bits of quotients are random. Compression saves only a tenth of their size and takes more time than all other
                // steps.
                builder = builder.set_column_compression(path, Compression::UNCOMPRESSED);
            }
        }
    }
    for name in &table.sorted {
        // Only sort columns have page statistics, as readers select pages only by these columns.
        builder =
            builder.set_column_statistics_enabled(ColumnPath::from(name.as_str()), EnabledStatistics::Page);
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_parted_at_new_year() {
        // 19,722 is the last day of 2023: 54 x 365 days and 13 leap days after 1 January 1970, less one.
        let runs = runs_of_years(&[19_721, 19_722, 19_723, 19_722, 20_088, 20_089]).unwrap();
        assert_eq!(runs, [(2023, 0..2), (2024, 2..3), (2023, 3..4), (2024, 4..5), (2025, 5..6)]);
        assert!(runs_of_years(&[]).unwrap().is_empty());
        assert!(runs_of_years(&[i32::MAX]).is_err(), "a day that is no date");
    }
}

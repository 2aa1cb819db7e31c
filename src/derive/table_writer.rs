//! Writes a table as Parquet by its declaration: zstd, statistics, page index, small pages where rows are sought by key.
//!
//! A table split by year is one file a calendar year; rows may come in any order of years, but in order within each.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Date32Type, SchemaRef};
use datafusion::common::{exec_err, internal_datafusion_err};
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::metadata::{KeyValue, SortingColumn};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use datafusion::parquet::schema::types::ColumnPath;

use super::patch::{self, Patch};
use super::raw::map_in_order;
use super::stamps;
use super::symbol_rows::of_symbols;
use super::year_plan::{ONE_FILE, RULES, STAMP, Stamps, YearPlan};
use crate::engine::arrow_types::{self, conform, date, table_schema};
use crate::engine::row_ranges::{RowRange, rows_in};
use crate::operation::{ColumnType, Market, Table, TableOrigin, Unit};

/// A written table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
}

/// Writes the rows of one table.
pub(super) struct TableWriter {
    folder: PathBuf,
    name: String,
    yearly: bool,
    schema: SchemaRef,
    properties: WriterPropertiesBuilder,
    notes: Vec<KeyValue>,
    plan: YearPlan,
    /// The rows of changed symbols for the years that are patched.
    coming: BTreeMap<i32, Vec<RecordBatch>>,
    /// The open file of each year, or the one file.
    files: BTreeMap<i32, OpenFile>,
    rows: u64,
}

impl TableWriter {
    /// A writer below a market's folder; the years that stay by the plan are left alone.
    pub(super) fn new(folder: &Path, table: &Table, market: Market, pages: Pages, plan: YearPlan) -> Self {
        Self {
            folder: folder.to_owned(),
            name: table.name.clone(),
            yearly: table.yearly,
            schema: table_schema(table, market),
            properties: properties(table, market, pages),
            notes: notes(table, market),
            coming: BTreeMap::new(),
            files: BTreeMap::new(),
            rows: plan.kept.values().sum(),
            plan,
        }
    }

    /// Writes rows whose columns are found by name.
    pub(super) fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let batches: Vec<RecordBatch> =
            batches.iter().map(|batch| conform(batch, &self.schema)).collect::<Result<_>>()?;
        if !self.yearly {
            let is_patched = self.plan.patched.contains_key(&ONE_FILE);
            return batches.into_iter().try_for_each(|batch| {
                if is_patched { self.replace(ONE_FILE, &batch) } else { self.append(ONE_FILE, batch) }
            });
        }
        let mut years = rows_by_year(&batches)?;
        if let [(year, _)] = years.as_slice()
            && !self.plan.stands(*year)
        {
            return batches.into_iter().try_for_each(|batch| self.append(*year, batch));
        }
        years.retain(|(year, _)| !self.plan.kept.contains_key(year));
        let batches: Vec<&RecordBatch> = batches.iter().collect();
        for (year, stretches) in years {
            let rows = rows_in(&self.schema, &batches, &stretches)?;
            if self.plan.patched.contains_key(&year) {
                self.replace(year, &rows)?;
            } else {
                self.append(year, rows)?;
            }
        }
        Ok(())
    }

    /// Keeps the rows of changed symbols for the patch of a year.
    fn replace(&mut self, year: i32, rows: &RecordBatch) -> Result<()> {
        let rows = of_symbols(rows, |symbol| self.plan.changed.contains(symbol))?;
        self.coming.entry(year).or_default().extend((rows.num_rows() > 0).then_some(rows));
        Ok(())
    }

    /// Writes the files of the years of which the rows of the changed symbols are replaced; how many rows they have.
    fn patches(&mut self) -> Result<u64> {
        let mut patches = Vec::new();
        for (year, old) in std::mem::take(&mut self.plan.patched) {
            let rows = self.coming.remove(&year).unwrap_or_default();
            patches.push((old, self.open(year)?, concat_batches(&self.schema, &rows)?));
        }
        let rows = map_in_order(patches, |(old, writer, rows)| {
            let patch = Patch { symbols: &self.plan.changed, rows: &rows };
            patch::patched(&old, writer, &patch)
        });
        rows.into_iter().sum()
    }

    /// Finishes every file; the number of rows is returned.
    pub(super) fn finish(mut self) -> Result<u64> {
        if self.files.is_empty() && self.plan.patched.is_empty() && !self.yearly {
            self.append(ONE_FILE, RecordBatch::new_empty(Arc::clone(&self.schema)))?;
        }
        self.note_empty_years()?;
        for file in std::mem::take(&mut self.files).into_values() {
            file.finish()?;
        }
        Ok(self.rows + self.patches()?)
    }

    /// Writes a file without rows for each year that turned out to have none, in a table that has rows in others: without the
    /// notes in it the next derivation could not know that the year stands, and would make every year after it again.
    fn note_empty_years(&mut self) -> Result<()> {
        if !self.yearly
            || (self.files.is_empty() && self.plan.kept.is_empty() && self.plan.patched.is_empty())
        {
            return Ok(());
        }
        let has_file = |year: &i32| self.files.contains_key(year) || self.plan.stands(*year);
        let empty: Vec<i32> = self.plan.stamps.whole.keys().copied().filter(|year| !has_file(year)).collect();
        let none = RecordBatch::new_empty(Arc::clone(&self.schema));
        empty.into_iter().try_for_each(|year| self.append(year, none.clone()))
    }

    fn append(&mut self, year: i32, rows: RecordBatch) -> Result<()> {
        self.rows += rows.num_rows() as u64;
        if let Some(open) = self.files.get(&year) {
            open.write(rows);
            return Ok(());
        }
        let file = OpenFile::start(self.open(year)?)?;
        file.write(rows);
        self.files.insert(year, file);
        Ok(())
    }

    /// Begins the file of a year, or that of a table in one file.
    fn open(&self, year: i32) -> Result<ArrowWriter<File>> {
        let path = if self.yearly {
            let folder = self.folder.join(&self.name);
            fs::create_dir_all(&folder)?;
            folder.join(format!("{year}.parquet"))
        } else {
            self.folder.join(format!("{}.parquet", self.name))
        };
        let properties = self.properties.clone().set_key_value_metadata(Some(self.notes(year))).build();
        Ok(ArrowWriter::try_new(File::create(path)?, Arc::clone(&self.schema), Some(properties))?)
    }

    /// What the file of a year notes.
    fn notes(&self, year: i32) -> Vec<KeyValue> {
        let Stamps { whole, rules } = &self.plan.stamps;
        let stamps = if self.yearly {
            [(STAMP, whole.get(&year).cloned()), (RULES, rules.get(&year).cloned())]
        } else {
            let rules = Some(stamps::text(rules)).filter(|text| !text.is_empty());
            [(STAMP, whole.get(&ONE_FILE).cloned()), (RULES, rules)]
        };
        let notes =
            stamps.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key.to_owned(), Some(value?))));
        self.notes.iter().cloned().chain(notes).collect()
    }
}

/// A file that is being packed, by a thread of its own: the years of a market are packed on all cores.
struct OpenFile {
    rows: SyncSender<RecordBatch>,
    packing: JoinHandle<Result<()>>,
}

impl OpenFile {
    fn start(mut writer: ArrowWriter<File>) -> Result<Self> {
        /// Batches that wait to be packed.
        const WAITING: usize = 1;
        let (rows, arriving) = sync_channel::<RecordBatch>(WAITING);
        let packing = thread::Builder::new().spawn(move || {
            for batch in arriving {
                writer.write(&batch)?;
            }
            writer.close()?;
            Ok(())
        })?;
        Ok(Self { rows, packing })
    }

    /// Hands rows over; what went wrong with earlier ones is told by [`OpenFile::finish`].
    fn write(&self, rows: RecordBatch) {
        let _stopped = self.rows.send(rows);
    }

    /// Waits until all is written.
    fn finish(self) -> Result<()> {
        drop(self.rows);
        self.packing.join().unwrap_or_else(|_| exec_err!("packing rows ended in a panic"))
    }
}

/// The rows of each calendar year, years ascending, rows in their order.
fn rows_by_year(batches: &[RecordBatch]) -> Result<Vec<(i32, Vec<RowRange>)>> {
    let mut years: BTreeMap<i32, Vec<RowRange>> = BTreeMap::new();
    for (place, batch) in batches.iter().enumerate() {
        let sessions =
            batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
        let missing = || internal_datafusion_err!("a table split by year has a date column `session`");
        for (year, rows) in runs_of_years(sessions.ok_or_else(missing)?.values()) {
            years.entry(year).or_default().push((place, rows));
        }
    }
    Ok(years.into_iter().collect())
}

/// The calendar year of each run of neighbours that have one in common.
fn runs_of_years(sessions: &[i32]) -> Vec<(i32, Range<usize>)> {
    let mut runs = Vec::new();
    let mut row = 0;
    while let Some(day) = sessions.get(row) {
        let year = date(*day).map_or(0, |date| date.year());
        let first = |year| NaiveDate::from_ymd_opt(year, 1, 1).map_or(*day, arrow_types::days);
        let days = first(year)..first(year + 1).max(*day + 1);
        let rest = sessions.get(row..).unwrap_or_default();
        let end = row + rest.iter().position(|day| !days.contains(day)).unwrap_or(rest.len());
        runs.push((year, row..end));
        row = end;
    }
    runs
}

/// How a file is read, which decides how large its pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    /// By key: a page holds a few years of one symbol, or a fraction of one session.
    Sought,
    /// In stretches, by derivation alone: larger pages cost less to make and to read.
    Streamed,
}

impl Pages {
    const fn rows(self) -> usize {
        match self {
            Self::Sought => 1024,
            Self::Streamed => 16 * 1024,
        }
    }

    /// Rows of a row group: what has to be packed again where a symbol's rows are replaced, and what a reader opens.
    const fn group_rows(self) -> usize {
        match self {
            Self::Sought => 128 * 1024,
            Self::Streamed => 32 * 1024,
        }
    }
}

/// What every file of a table notes.
fn notes(table: &Table, market: Market) -> Vec<KeyValue> {
    let source = match &table.origin {
        TableOrigin::Source(source) => format!("raw files ({source})"),
        TableOrigin::Derived(_) | TableOrigin::View(_) => format!("queries/{}", table.file),
    };
    let notes = [
        ("parquote.source", Some(source)),
        ("parquote.schedule", table.schedule_in(market).map(str::to_owned)),
        ("parquote.formula", table.formula.clone()),
    ];
    notes.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key.to_owned(), Some(value?)))).collect()
}

fn properties(table: &Table, market: Market, pages: Pages) -> WriterPropertiesBuilder {
    let columns: Vec<_> = table.columns_in(market).collect();
    let place = |name: &String| columns.iter().position(|column| column.name == *name);
    let sorting = table.sorted.iter().filter_map(place).map(|at| SortingColumn {
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
        .set_max_row_group_row_count(Some(pages.group_rows()))
        .set_sorting_columns(Some(sorting.collect()));
    for column in columns.iter().filter(|column| matches!(column.ty, ColumnType::Number | ColumnType::Int)) {
        let path = ColumnPath::from(column.name.as_str());
        // Figures hardly repeat, so a dictionary costs more than it saves, and a reader of one symbol would unpack it whole.
        builder = builder.set_column_dictionary_enabled(path.clone(), false);
        if pages == Pages::Streamed && column.ty == ColumnType::Number {
            // Averages have digits to the last bit: byte by byte they pack better and faster. Prices of two decimals do not.
            builder = builder.set_column_encoding(path.clone(), Encoding::BYTE_STREAM_SPLIT);
            if matches!(column.unit, Unit::Pct | Unit::Ratio | Unit::Score) {
                // Quotients are random to the last bit: packing them spares a tenth and takes longer than all else here.
                builder = builder.set_column_compression(path, Compression::UNCOMPRESSED);
            }
        }
    }
    for name in &table.sorted {
        // Pages are sought by the columns of the order alone.
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
        let runs = runs_of_years(&[19_721, 19_722, 19_723, 19_722, 20_088, 20_089]);
        assert_eq!(runs, [(2023, 0..2), (2024, 2..3), (2023, 3..4), (2024, 4..5), (2025, 5..6)]);
        assert!(runs_of_years(&[]).is_empty());
    }
}

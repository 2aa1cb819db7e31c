//! Reads a long table by runs of neighbouring symbols, as the derivation reads published bars.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::error::Result;

use super::load::load;
use super::long_file::LongFile;
use super::row_ranges::{RowRange, concat_ranges};
use super::served_table::TableRows;
use crate::error::EngineError;
use crate::problem::Problem;
use parquote_catalogue::operation::{Market, Table};
use parquote_set::StoredFile;

/// A long table whose files are sorted by symbol and session, one per calendar year.
#[derive(Debug)]
pub struct LongTable {
    schema: SchemaRef,
    files: Vec<Arc<LongFile>>,
}

impl LongTable {
    /// Opens the files of a long table.
    ///
    /// # Errors
    /// Files that break the table's contract.
    pub fn open(
        declared: &Table,
        market: Market,
        files: &[PathBuf],
    ) -> std::result::Result<Self, EngineError> {
        let files: Vec<StoredFile> = files.iter().map(StoredFile::plain).collect();
        let loaded = load(declared, market, &files, |_| None).map_err(EngineError::Contract)?;
        let schema = Arc::clone(&loaded.schema);
        match &loaded.rows {
            TableRows::Files(files) => Ok(Self { schema, files: files.clone() }),
            TableRows::Memory(..) => Err(EngineError::Contract(vec![Problem::new(
                declared,
                market,
                "it is not split by year".to_owned(),
            )])),
        }
    }

    /// Returns every symbol with its number of rows, ascending.
    pub fn symbols(&self) -> Vec<(String, usize)> {
        let mut symbols: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &self.files {
            for symbol in file.index.texts() {
                *symbols.entry(symbol).or_default() += file.index.range(&ScalarValue::from(symbol)).len();
            }
        }
        symbols.into_iter().map(|(symbol, rows)| (symbol.to_owned(), rows)).collect()
    }

    /// Returns the rows of neighbouring symbols, sorted by symbol and session, with the columns for which `includes_column` is true.
    pub fn rows(&self, symbols: &[String], includes_column: impl Fn(&str) -> bool) -> Result<RecordBatch> {
        let stretches = self.read_stretches(symbols, includes_column)?;
        // Files are in the order of years, so a symbol's rows continue from file to file.
        let files = || stretches.files.iter().enumerate();
        let ranges_of_symbol = |at: usize| files().map(move |(file, stretch)| (file, stretch.rows_of(at)));
        let ranges = (0..symbols.len()).flat_map(ranges_of_symbol).filter(|(_, rows)| !rows.is_empty());
        stretches.read_ranges(&ranges.collect::<Vec<_>>())
    }

    /// Returns the last row of each of these neighbouring symbols that has rows, sorted by symbol, with the columns for which
    /// `includes_column` is true.
    pub fn last_rows(
        &self,
        symbols: &[String],
        includes_column: impl Fn(&str) -> bool,
    ) -> Result<RecordBatch> {
        let stretches = self.read_stretches(symbols, includes_column)?;
        let last = |at: usize| {
            let mut files = stretches.files.iter().enumerate().rev();
            files.find_map(|(file, stretch)| Some((file, stretch.rows_of(at).last()?)))
        };
        let rows = (0..symbols.len()).filter_map(last).map(|(file, row)| (file, row..row + 1));
        stretches.read_ranges(&rows.collect::<Vec<_>>())
    }

    /// Reads, from each file that has rows of these symbols, the rows from the first symbol to the last.
    fn read_stretches(
        &self,
        symbols: &[String],
        includes_column: impl Fn(&str) -> bool,
    ) -> Result<Stretches> {
        let fields = self.schema.fields().iter().enumerate();
        let columns: Vec<usize> =
            fields.filter(|(_, field)| includes_column(field.name())).map(|(column, _)| column).collect();
        let schema = Arc::new(self.schema.project(&columns)?);
        let mut files = Vec::new();
        for file in &self.files {
            let ranges: Vec<_> =
                symbols.iter().map(|symbol| file.index.range(&ScalarValue::from(symbol.as_str()))).collect();
            let present = || ranges.iter().filter(|range| !range.is_empty());
            let (Some(first), Some(end)) =
                (present().map(|range| range.start).min(), present().map(|range| range.end).max())
            else {
                continue;
            };
            let batches = file.read(first..end, &columns)?.collect::<Result<Vec<_>>>()?;
            files.push(Stretch { rows: concat_batches(&schema, &batches)?, first, ranges });
        }
        Ok(Stretches { schema, files })
    }
}

/// Consecutive rows of each file.
struct Stretches {
    schema: SchemaRef,
    files: Vec<Stretch>,
}

/// Consecutive rows of one file.
struct Stretch {
    rows: RecordBatch,
    /// Position of the first row in the file.
    first: usize,
    /// Positions of each symbol's rows in the file.
    ranges: Vec<Range<usize>>,
}

impl Stretch {
    /// Returns the rows of a symbol, by its position among the symbols.
    fn rows_of(&self, symbol: usize) -> Range<usize> {
        let range = self.ranges.get(symbol).filter(|range| !range.is_empty()).cloned().unwrap_or_default();
        range.start.saturating_sub(self.first)..range.end.saturating_sub(self.first)
    }
}

impl Stretches {
    fn read_ranges(&self, ranges: &[RowRange]) -> Result<RecordBatch> {
        let batches: Vec<&RecordBatch> = self.files.iter().map(|stretch| &stretch.rows).collect();
        if batches.is_empty() {
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        concat_ranges(&self.schema, &batches, ranges)
    }
}

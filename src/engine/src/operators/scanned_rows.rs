//! Output of a scan of a served table: all rows of an in-memory table at once, or the rows of files, file by file, forwards or backwards.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::take_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;

use crate::storage::long_file::{LongFile, LongRows};
use crate::storage::served_table::ServedTable;

/// Rows that a scan still has to yield.
pub(crate) enum RemainingRows {
    /// All rows, in one batch; `None` after it was returned.
    Memory(Option<RecordBatch>),
    /// Rows of files.
    Files {
        table: Arc<ServedTable>,
        /// The parts that are not read yet; the last is read first.
        parts: Vec<ScannedFile>,
        /// The part that is being read; `None` between two parts.
        current: Option<LongRows>,
        /// The positions of the projected columns, and their schema.
        columns: (Vec<usize>, SchemaRef),
    },
}

/// Rows of one file that a scan yields.
pub(crate) struct ScannedFile {
    /// Position of the file in the table.
    pub position: usize,
    pub file: Arc<LongFile>,
    /// Ranges of row numbers in the file, ascending.
    pub ranges: Vec<Range<usize>>,
    /// The rows of the key that contain the single range; `None` if rows are read without the cache.
    pub key_range: Option<Range<usize>>,
}

impl RemainingRows {
    /// Returns the next batch, forwards or backwards; `None` at the end.
    pub(crate) fn next(&mut self, backwards: bool) -> Option<Result<RecordBatch>> {
        match self {
            Self::Memory(batch) => batch.take().map(|batch| in_scan_order(&batch, backwards)),
            Self::Files { table, parts, current, columns: (projection, schema) } => loop {
                if let Some(rows) = current {
                    // A range read backwards is at most one key's rows of one year: it is reversed as a whole.
                    let next = if backwards { rows.read_remaining().transpose() } else { rows.next() };
                    match next {
                        Some(batch) => return Some(batch.and_then(|batch| in_scan_order(&batch, backwards))),
                        None => *current = None,
                    }
                }
                let ScannedFile { position, file, ranges, key_range } = parts.pop()?;
                if let (Some(key_range), [range]) = (key_range, ranges.as_slice()) {
                    let cached = table.column_cache.rows((position, &file), &key_range, (projection, schema));
                    let rows = cached.map(|rows| rows.slice(range.start - key_range.start, range.len()));
                    return Some(rows.and_then(|rows| in_scan_order(&rows, backwards)));
                }
                match file.read_ranges(&ranges, projection) {
                    Ok(rows) => *current = Some(rows),
                    Err(error) => return Some(Err(error)),
                }
            },
        }
    }
}

fn in_scan_order(batch: &RecordBatch, backwards: bool) -> Result<RecordBatch> {
    if !backwards || batch.num_rows() < 2 {
        return Ok(batch.clone());
    }
    let order = UInt32Array::from_iter_values((0..batch.num_rows() as u32).rev());
    Ok(take_record_batch(batch, &order)?)
}

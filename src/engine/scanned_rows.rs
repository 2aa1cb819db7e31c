//! The rows of a scan of a served table on their way out: those of a table in memory at once, those of files file by file, forwards or
//! backwards.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::take_record_batch;
use datafusion::error::Result;

use super::long_file::{LongFile, LongRows};

/// Rows of a scan on their way out.
pub(super) enum Scanned {
    Memory(Option<RecordBatch>),
    Files {
        parts: Vec<(Arc<LongFile>, Vec<Range<usize>>)>,
        current: Option<LongRows>,
        projection: Vec<usize>,
    },
}

impl Scanned {
    /// The next of them, as they lie or backwards.
    pub(super) fn next(&mut self, backwards: bool) -> Option<Result<RecordBatch>> {
        match self {
            Self::Memory(batch) => batch.take().map(|batch| turned(&batch, backwards)),
            Self::Files { parts, current, projection } => loop {
                if let Some(rows) = current {
                    // A range read backwards is one key's rows of one year, or less: it is turned as a whole.
                    let next = if backwards { rows.whole().transpose() } else { rows.next() };
                    match next {
                        Some(batch) => return Some(batch.and_then(|batch| turned(&batch, backwards))),
                        None => *current = None,
                    }
                }
                let (file, rows) = parts.pop()?;
                match file.read_ranges(&rows, projection) {
                    Ok(rows) => *current = Some(rows),
                    Err(error) => return Some(Err(error)),
                }
            },
        }
    }
}

fn turned(batch: &RecordBatch, backwards: bool) -> Result<RecordBatch> {
    if !backwards || batch.num_rows() < 2 {
        return Ok(batch.clone());
    }
    let order = UInt32Array::from_iter_values((0..batch.num_rows() as u32).rev());
    Ok(take_record_batch(batch, &order)?)
}

//! Copies ranges of rows into new batches, range by range instead of row by row.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, MutableArrayData, RecordBatch, RecordBatchOptions, make_array,
};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;

/// The position of a batch and a range of its rows.
pub type RowRange = (usize, Range<usize>);

/// Concatenates the rows of these ranges.
///
/// All batches must have the schema's columns. Ranges beyond the end of their batch panic in the library that copies them, so callers
/// derive them from the rows.
pub fn concat_ranges(
    schema: &SchemaRef,
    batches: &[&RecordBatch],
    ranges: &[RowRange],
) -> Result<RecordBatch> {
    let rows = ranges.iter().map(|(_, rows)| rows.len()).sum();
    let columns = (0..schema.fields().len()).map(|at| {
        let sources: Vec<_> =
            batches.iter().map(|batch| drop_unused_buffers(batch.column(at)).to_data()).collect();
        let mut column = MutableArrayData::new(sources.iter().collect(), false, rows);
        for (source, rows) in ranges {
            column.try_extend(*source, rows.start, rows.end)?;
        }
        Ok(make_array(column.freeze()))
    });
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_>>()?, &options)?)
}

/// Drops the buffers that a column's texts do not use: each copied range would retain all of them.
fn drop_unused_buffers(column: &ArrayRef) -> ArrayRef {
    match column.as_string_view_opt() {
        Some(texts) if !texts.data_buffers().is_empty() => Arc::new(texts.gc()),
        _ => Arc::clone(column),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{BooleanArray, Float64Array, StringViewArray};
    use datafusion::arrow::compute::interleave_record_batch;

    use super::*;

    fn batch(figures: Vec<Option<f64>>) -> RecordBatch {
        let flags: BooleanArray = figures.iter().map(|figure| figure.map(|figure| figure > 2.0)).collect();
        let texts: StringViewArray = figures
            .iter()
            .map(|figure| figure.map(|figure| format!("a text of {figure} that is long")))
            .collect();
        let figures: ArrayRef = Arc::new(Float64Array::from(figures));
        RecordBatch::try_from_iter_with_nullable([
            ("figure", figures, true),
            ("flag", Arc::new(flags) as _, true),
            ("text", Arc::new(texts) as _, true),
        ])
        .unwrap()
    }

    #[test]
    fn stretches_give_the_rows_that_they_name() {
        let (one, other) =
            (batch(vec![Some(1.0), None, Some(3.0), Some(4.0)]), batch(vec![Some(5.0), Some(6.0)]));
        let ranges = [(1, 1..2), (0, 1..4), (0, 0..0), (1, 0..1), (0, 0..1)];
        let rows = concat_ranges(&one.schema(), &[&one, &other], &ranges).unwrap();
        let indices = [(1, 1), (0, 1), (0, 2), (0, 3), (1, 0), (0, 0)];
        assert_eq!(rows, interleave_record_batch(&[&one, &other], &indices).unwrap());
        assert_eq!(concat_ranges(&one.schema(), &[&one], &[]).unwrap().num_rows(), 0);
    }
}

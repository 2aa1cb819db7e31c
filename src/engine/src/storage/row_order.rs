//! Finds the first row that is not greater than the row before it.
//!
//! At the start of a server, all key columns of long tables are checked. So rows are compared column by column: texts of one key mostly
//! have equal views.

use std::cmp::Ordering;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, DynComparator, RecordBatch, StringViewArray, make_comparator,
};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Date32Type};
use datafusion::error::Result;

/// Returns the first row that is not greater than the row before it.
pub(crate) fn first_disorder(before: Option<&RecordBatch>, batch: &RecordBatch) -> Result<Option<usize>> {
    let comparators = |left: &RecordBatch| -> Result<Vec<DynComparator>> {
        let pairs = left.columns().iter().zip(batch.columns());
        pairs.map(|(left, right)| Ok(make_comparator(left, right, SortOptions::default())?)).collect()
    };
    let rising = |comparators: &[DynComparator], left: usize, right: usize| {
        comparators
            .iter()
            .map(|compare| compare(left, right))
            .find(|order| order.is_ne())
            .is_some_and(Ordering::is_lt)
    };
    if let Some(before) = before
        && !rising(&comparators(before)?, before.num_rows() - 1, 0)
    {
        return Ok(Some(0));
    }
    // Column by column, over the rows that equal the row before them in all earlier columns.
    let mut equal_rows: Option<Vec<usize>> = None;
    let mut first = None;
    for column in batch.columns() {
        let first_decrease = retain_equal_rows(&mut equal_rows, column)?;
        first = [first, first_decrease].into_iter().flatten().min();
    }
    let repeated = equal_rows.and_then(|equal_rows| equal_rows.first().copied());
    Ok([first, repeated].into_iter().flatten().min())
}

/// Retains the rows, initially all, whose value in a column equals the value of the row before; returns the first row with a lesser value.
fn retain_equal_rows(equal_rows: &mut Option<Vec<usize>>, column: &ArrayRef) -> Result<Option<usize>> {
    let rows = column.len();
    Ok(match column.data_type() {
        DataType::Utf8View if column.null_count() == 0 => {
            /// Most bytes of a text that is inlined in its view; equal views of such texts have equal text.
            const INLINE: u32 = 12;
            let texts = column.as_string_view();
            let view = |row: usize| texts.views().get(row).copied().unwrap_or_default();
            let key = StringViewArray::inline_key_fast;
            retain_by_comparison(equal_rows, rows, |row| match (view(row - 1), view(row)) {
                (before, view) if before == view => Ordering::Equal,
                (before, view) if (before as u32).max(view as u32) <= INLINE => key(before).cmp(&key(view)),
                _ => texts.value(row - 1).cmp(texts.value(row)),
            })
        }
        DataType::Date32 if column.null_count() == 0 => {
            let days = column.as_primitive::<Date32Type>().values();
            retain_by_comparison(equal_rows, rows, |row| days.get(row - 1).cmp(&days.get(row)))
        }
        _ => {
            let compare = make_comparator(column, column, SortOptions::default())?;
            retain_by_comparison(equal_rows, rows, |row| compare(row - 1, row))
        }
    })
}

/// Retains the rows that equal the previous row, and returns the first row that is less than it. The column has `rows` rows, and `order`
/// compares the row before a row with that row.
fn retain_by_comparison(
    equal_rows: &mut Option<Vec<usize>>,
    rows: usize,
    order: impl Fn(usize) -> Ordering,
) -> Option<usize> {
    let mut first_decrease = None;
    let mut is_same = |row: &usize| {
        let order = order(*row);
        if order.is_gt() && first_decrease.is_none() {
            first_decrease = Some(*row);
        }
        order.is_eq()
    };
    match equal_rows {
        Some(equal_rows) => equal_rows.retain(is_same),
        None => *equal_rows = Some((1..rows).filter(&mut is_same).collect()),
    }
    first_decrease
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Date32Array, Float64Array};

    use super::*;

    fn batch(texts: &[&str], days: &[Option<i32>]) -> RecordBatch {
        let texts: ArrayRef = Arc::new(StringViewArray::from_iter_values(texts));
        let days: ArrayRef = Arc::new(Date32Array::from(days.to_vec()));
        RecordBatch::try_from_iter_with_nullable([("text", texts, false), ("day", days, true)]).unwrap()
    }

    #[test]
    fn the_first_row_that_is_not_above_the_one_before_is_found() {
        let at = |texts: &[&str], days: &[i32]| {
            let days: Vec<_> = days.iter().copied().map(Some).collect();
            first_disorder(None, &batch(texts, &days)).unwrap()
        };
        let long = "a text that does not stand in its view";
        let longer = "a text that does not stand in its view, being longer";
        assert_eq!(at(&["A", "A", "AB", "B", long, longer], &[1, 2, 1, 1, 1, 1]), None);
        assert_eq!(at(&["A", "A", "B"], &[1, 1, 2]), Some(1), "a row that is repeated");
        assert_eq!(at(&["A", "A", "B", "B"], &[2, 1, 2, 2]), Some(1));
        assert_eq!(
            at(&["B", "B", "A", "A"], &[1, 2, 3, 3]),
            Some(2),
            "a day does not matter where the text falls"
        );
        assert_eq!(at(&["A", longer, long], &[1, 1, 2]), Some(2));
        assert_eq!(at(&[long, long, long], &[1, 2, 2]), Some(2));
        assert_eq!(at(&["\u{e9}t\u{e9}", "z"], &[1, 2]), Some(1), "by bytes");
        assert_eq!((at(&[], &[]), at(&["A"], &[1])), (None, None));
    }

    #[test]
    fn batches_and_nulls_have_an_order_too() {
        let first = batch(&["A", "B"], &[Some(1), Some(1)]);
        let next = |text, day| first_disorder(Some(&first), &batch(&[text], &[day])).unwrap();
        assert_eq!([next("B", Some(2)), next("B", Some(1)), next("A", Some(9))], [None, Some(0), Some(0)]);
        // A null comes before any day.
        let days = [None, Some(1), None];
        assert_eq!(first_disorder(None, &batch(&["A", "A", "A"], &days)).unwrap(), Some(2));
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 1.5]));
        let numbers = RecordBatch::try_from_iter([("number", numbers)]).unwrap();
        assert_eq!(first_disorder(None, &numbers).unwrap(), Some(2));
    }
}

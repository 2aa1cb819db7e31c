//! A pattern of bars as a row of SQL: the columns of its input and of its result. The code that finds patterns is in `vcp`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray, StructArray};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::error::Result;

/// A volatility contraction pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    /// Depths of the contractions in percent of their highs, oldest first.
    pub(super) depths: Vec<f64>,
    /// The high of the last contraction.
    pub(super) pivot: f64,
}

/// Columns of bars, in the order of the window; NaN for a missing figure.
pub(super) struct PatternBars<'a> {
    pub(super) high: &'a [f64],
    pub(super) low: &'a [f64],
    pub(super) volume: &'a [f64],
    /// True for the bars at which the pattern is searched.
    pub(super) wanted: &'a [bool],
}

fn pattern_fields() -> Fields {
    let field = |name, ty| Field::new(name, ty, true);
    Fields::from(vec![
        field("contractions", DataType::Int64),
        field("depths", DataType::Utf8),
        field("last_depth", DataType::Float64),
        field("pivot", DataType::Float64),
    ])
}

pub(super) fn row_type() -> DataType {
    DataType::Struct(pattern_fields())
}

/// Converts patterns to rows; `depths` is a text like `21.4, 9.8, 4.1`.
pub(super) fn pattern_rows(patterns: &[Option<Pattern>]) -> Result<ArrayRef> {
    let each = || patterns.iter().map(Option::as_ref);
    let text = |pattern: &Pattern| {
        pattern.depths.iter().map(|depth| format!("{depth:.1}")).collect::<Vec<_>>().join(", ")
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(each().map(|pattern| pattern.map(|p| p.depths.len() as i64)).collect::<Int64Array>()),
        Arc::new(each().map(|pattern| pattern.map(text)).collect::<StringArray>()),
        Arc::new(
            each().map(|pattern| pattern.and_then(|p| p.depths.last().copied())).collect::<Float64Array>(),
        ),
        Arc::new(each().map(|pattern| pattern.map(|p| p.pivot)).collect::<Float64Array>()),
    ];
    let present: Vec<bool> = patterns.iter().map(Option::is_some).collect();
    Ok(Arc::new(StructArray::try_new(pattern_fields(), columns, Some(NullBuffer::from(present)))?))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Array as _;

    use super::*;

    #[test]
    fn rows_have_a_text_of_depths_and_are_null_without_a_pattern() {
        let rows = pattern_rows(&[None, Some(Pattern { depths: vec![21.44, 4.06], pivot: 10.5 })]).unwrap();
        assert_eq!((rows.null_count(), rows.is_null(0)), (1, true));
        let rows = rows.as_any().downcast_ref::<StructArray>().unwrap();
        assert_eq!(rows.column(1).as_any().downcast_ref::<StringArray>().unwrap().value(1), "21.4, 4.1");
    }
}

//! Groups of stocks by sector or industry: medians of figures, and the first stocks of each group.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::error::Result;

use super::screen_table::{ScreenTable, median_of};
use parquote_engine::EngineError;
use parquote_language::Direction;

impl ScreenTable {
    /// Adds a column for each median, given as (field, field of the group). A row has the median of its group.
    pub(super) fn with_medians(
        &self,
        columns: RecordBatch,
        medians: &[(&str, &'static str)],
    ) -> Result<RecordBatch> {
        if medians.is_empty() {
            return Ok(columns);
        }
        let schema = columns.schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        let mut all: Vec<(String, ArrayRef)> = names.zip(columns.columns().iter().cloned()).collect();
        for (field, group) in medians {
            let name = median_of(field, group);
            if !all.iter().any(|(known, _)| *known == name) {
                all.push((name, self.medians(field, group)));
            }
        }
        let nullable = all.into_iter().map(|(name, column)| (name, column, true));
        Ok(RecordBatch::try_from_iter_with_nullable(nullable)?)
    }

    /// Returns the median of a figure in the group of each row; null for a row without a group.
    fn medians(&self, field: &str, group: &str) -> ArrayRef {
        let none = || Float64Array::from(vec![None; self.columns.num_rows()]);
        let figures = self.columns.column_by_name(field).and_then(|it| it.as_primitive_opt::<Float64Type>());
        let Some((groups, figures)) = self.coded.get(group).zip(figures) else { return Arc::new(none()) };
        let position = |key: Option<i32>| key.and_then(|key| usize::try_from(key).ok());
        let mut group_figures: Vec<Vec<f64>> = vec![Vec::new(); groups.values().len()];
        for (key, figure) in groups.keys().iter().zip(figures) {
            if let (Some(key), Some(figure)) = (position(key), figure)
                && let Some(group) = group_figures.get_mut(key)
            {
                group.push(figure);
            }
        }
        let medians: Vec<Option<f64>> = group_figures.into_iter().map(median).collect();
        let of_row = |key| medians.get(position(key)?).copied().flatten();
        Arc::new(groups.keys().iter().map(of_row).collect::<Float64Array>())
    }

    /// Returns the first `most` rows of each group, sorted by a field. Rows without a group are dropped.
    pub(super) fn first_of_each(
        &self,
        rows: &[u32],
        group: &str,
        field: &str,
        direction: Direction,
        most: usize,
    ) -> std::result::Result<Vec<u32>, EngineError> {
        let Some(groups) = self.coded.get(group) else { return Ok(Vec::new()) };
        let mut row_counts: HashMap<i32, usize> = HashMap::new();
        let mut first = self.first_rows(rows, field, direction, rows.len())?;
        first.retain(|row| {
            let row = *row as usize;
            if row >= groups.len() || groups.is_null(row) {
                return false;
            }
            let count = row_counts.entry(groups.keys().value(row)).or_default();
            *count += 1;
            *count <= most
        });
        Ok(first)
    }
}

/// Returns the median, which is the mean of two middle numbers; `None` without numbers.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    let (low, high) = (numbers.get(numbers.len().saturating_sub(1) / 2)?, numbers.get(numbers.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::StringArray;
    use serde_json::json;

    use super::super::screen_table::tests::of_columns;
    use super::*;
    use parquote_language::{Fields, Filter};

    /// Two sectors of two stocks, and one stock without a sector.
    fn sectors() -> (ScreenTable, Fields) {
        let columns: [(&str, ArrayRef); 3] = [
            ("sector", Arc::new(StringArray::from(vec![Some("A"), Some("A"), Some("B"), Some("B"), None]))),
            ("pe", Arc::new(Float64Array::from(vec![Some(10.0), Some(20.0), Some(30.0), None, Some(1.0)]))),
            ("pb", Arc::new(Float64Array::from(vec![Some(10.0), Some(30.0), Some(9.0), Some(4.0), None]))),
        ];
        of_columns(columns)
    }

    #[test]
    fn a_figure_is_compared_with_another_and_with_the_median_of_its_sector() {
        let (table, fields) = sectors();
        for (criteria, expected) in [
            (json!({"field":"pe","op":"<","than":"pb"}), vec![1]),
            (json!({"field":"pe","op":">=","than":"pb"}), vec![0, 2]),
            (json!({"field":"pe","op":">","than":"pb","times":2}), vec![2]),
            (json!({"field":"pe","op":"<","than":"sector_median"}), vec![0]),
            (json!({"field":"pb","op":">","than":"sector_median"}), vec![1, 2]),
            (json!({"field":"pe","op":">=","than":"sector_median","times":1.2}), vec![1]),
            (json!({"not":{"field":"pe","op":"<","than":"sector_median"}}), vec![1, 2]),
        ] {
            let filter: Filter = serde_json::from_value(criteria.clone()).unwrap();
            assert_eq!(table.matching_rows(&filter, &fields).unwrap(), expected, "{criteria}");
            assert_eq!(filter.to_json(), criteria);
        }
    }

    #[test]
    fn the_first_of_each_sector_are_counted_by_themselves() {
        let (table, _) = sectors();
        let first = |field, direction, most| {
            table.first_of_each(&[0, 1, 2, 3, 4], "sector", field, direction, most).unwrap()
        };
        assert_eq!(first("pb", Direction::Desc, 1), [1, 2]);
        assert_eq!(first("pe", Direction::Asc, 2), [0, 1, 2, 3]);
        assert_eq!(first("pe", Direction::Asc, 0), [0_u32; 0]);
    }
}

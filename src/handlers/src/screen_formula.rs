//! Columns of a screen that a caller defines by formulas over its figures.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Float64Array, RecordBatch, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::error::DataFusionError;

use super::handler::HandlerCall;
use super::screen_table::{ScreenTable, with_column};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::EngineError;
use parquote_language::Formula;

/// Names of the parameters with formulas, which are also the names of the columns with their values.
pub const FORMULAS: [&str; 3] = ["formula", "second_formula", "third_formula"];

/// Returns the title of a formula's column: the name of the formula, else its text.
pub fn formula_title(text: &str) -> &str {
    Formula::name_and_expression(text).0.unwrap_or(text)
}

/// Returns the table with columns for the formulas of a call; `None` if the call has no formula.
pub(super) fn with_formulas(
    handler_call: &HandlerCall<'_>,
    table: &ScreenTable,
) -> Result<Option<ScreenTable>, ClientError> {
    if FORMULAS.iter().all(|name| handler_call.text(name).is_none()) {
        return Ok(None);
    }
    let bad =
        |name: &str, message: String| ClientError::new(ErrorKind::BadRequest, format!("`{name}`: {message}"));
    let schema = table.columns.schema();
    let numbers = schema.fields().iter().filter(|field| field.data_type() == &DataType::Float64);
    let names: Vec<&str> = numbers.map(|field| field.name().as_str()).collect();
    let (mut with_formulas, mut free): (Option<ScreenTable>, Option<&str>) = (None, None);
    let mut titles: Vec<(String, &str)> = Vec::new();
    for name in FORMULAS {
        let Some(text) = handler_call.text(name) else {
            free = free.or(Some(name));
            continue;
        };
        if let Some(free) = free {
            return Err(bad(name, format!("a formula before it is missing; write this one as `{free}`")));
        }
        let formula = Formula::parse(text, &names).map_err(|error| bad(name, error.to_string()))?;
        let title = formula_title(text).to_lowercase();
        if let Some((_, other)) = titles.iter().find(|(known, _)| *known == title) {
            let message = format!(
                "its name is that of `{other}`; write another one before its `=`, as in `gap = roce - pe`"
            );
            return Err(bad(name, message));
        }
        titles.push((title, name));
        let before = with_formulas.as_ref().unwrap_or(table);
        with_formulas = Some(before.with_column(name, Arc::new(values(&formula, table)))?);
    }
    Ok(with_formulas)
}

/// Computes the value of a formula for each row; null where it has no value.
fn values(formula: &Formula, table: &ScreenTable) -> Float64Array {
    let column = |name: &String| table.columns.column_by_name(name)?.as_primitive_opt::<Float64Type>();
    let columns: Vec<Option<&Float64Array>> = formula.columns().iter().map(column).collect();
    let figure = |row: usize, position: usize| {
        let column = columns.get(position).copied().flatten()?;
        column.is_valid(row).then(|| column.value(row))
    };
    (0..table.columns.num_rows()).map(|row| formula.value(|position| figure(row, position))).collect()
}

/// Adds the values of the formulas to the rows of the answer, as their last columns. `selected_rows` are the indices of these rows in the
/// table.
pub(super) fn add_values(
    table: &ScreenTable,
    selected_rows: &[u32],
    mut rows: RecordBatch,
) -> Result<RecordBatch, EngineError> {
    for name in FORMULAS {
        let Some(values) = table.columns.column_by_name(name) else { break };
        let selected_rows = UInt32Array::from(selected_rows.to_vec());
        let values = take(values, &selected_rows, None).map_err(DataFusionError::from)?;
        rows = with_column(&rows, name, values)?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Int64Array};

    use super::super::screen_table::tests::of_columns;
    use super::*;
    use parquote_language::Direction;

    /// Three stocks: 10 - 5 = 5, unknown, and 30 - 8 = 22.
    #[test]
    fn a_formula_is_a_column_that_orders() {
        let columns: [(&str, ArrayRef); 2] = [
            ("roce", Arc::new(Int64Array::from(vec![Some(10), Some(40), Some(30)]))),
            ("pe", Arc::new(Float64Array::from(vec![Some(5.0), Some(f64::NAN), Some(8.0)]))),
        ];
        let (table, _) = of_columns(columns);
        let formula = Formula::parse("roce - pe", &["roce", "pe"]).unwrap();
        let values: Vec<Option<f64>> = values(&formula, &table).iter().collect();
        assert_eq!(values, [Some(5.0), None, Some(22.0)]);
        let table = table.with_column(FORMULAS[0], Arc::new(Float64Array::from(values))).unwrap();
        let selected_rows = table.first_rows(&[0, 1, 2], FORMULAS[0], Direction::Desc, 9).unwrap();
        assert_eq!(selected_rows, [2, 0, 1]);
        let rows = table.rows().take_rows(&selected_rows).unwrap().unwrap();
        let rows = add_values(&table, &selected_rows, rows).unwrap();
        let last: Vec<Option<f64>> = rows.column(2).as_primitive::<Float64Type>().iter().collect();
        assert_eq!(last, [Some(22.0), Some(5.0), None]);
    }
}

//! Rows of tables made by symbol: chosen by their symbol, and put together in the order of their table.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BooleanArray, RecordBatch, StringViewArray};
use datafusion::arrow::compute::{
    SortColumn, concat_batches, filter_record_batch, lexsort_to_indices, take_record_batch,
};
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;

/// The symbol of each row.
///
/// # Errors
/// Rows without symbols.
pub(super) fn symbols(rows: &RecordBatch) -> Result<&StringViewArray> {
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    symbols.ok_or_else(|| internal_datafusion_err!("a table made by symbol has a symbol"))
}

/// The rows of some symbols.
///
/// # Errors
/// As [`symbols`].
pub(super) fn of_symbols(rows: &RecordBatch, is_wanted: impl Fn(&str) -> bool) -> Result<RecordBatch> {
    let wanted: BooleanArray = symbols(rows)?.iter().map(|symbol| symbol.map(&is_wanted)).collect();
    Ok(filter_record_batch(rows, &wanted)?)
}

/// The rows of both, in the order of these columns.
///
/// # Errors
/// Rows of different columns.
pub(super) fn together(one: &RecordBatch, other: &RecordBatch, sorted: &[String]) -> Result<RecordBatch> {
    let rows = concat_batches(&one.schema(), [one, other])?;
    let columns = sorted.iter().filter_map(|name| rows.column_by_name(name));
    let columns: Vec<SortColumn> =
        columns.map(|values| SortColumn { values: Arc::clone(values), options: None }).collect();
    Ok(take_record_batch(&rows, &lexsort_to_indices(&columns, None)?)?)
}

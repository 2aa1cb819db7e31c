//! Evaluates expressions that read no column, such as late-bound slots, when a plan executes.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::Schema;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;

pub(crate) fn evaluate_each(exprs: &[Arc<dyn PhysicalExpr>]) -> Result<Vec<ScalarValue>> {
    exprs.iter().map(evaluate).collect()
}

pub(crate) fn evaluate(expr: &Arc<dyn PhysicalExpr>) -> Result<ScalarValue> {
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?;
    match expr.evaluate(&row)? {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0),
    }
}

/// Evaluates bounds that are dates, in days since 1970. Null bounds are left out, because the filter above the scan then removes all rows.
pub(crate) fn evaluate_days(exprs: &[Arc<dyn PhysicalExpr>]) -> Result<Vec<i32>> {
    let values = evaluate_each(exprs)?;
    Ok(values
        .into_iter()
        .filter_map(|value| if let ScalarValue::Date32(days) = value { days } else { None })
        .collect())
}

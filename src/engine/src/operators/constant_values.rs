//! Values of expressions that read no column, such as slots that are bound late: they are known when a plan executes.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::Schema;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;

/// The values of expressions.
pub(crate) fn values(exprs: &[Arc<dyn PhysicalExpr>]) -> Result<Vec<ScalarValue>> {
    exprs.iter().map(value).collect()
}

/// The value of an expression.
pub(crate) fn value(expr: &Arc<dyn PhysicalExpr>) -> Result<ScalarValue> {
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?;
    match expr.evaluate(&row)? {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0),
    }
}

/// Bounds in days; a bound that is null keeps nothing, which the filter above the scan sees to.
pub(crate) fn days(exprs: &[Arc<dyn PhysicalExpr>]) -> Result<Vec<i32>> {
    let values = values(exprs)?;
    Ok(values
        .into_iter()
        .filter_map(|value| if let ScalarValue::Date32(days) = value { days } else { None })
        .collect())
}

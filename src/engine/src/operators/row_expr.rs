//! An expression over some columns of a table, evaluated only for chosen rows.
//!
//! It evaluates only the chosen rows, so that a row that is not chosen cannot make it fail.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{TakeOptions, take};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;

/// An expression and the columns that it reads.
#[derive(Debug, Clone)]
pub(crate) struct RowExpr {
    /// The expression, over the columns of `schema`.
    expr: Arc<dyn PhysicalExpr>,
    /// The columns that the expression reads, as positions in the table's projection.
    columns: Vec<usize>,
    schema: SchemaRef,
    /// True if the expression is a plain column.
    is_column: bool,
}

impl RowExpr {
    /// Builds an expression over the columns of `schema`.
    pub(crate) fn try_new(expr: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Self> {
        let mut columns = Vec::new();
        let expr = replace_columns(expr, |column| {
            let position = columns.iter().position(|other| *other == column.index());
            let at = position.unwrap_or_else(|| {
                columns.push(column.index());
                columns.len() - 1
            });
            Some(Arc::new(Column::new(column.name(), at)))
        })?;
        let is_column = expr.is::<Column>();
        Ok(Self { schema: Arc::new(schema.project(&columns)?), expr, columns, is_column })
    }

    /// Returns the expression; its column positions count only the columns that it reads.
    pub(crate) fn expr(&self) -> &Arc<dyn PhysicalExpr> {
        &self.expr
    }

    /// Returns the position of the column, if the expression is a plain column.
    pub(crate) fn column(&self) -> Option<usize> {
        self.columns.first().copied().filter(|_| self.is_column)
    }

    /// Evaluates the expression for `rows`, or for all rows of the table if `None`.
    pub(crate) fn evaluate(&self, table: &RecordBatch, rows: Option<&UInt32Array>) -> Result<ArrayRef> {
        if let (Some(position), Some(rows)) = (self.column(), rows) {
            return gather(table.column(position), rows);
        }
        if let (Some(position), None) = (self.column(), rows) {
            return Ok(Arc::clone(table.column(position)));
        }
        let count = rows.map_or(table.num_rows(), |rows| rows.values().len());
        let columns = self.columns.iter().map(|position| match rows {
            None => Ok(Arc::clone(table.column(*position))),
            Some(rows) => gather(table.column(*position), rows),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let batch = RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            columns.collect::<Result<_>>()?,
            &options,
        )?;
        self.expr.evaluate(&batch)?.into_array(count)
    }
}

/// Gathers the values of these rows, which must exist.
fn gather(array: &ArrayRef, rows: &UInt32Array) -> Result<ArrayRef> {
    Ok(take(array.as_ref(), rows, Some(TakeOptions { check_bounds: false }))?)
}

/// Replaces the columns of an expression; those for which `replacement` returns `None` remain.
pub(crate) fn replace_columns(
    expr: &Arc<dyn PhysicalExpr>,
    mut replacement: impl FnMut(&Column) -> Option<Arc<dyn PhysicalExpr>>,
) -> Result<Arc<dyn PhysicalExpr>> {
    Arc::clone(expr)
        .transform_up(|expr| {
            Ok(match expr.downcast_ref::<Column>().and_then(&mut replacement) {
                Some(replacement) => Transformed::yes(replacement),
                None => Transformed::no(expr),
            })
        })
        .data()
}

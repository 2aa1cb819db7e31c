//! An expression over some columns of a table, evaluated for chosen rows only.
//!
//! It knows the few columns that it reads, so that no other column is touched. It never reads a row that was not chosen, so that an
//! expression cannot fail on such a row.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{TakeOptions, take};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;

/// An expression and the columns it reads.
#[derive(Debug, Clone)]
pub(crate) struct RowExpr {
    /// Over `schema`.
    expr: Arc<dyn PhysicalExpr>,
    /// The places that the expression reads, in the table's projection.
    columns: Vec<usize>,
    schema: SchemaRef,
    /// Whether it is a column as it is.
    plain: bool,
}

impl RowExpr {
    /// An expression over the columns of `schema`.
    pub(crate) fn try_new(expr: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Self> {
        let mut columns = Vec::new();
        let expr = replace_columns(expr, |column| {
            let known = columns.iter().position(|place| *place == column.index());
            let at = known.unwrap_or_else(|| {
                columns.push(column.index());
                columns.len() - 1
            });
            Some(Arc::new(Column::new(column.name(), at)))
        })?;
        let plain = expr.is::<Column>();
        Ok(Self { schema: Arc::new(schema.project(&columns)?), expr, columns, plain })
    }

    /// The expression, its columns counted among those that it reads.
    pub(crate) fn expr(&self) -> &Arc<dyn PhysicalExpr> {
        &self.expr
    }

    /// The place of the column that this is, if it is no more than one.
    pub(crate) fn column(&self) -> Option<usize> {
        self.columns.first().copied().filter(|_| self.plain)
    }

    /// Its value in each of `rows`, or in all rows of the table where `rows` is `None`.
    pub(crate) fn evaluate(&self, table: &RecordBatch, rows: Option<&UInt32Array>) -> Result<ArrayRef> {
        if let (Some(place), Some(rows)) = (self.column(), rows) {
            return chosen(table.column(place), rows);
        }
        if let (Some(place), None) = (self.column(), rows) {
            return Ok(Arc::clone(table.column(place)));
        }
        let count = rows.map_or(table.num_rows(), |rows| rows.values().len());
        let columns = self.columns.iter().map(|place| match rows {
            None => Ok(Arc::clone(table.column(*place))),
            Some(rows) => chosen(table.column(*place), rows),
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

/// The values of an array in these rows, which all exist.
fn chosen(array: &ArrayRef, rows: &UInt32Array) -> Result<ArrayRef> {
    Ok(take(array.as_ref(), rows, Some(TakeOptions { check_bounds: false }))?)
}

/// Replaces the columns of an expression; one for which there is `None` stays.
pub(crate) fn replace_columns(
    expr: &Arc<dyn PhysicalExpr>,
    mut with: impl FnMut(&Column) -> Option<Arc<dyn PhysicalExpr>>,
) -> Result<Arc<dyn PhysicalExpr>> {
    Arc::clone(expr)
        .transform_up(|expr| {
            Ok(match expr.downcast_ref::<Column>().and_then(&mut with) {
                Some(with) => Transformed::yes(with),
                None => Transformed::no(expr),
            })
        })
        .data()
}

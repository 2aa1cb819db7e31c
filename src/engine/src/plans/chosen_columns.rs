//! The columns of an answer that a caller requested, in the caller's order.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;

use super::prepared_select::PreparedSelect;
use crate::answers::json::JsonRows;
use crate::answers::result_column::ResultColumn;

/// The requested columns with their encoder.
pub(crate) struct ChosenColumns {
    /// Their positions in the SELECT.
    pub positions: Vec<usize>,
    pub columns: Vec<ResultColumn>,
    pub schema: SchemaRef,
    pub json: JsonRows,
}

impl ChosenColumns {
    /// Selects columns by name; `None` without names, which means all columns.
    ///
    /// # Errors
    /// A name that the SELECT does not have; callers get an earlier error.
    pub(crate) fn select(select: &PreparedSelect, names: &[String]) -> Result<Option<Self>, DataFusionError> {
        if names.is_empty() {
            return Ok(None);
        }
        let positions =
            names.iter().map(|name| select.schema.index_of(name)).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<ResultColumn> =
            positions.iter().filter_map(|position| select.columns.get(*position).cloned()).collect();
        let schema = Arc::new(select.schema.project(&positions)?);
        let json = JsonRows::new(&columns);
        Ok(Some(Self { positions, columns, schema, json }))
    }
}

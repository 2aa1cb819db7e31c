//! The columns that a caller chose of an answer, in the caller's order.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;

use super::prepared_select::PreparedSelect;
use crate::answers::json::JsonRows;
use crate::answers::result_column::ResultColumn;

/// The columns that were chosen, with what writes them.
pub(crate) struct ChosenColumns {
    /// Their places among those of the SELECT.
    pub places: Vec<usize>,
    pub columns: Vec<ResultColumn>,
    pub schema: SchemaRef,
    pub json: JsonRows,
}

impl ChosenColumns {
    /// The columns of these names; `None` where no names are given and all are meant.
    ///
    /// # Errors
    /// A name that the SELECT does not have; callers are told so before it comes to this.
    pub(crate) fn select(select: &PreparedSelect, names: &[String]) -> Result<Option<Self>, DataFusionError> {
        if names.is_empty() {
            return Ok(None);
        }
        let places = names.iter().map(|name| select.schema.index_of(name)).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<ResultColumn> =
            places.iter().filter_map(|place| select.columns.get(*place).cloned()).collect();
        let schema = Arc::new(select.schema.project(&places)?);
        let json = JsonRows::new(&columns);
        Ok(Some(Self { places, columns, schema, json }))
    }
}

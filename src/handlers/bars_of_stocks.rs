//! The last bars of several stocks, one stock after another: a long table is read by the key of one stock.

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::error::DataFusionError;
use serde_json::Map;

use super::{Handler, HandlerCall, KeptRows};
use crate::engine::{EngineError, Extent};
use crate::error::{ClientError, ErrorKind};
use crate::operation::Value;

/// `explore/sparks` and its US twin.
pub(super) struct BarsOfStocks;

#[async_trait]
impl Handler for BarsOfStocks {
    async fn answer(&self, _: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        Err(ClientError::new(ErrorKind::Internal, "this operation answers with rows"))
    }

    async fn rows(&self, asked: &HandlerCall<'_>) -> Result<Option<KeptRows>, ClientError> {
        let mut batches = Vec::new();
        for symbol in asked.list("symbols") {
            let one = asked.arguments.with(asked.operation, "symbols", Value::List(vec![symbol.clone()]));
            batches.extend(asked.rows(&one).await?.batch().cloned());
        }
        let Some(schema) = batches.first().map(RecordBatch::schema) else { return Ok(None) };
        let all = concat_batches(&schema, &batches)
            .map_err(|error| EngineError::from(DataFusionError::from(error)))?;
        let offset = asked.offset.min(all.num_rows());
        let rows = all.slice(offset, all.num_rows() - offset);
        let extent = Extent { offset, rows: rows.num_rows(), total: Some(all.num_rows()), more: false };
        Ok(Some(KeptRows { rows, around: Map::new(), extent }))
    }
}

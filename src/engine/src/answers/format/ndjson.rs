//! `format=ndjson`: the objects of `format=json`, one per line, each line ended. No rows give no lines.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;

use super::{AnswerSource, Encoder};
use crate::answers::json::JsonRows;

pub(super) struct NdjsonLines<'a> {
    json: &'a JsonRows,
    out: Vec<u8>,
}

impl<'a> NdjsonLines<'a> {
    pub(super) fn new(json: &'a JsonRows) -> Self {
        Self { json, out: Vec::new() }
    }
}

impl Encoder for NdjsonLines<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        let rows = self.json.open(&batch);
        for row in 0..batch.num_rows() {
            rows.write_object(row, &mut self.out);
            self.out.push(b'\n');
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[u8], _: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        Ok(self.out)
    }
}

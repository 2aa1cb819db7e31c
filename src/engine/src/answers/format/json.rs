//! `format=json`: one object per row, in the shape that the operation declares. This is the hot path of answers.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;

use super::{AnswerSource, Encoder};
use crate::answers::json::JsonRows;
use parquote_catalogue::operation::Answer;

/// Writes one object, an array, or an object around an array.
pub(super) struct JsonObjects<'a> {
    answer: Answer,
    json: &'a JsonRows,
    out: Vec<u8>,
    /// True until a row is written.
    first: bool,
}

impl<'a> JsonObjects<'a> {
    pub(super) fn new(answer: Answer, json: &'a JsonRows) -> Self {
        const TYPICAL_ANSWER: usize = 8192;
        let mut out = Vec::with_capacity(TYPICAL_ANSWER);
        out.extend_from_slice(match answer {
            Answer::One => b"",
            Answer::List => b"[",
            Answer::Stocks => b"{\"stocks\":[",
        });
        Self { answer, json, out, first: true }
    }
}

impl Encoder for JsonObjects<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        self.json.write(&batch, self.first, &mut self.out);
        self.first &= batch.num_rows() == 0;
        Ok(())
    }

    fn finish(mut self: Box<Self>, wrapper: &[u8], _: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        match self.answer {
            Answer::One => {}
            Answer::List => self.out.push(b']'),
            Answer::Stocks => {
                self.out.extend_from_slice(b"],");
                self.out.extend_from_slice(wrapper.strip_prefix(b"{").unwrap_or(b"}"));
            }
        }
        Ok(self.out)
    }
}

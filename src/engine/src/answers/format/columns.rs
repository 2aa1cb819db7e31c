//! `format=columns`: names, types and units once, then one array per row. Smaller than objects, and quicker to parse.
//!
//! `{"columns": [{"name", "type", "unit"}], "rows": [[...]], ...}`, followed by the fields around the rows. One object is one row.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;

use super::{AnswerSource, Encoder};
use crate::answers::json::{JsonRows, write_text};
use crate::answers::result_column::ResultColumn;
use parquote_catalogue::operation::Unit;

pub(super) struct Columns<'a> {
    json: &'a JsonRows,
    out: Vec<u8>,
    /// True until a row is written.
    first: bool,
}

impl<'a> Columns<'a> {
    pub(super) fn new(columns: &[ResultColumn], json: &'a JsonRows) -> Self {
        let mut out = b"{\"columns\":[".to_vec();
        for (at, column) in columns.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"{\"name\":" } else { b",{\"name\":" });
            write_text(&mut out, &column.name);
            out.extend_from_slice(b",\"type\":");
            write_text(&mut out, column.ty.word());
            out.extend_from_slice(b",\"unit\":");
            match column.unit {
                Unit::None => out.extend_from_slice(b"null"),
                unit => write_text(&mut out, unit.word()),
            }
            out.push(b'}');
        }
        out.extend_from_slice(b"],\"rows\":[");
        Self { json, out, first: true }
    }
}

impl Encoder for Columns<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        let rows = self.json.open(&batch);
        for row in 0..batch.num_rows() {
            if !std::mem::take(&mut self.first) {
                self.out.push(b',');
            }
            rows.write_array(row, &mut self.out);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, wrapper: &[u8], _: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        self.out.push(b']');
        match wrapper.strip_prefix(b"{") {
            Some(fields) => {
                self.out.push(b',');
                self.out.extend_from_slice(fields);
            }
            None => self.out.push(b'}'),
        }
        Ok(self.out)
    }
}

//! `format=csv`: RFC 4180, a header line and one line per row, ended by CR LF.
//!
//! An empty cell is null and `""` is an empty text; in a row of one cell, null is `""` as well, because readers skip empty lines. A list or
//! struct is its JSON text.
//!
//! A spreadsheet runs a text that begins like a formula. Such a text gets an apostrophe in front, and so does a text that begins with an
//! apostrophe: a program that removes one leading apostrophe from each text restores the original texts. Numbers and dates are unchanged.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use serde_json::Value as Json;

use super::{AnswerSource, Encoder};
use crate::answers::json::{JsonCell, JsonRows};
use crate::answers::result_column::ResultColumn;

pub(crate) struct CsvRows<'a> {
    json: &'a JsonRows,
    out: Vec<u8>,
}

impl<'a> CsvRows<'a> {
    pub(super) fn new(columns: &[ResultColumn], json: &'a JsonRows) -> Self {
        Self { json, out: Self::header_line(columns) }
    }

    pub(crate) fn header_line(columns: &[ResultColumn]) -> Vec<u8> {
        let mut out = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_text(&mut out, column.name.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    /// Returns the lines of a batch, without a header line.
    pub(crate) fn encode_lines(json: &'a JsonRows, batch: RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let mut lines = Self { json, out: Vec::new() };
        lines.encode(batch)?;
        Ok(lines.out)
    }
}

impl Encoder for CsvRows<'_> {
    fn encode(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        let rows = self.json.open(&batch);
        let out = &mut self.out;
        for row in 0..batch.num_rows() {
            let mut first = true;
            let start = out.len();
            rows.visit_cells(row, |cell| {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                match cell {
                    JsonCell::None => {}
                    JsonCell::Text(text) => write_text(out, text.as_bytes()),
                    JsonCell::Json(json) => write_json(out, json),
                }
            });
            if out.len() == start {
                push_quoted(out, b"");
            }
            out.extend_from_slice(b"\r\n");
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[u8], _: &AnswerSource<'_>) -> Result<Vec<u8>, ArrowError> {
        Ok(self.out)
    }
}

/// Appends one line of JSON values to `out`.
pub fn csv_line(out: &mut Vec<u8>, cells: impl Iterator<Item = Json>) {
    let start = out.len();
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match cell {
            Json::Null => {}
            Json::String(text) => write_text(out, text.as_bytes()),
            cell => write_cell(out, cell.to_string().as_bytes()),
        }
    }
    if out.len() == start {
        push_quoted(out, b"");
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes a text, with an apostrophe in front if it may be a formula. For most texts the first byte decides.
fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    if begins_a_formula(text) {
        write_cell(out, &[b"'", text].concat());
    } else {
        write_cell(out, text);
    }
}

/// Returns true for texts that a spreadsheet may run: OWASP's list of characters, their full-width forms, or the marking apostrophe.
fn begins_a_formula(text: &[u8]) -> bool {
    match text {
        [b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n' | b'\0' | b'\'', ..] => true,
        [0xef, second, third, ..] => {
            matches!((second, third), (0xbc, 0x8b | 0x8d | 0x9d | 0xa0))
        }
        _ => false,
    }
}

fn write_cell(out: &mut Vec<u8>, text: &[u8]) {
    if text.is_empty() || text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        push_quoted(out, text);
    } else {
        out.extend_from_slice(text);
    }
}

/// Writes a JSON value. The only quoted values that arrive here are dates, which need no quotes in CSV.
fn write_json(out: &mut Vec<u8>, json: &[u8]) {
    match json {
        [b'"', date @ .., b'"'] => write_cell(out, date),
        json => write_cell(out, json),
    }
}

fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected cells follow RFC 4180, section 2.
    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let cell_text = |write: fn(&mut Vec<u8>, &[u8]), text: &str| {
            let mut out = Vec::new();
            write(&mut out, text.as_bytes());
            String::from_utf8(out).unwrap()
        };
        for (text, cell) in [
            ("plain é", "plain é"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("1+1=2", "1+1=2"),
            ("=1+1", "'=1+1"),
            ("=HYPERLINK(\"//x\",1)", "\"'=HYPERLINK(\"\"//x\"\",1)\""),
            ("+1", "'+1"),
            ("-5 %", "'-5 %"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\u{ff20}1", "'\u{ff20}1"),
            ("\u{ff21}1", "\u{ff21}1"),
            ("'tis", "''tis"),
            ("\u{feff}", "\u{feff}"),
        ] {
            assert_eq!(cell_text(write_text, text), cell);
        }
        for (json, cell) in [
            ("\"2026-10-30\"", "2026-10-30"),
            ("12.5", "12.5"),
            ("-12.5", "-12.5"),
            ("true", "true"),
            ("[\"a\",1]", "\"[\"\"a\"\",1]\""),
        ] {
            assert_eq!(cell_text(write_json, json), cell);
        }
    }
}

//! Statement lines as Arrow arrays of the declared columns, and their fingerprint.
//!
//! Each text is stored once, so that the memory of millions of rows is little more than that of their figures.

use std::sync::Arc;

use blake3::{Hash, Hasher};
use datafusion::arrow::array::{ArrayRef, Float64Array, StringViewBuilder};

use parquote_functions::arrow_types::days;
use parquote_raw::{NamedColumns, StatementRow, Statements, map_in_order};

/// Converts figures to the columns of `statement_lines`.
pub(super) fn figure_columns(statements: &Statements, rows: &[StatementRow]) -> NamedColumns {
    NamedColumns::for_rows(rows)
        .with("symbol", text_column(rows, |row| statement_name(&statements.symbols, row.company)))
        .with("statement", text_column(rows, |row| row.line.statement().word()))
        .date("period_end", |row| Some(row.period_end))
        .with("period_type", text_column(rows, |row| row.span.word()))
        .with("basis", text_column(rows, |row| row.basis.word()))
        .with("line", text_column(rows, |row| row.line.word()))
        .with("value", Arc::new(rows.iter().map(|row| Some(row.value)).collect::<Float64Array>()))
        .with("unit", text_column(rows, |row| row.line.measure().word()))
        .with("currency", text_column(rows, |row| std::str::from_utf8(&row.currency).unwrap_or_default()))
        .date("filed_at", |row| row.filed_at)
        .date("known_from", |row| Some(row.known_from()))
        .with("source", text_column(rows, |row| statement_name(&statements.sources, row.source)))
        .finish()
}

/// Returns a fingerprint of the figures, which is much cheaper than making and writing their columns.
pub(super) fn fingerprint(statements: &Statements) -> String {
    /// Number of rows that are hashed at a time.
    const ROWS_AT_A_TIME: usize = 64 * 1024;
    let mut hasher = Hasher::new();
    for name in statements.symbols.iter().chain(&statements.sources) {
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
    }
    hasher.update(&(statements.symbols.len() as u64).to_le_bytes());
    for hash in map_in_order(statements.rows.chunks(ROWS_AT_A_TIME).collect(), rows_hash) {
        hasher.update(hash.as_bytes());
    }
    hasher.finalize().to_string()
}

fn rows_hash(rows: &[StatementRow]) -> Hash {
    /// Number of bytes of a hashed row.
    const ROW_BYTES: usize = 35;
    let mut bytes = Vec::with_capacity(rows.len() * ROW_BYTES);
    for row in rows {
        bytes.extend_from_slice(&row.company.to_le_bytes());
        bytes.extend_from_slice(&days(row.period_end).to_le_bytes());
        bytes.extend_from_slice(&[row.span as u8, row.basis as u8, row.line.index()]);
        bytes.extend_from_slice(&row.value.to_bits().to_le_bytes());
        bytes.extend_from_slice(&row.currency);
        bytes.push(u8::from(row.filed_at.is_some()));
        bytes.extend_from_slice(&row.filed_at.map_or([0; 4], |day| days(day).to_le_bytes()));
        bytes.extend_from_slice(&row.source.to_le_bytes());
    }
    blake3::hash(&bytes)
}

fn text_column<'a>(rows: &'a [StatementRow], column: impl Fn(&'a StatementRow) -> &'a str) -> ArrayRef {
    let mut texts = StringViewBuilder::with_capacity(rows.len()).with_deduplicate_strings();
    for row in rows {
        texts.append_value(column(row));
    }
    Arc::new(texts.finish())
}

fn statement_name(names: &[String], number: u32) -> &str {
    names.get(number as usize).map(String::as_str).unwrap_or_default()
}

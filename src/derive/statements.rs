//! Statement lines as Arrow arrays of the declared columns.
//!
//! Each text is there once, however many rows have it, so that millions of rows cost little more than their figures.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, StringViewBuilder};

use super::raw::{StatementRow, Statements};
use crate::engine::arrow_types::days;

/// The columns of `statement_lines`.
pub(super) fn columns(of: &Statements) -> Vec<ArrayRef> {
    let rows = &of.rows;
    vec![
        texts(rows, |row| named(&of.symbols, row.company)),
        texts(rows, |row| row.line.statement().word()),
        Arc::new(rows.iter().map(|row| Some(days(row.period_end))).collect::<Date32Array>()),
        texts(rows, |row| row.span.word()),
        texts(rows, |row| row.basis.word()),
        texts(rows, |row| row.line.word()),
        Arc::new(rows.iter().map(|row| Some(row.value)).collect::<Float64Array>()),
        texts(rows, |row| row.line.measure().word()),
        texts(rows, |row| std::str::from_utf8(&row.currency).unwrap_or_default()),
        Arc::new(rows.iter().map(|row| row.filed_at.map(days)).collect::<Date32Array>()),
        texts(rows, |row| named(&of.sources, row.source)),
    ]
}

fn texts<'a>(rows: &'a [StatementRow], column: impl Fn(&'a StatementRow) -> &'a str) -> ArrayRef {
    let mut texts = StringViewBuilder::with_capacity(rows.len()).with_deduplicate_strings();
    for row in rows {
        texts.append_value(column(row));
    }
    Arc::new(texts.finish())
}

fn named(names: &[String], number: u32) -> &str {
    names.get(number as usize).map(String::as_str).unwrap_or_default()
}

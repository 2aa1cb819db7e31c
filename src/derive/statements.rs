//! Statement lines as Arrow arrays of the declared columns, their stamp, and digests of what is known of each company.
//!
//! Each text is there once, however many rows have it, so that millions of rows cost little more than their figures.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use blake3::{Hash, Hasher};
use datafusion::arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, StringViewArray, StringViewBuilder,
};
use xxhash_rust::xxh3::xxh3_64;

use super::raw::{RawMarket, StatementRow, Statements, map_in_order};
use crate::engine::arrow_types::days;

/// Some figures in the columns of `statement_lines`.
pub(super) fn columns(of: &Statements, rows: &[StatementRow]) -> Vec<ArrayRef> {
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
        Arc::new(rows.iter().map(|row| Some(days(row.known_from()))).collect::<Date32Array>()),
        texts(rows, |row| named(&of.sources, row.source)),
    ]
}

/// The figures of some companies in the columns of `statement_lines`.
pub(super) fn columns_of(of: &Statements, companies: &BTreeSet<String>) -> Vec<ArrayRef> {
    let is_wanted = |row: &&StatementRow| companies.contains(named(&of.symbols, row.company));
    let rows: Vec<StatementRow> = of.rows.iter().filter(is_wanted).copied().collect();
    columns(of, &rows)
}

/// The columns of `statement_digests`; `None` where the market has no statements.
pub(super) fn digests(raw: &RawMarket) -> Option<Vec<ArrayRef>> {
    let of = raw.statements.as_ref()?;
    let last = raw.sessions.last()?.date;
    let sources: Vec<u64> = of.sources.iter().map(|source| xxh3_64(source.as_bytes())).collect();
    let mut actions: HashMap<&str, Vec<u8>> = HashMap::new();
    for action in raw.actions.iter().filter(|action| action.ex_date <= last) {
        let bytes = actions.entry(&action.symbol).or_default();
        bytes.extend_from_slice(&days(action.ex_date).to_le_bytes());
        bytes.extend_from_slice(&action.factor.to_bits().to_le_bytes());
    }
    // Figures are sorted by company.
    let of_companies: Vec<&[StatementRow]> = of.rows.chunk_by(|a, b| a.company == b.company).collect();
    let digests = map_in_order(of_companies, |rows| {
        let symbol = rows.first().map_or("", |row| named(&of.symbols, row.company));
        let mut bytes = Vec::with_capacity(rows.len() * HELD);
        for row in rows.iter().filter(|row| row.known_from() <= last) {
            hold(row, sources.get(row.source as usize).copied().unwrap_or_default(), &mut bytes);
        }
        bytes.extend(actions.get(symbol).into_iter().flatten());
        (symbol, xxh3_64(&bytes).cast_signed())
    });
    Some(vec![
        Arc::new(digests.iter().map(|(symbol, _)| Some(*symbol)).collect::<StringViewArray>()),
        Arc::new(digests.iter().map(|(_, digest)| Some(*digest)).collect::<Int64Array>()),
    ])
}

/// What a figure takes among bytes.
const HELD: usize = 30;

/// Adds a figure as bytes, but for its company; its source is a hash or a number.
fn hold(row: &StatementRow, source: u64, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&days(row.period_end).to_le_bytes());
    bytes.extend_from_slice(&[row.span as u8, row.basis as u8, row.line.place()]);
    bytes.extend_from_slice(&row.value.to_bits().to_le_bytes());
    bytes.extend_from_slice(&row.currency);
    // No day is the first that there is.
    bytes.extend_from_slice(&row.filed_at.map_or(i32::MIN, days).to_le_bytes());
    bytes.extend_from_slice(&source.to_le_bytes());
}

/// A stamp of the figures. It costs far less than to make their columns and to write them.
pub(super) fn stamp(of: &Statements) -> String {
    /// Rows that are hashed in one go.
    const SOME: usize = 64 * 1024;
    let mut hasher = Hasher::new();
    for name in of.symbols.iter().chain(&of.sources) {
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
    }
    hasher.update(&(of.symbols.len() as u64).to_le_bytes());
    for hash in map_in_order(of.rows.chunks(SOME).collect(), hashed) {
        hasher.update(hash.as_bytes());
    }
    hasher.finalize().to_string()
}

fn hashed(rows: &[StatementRow]) -> Hash {
    let mut bytes = Vec::with_capacity(rows.len() * (HELD + 4));
    for row in rows {
        bytes.extend_from_slice(&row.company.to_le_bytes());
        hold(row, u64::from(row.source), &mut bytes);
    }
    blake3::hash(&bytes)
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

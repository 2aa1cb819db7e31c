//! Which companies a symbol that a market does not have may mean: the one that had it before, and those that a search of the names in
//! memory finds.
//!
//! It is for refusals, which run no SQL; the operation of the search also knows names that people use.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;

use super::functions::{Ranker, SearchText};
use super::market_tables::{FORMER_NAMES, MarketTables};
use super::served_table::TableRows;

/// The symbols found, the best first: at most so many.
pub(super) fn found(tables: &MarketTables, text: &str, most: usize) -> Vec<String> {
    let (asked, mut ranker) = (SearchText::of(text), Ranker::default());
    let mut found: Vec<(i64, f64, String)> = Vec::new();
    let mut add = |table: &str, name: &str, is_own: bool| {
        let Some(rows) = in_memory(tables, table) else { return };
        let (Some(symbols), names) = (texts(rows, "symbol"), texts(rows, name)) else { return };
        let caps = rows.column_by_name("market_cap").and_then(|caps| caps.as_primitive_opt::<Float64Type>());
        for row in 0..rows.num_rows() {
            let Some(symbol) = text_at(symbols, row) else { continue };
            let name = names.and_then(|names| text_at(names, row));
            if let Some(rank) = ranker.rank(&asked, is_own.then_some(symbol), name) {
                let cap = caps.filter(|caps| caps.is_valid(row)).map_or(0.0, |caps| caps.value(row));
                found.push((rank, cap, symbol.to_owned()));
            }
        }
    };
    add("stocks", "company_name", true);
    add(FORMER_NAMES, "former_name", false);
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut symbols: Vec<String> = Vec::new();
    for (_, _, symbol) in found {
        if symbols.len() < most && !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    symbols
}

/// The symbol now of the company that had this one before; none where several had it: it may have meant any of them.
pub(super) fn renamed(tables: &MarketTables, old: &str) -> Option<String> {
    let rows = in_memory(tables, FORMER_NAMES)?;
    let (symbols, names) = (texts(rows, "symbol")?, texts(rows, "former_name")?);
    let of_old = (0..rows.num_rows()).filter(|row| text_at(names, *row) == Some(old));
    let mut found = of_old.filter_map(|row| text_at(symbols, row));
    found.next().filter(|_| found.next().is_none()).map(str::to_owned)
}

/// How many stocks of a market have no sector, of how many.
pub(super) fn without_sector(tables: &MarketTables) -> Option<(usize, usize)> {
    let sectors = in_memory(tables, "stocks")?.column_by_name("sector")?;
    Some((sectors.null_count(), sectors.len()))
}

fn in_memory<'a>(tables: &'a MarketTables, table: &str) -> Option<&'a RecordBatch> {
    match &tables.table(table)?.rows {
        TableRows::Memory(rows, _) => Some(rows),
        TableRows::Files(_) => None,
    }
}

fn texts<'a>(rows: &'a RecordBatch, name: &str) -> Option<&'a ArrayRef> {
    rows.column_by_name(name).filter(|column| column.as_string_view_opt().is_some())
}

fn text_at(column: &ArrayRef, row: usize) -> Option<&str> {
    column.as_string_view_opt().filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row))
}

//! Which companies a symbol that a market does not have may mean: those that a search of the names in memory finds.
//!
//! It is for refusals, which run no SQL; the operation of the search also knows names that people use.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;

use super::functions::{Asked, Ranker};
use super::market_tables::MarketTables;
use super::served_table::TableRows;

/// The symbols found, the best first: at most so many.
pub(super) fn found(tables: &MarketTables, text: &str, most: usize) -> Vec<String> {
    let (asked, mut ranker) = (Asked::of(text), Ranker::default());
    let mut found: Vec<(i64, f64, String)> = Vec::new();
    let mut add = |table: &str, name: &str, is_own: bool| {
        let Some(TableRows::Memory(rows, _)) = tables.table(table).map(|table| &table.rows) else { return };
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
    add("former_names", "former_name", false);
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut symbols: Vec<String> = Vec::new();
    for (_, _, symbol) in found {
        if symbols.len() < most && !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    symbols
}

fn texts<'a>(rows: &'a RecordBatch, name: &str) -> Option<&'a ArrayRef> {
    rows.column_by_name(name).filter(|column| column.as_string_view_opt().is_some())
}

fn text_at(column: &ArrayRef, row: usize) -> Option<&str> {
    column.as_string_view_opt().filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row))
}

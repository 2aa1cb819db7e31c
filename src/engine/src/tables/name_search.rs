//! Companies that an unknown symbol may mean: the company that formerly had it, and the companies that a search of the names in memory
//! finds.
//!
//! Error messages use this search, because they run no SQL. The search operation also finds informal names.

use chrono::NaiveDate;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Date32Type, Float64Type};

use super::market_tables::MarketTables;
use super::tables_read::FORMER_NAMES;
use crate::storage::served_table::TableRows;
use parquote_catalogue::operation::Likeness;
use parquote_functions::{Ranker, SearchText};

/// A company that matches a typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCompany {
    /// The present symbol of the company.
    pub symbol: String,
    /// The present name; `None` if the list of stocks has none.
    pub name: Option<String>,
    /// True if the text is the present symbol.
    pub is_exact: bool,
}

/// Returns at most `most` matching companies, best first.
pub(crate) fn companies(tables: &MarketTables, text: &str, most: usize) -> Vec<FoundCompany> {
    const EXACT: i64 = 0;
    let (requested, mut ranker) = (SearchText::parse(text), Ranker::default());
    let mut matches: Vec<(i64, f64, String)> = Vec::new();
    let mut add = |table: &str, name: &str, by_symbol: bool| {
        let Some(rows) = in_memory(tables, table) else { return };
        let (Some(symbols), names) = (texts(rows, "symbol"), texts(rows, name)) else { return };
        let caps = rows.column_by_name("market_cap").and_then(|caps| caps.as_primitive_opt::<Float64Type>());
        for row in 0..rows.num_rows() {
            let Some(symbol) = text_at(symbols, row) else { continue };
            let name = names.and_then(|names| text_at(names, row));
            if let Some(rank) = ranker.rank(&requested, by_symbol.then_some(symbol), name) {
                let cap = caps.filter(|caps| caps.is_valid(row)).map_or(0.0, |caps| caps.value(row));
                matches.push((rank, cap, symbol.to_owned()));
            }
        }
    };
    add("stocks", "company_name", true);
    add(FORMER_NAMES, "former_name", false);
    matches.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut companies: Vec<FoundCompany> = Vec::new();
    for (rank, _, symbol) in matches {
        if companies.len() < most && companies.iter().all(|other| other.symbol != symbol) {
            companies.push(FoundCompany { symbol, name: None, is_exact: rank == EXACT });
        }
    }
    add_names(tables, companies)
}

fn add_names(tables: &MarketTables, mut companies: Vec<FoundCompany>) -> Vec<FoundCompany> {
    let rows = in_memory(tables, "stocks");
    let columns = rows.and_then(|rows| Some((texts(rows, "symbol")?, texts(rows, "company_name")?)));
    if let Some((symbols, names)) = columns.filter(|_| !companies.is_empty()) {
        for row in 0..symbols.len() {
            let has_symbol =
                |company: &&mut FoundCompany| text_at(symbols, row) == Some(company.symbol.as_str());
            if let Some(company) = companies.iter_mut().find(has_symbol) {
                company.name = text_at(names, row).map(str::to_owned);
            }
        }
    }
    companies
}

/// Returns companies whose symbol or beginning of the name is similar to a text without matches, most similar first.
pub(crate) fn similar_companies(tables: &MarketTables, text: &str, most: usize) -> Vec<FoundCompany> {
    const LEAST_LIKENESS: f64 = 0.85;
    let text = text.trim().to_lowercase();
    let words = text.split_whitespace().count();
    let rows = in_memory(tables, "stocks");
    let columns = rows.and_then(|rows| Some((texts(rows, "symbol")?, texts(rows, "company_name")?)));
    let (Some((symbols, names)), Some(likeness)) = (columns, Likeness::new_for(&text).filter(|_| words > 0))
    else {
        return Vec::new();
    };
    let mut near: Vec<(f64, FoundCompany)> = Vec::new();
    for row in 0..symbols.len() {
        let Some(symbol) = text_at(symbols, row) else { continue };
        let name = text_at(names, row);
        let beginning = name.map(|name| {
            let beginning: Vec<&str> = name.split_whitespace().take(words).collect();
            beginning.join(" ").to_lowercase()
        });
        let name_likeness = beginning.map_or(0.0, |beginning| likeness.similarity_to(&beginning));
        let likeness_of_row = likeness.similarity_to(&symbol.to_lowercase()).max(name_likeness);
        if likeness_of_row >= LEAST_LIKENESS {
            let company =
                FoundCompany { symbol: symbol.to_owned(), name: name.map(str::to_owned), is_exact: false };
            near.push((likeness_of_row, company));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.symbol.cmp(&b.1.symbol)));
    near.into_iter().take(most).map(|(_, company)| company).collect()
}

/// Returns the present symbol of the company that formerly had a symbol; `None` if several companies had it, because it may mean any of
/// them.
pub(crate) fn current_symbol(tables: &MarketTables, old: &str) -> Option<String> {
    let rows = in_memory(tables, FORMER_NAMES)?;
    let (symbols, names) = (texts(rows, "symbol")?, texts(rows, "former_name")?);
    let rows_of_name = (0..rows.num_rows()).filter(|row| text_at(names, *row) == Some(old));
    let mut found_symbols = rows_of_name.filter_map(|row| text_at(symbols, row));
    found_symbols.next().filter(|_| found_symbols.next().is_none()).map(str::to_owned)
}

/// Returns the symbols and names that the company with this symbol had on an earlier day.
pub(crate) fn names_on(tables: &MarketTables, symbol: &str, day: NaiveDate) -> Vec<String> {
    let find_names = || -> Option<Vec<String>> {
        let rows = in_memory(tables, FORMER_NAMES)?;
        let (symbols, names) = (texts(rows, "symbol")?, texts(rows, "former_name")?);
        let until = rows.column_by_name("until")?.as_primitive_opt::<Date32Type>()?;
        let had_on_day =
            |row: &usize| until.is_valid(*row) && until.value_as_date(*row).is_some_and(|until| until > day);
        let rows_of_symbol =
            (0..rows.num_rows()).filter(|row| text_at(symbols, *row) == Some(symbol) && had_on_day(row));
        Some(rows_of_symbol.filter_map(|row| text_at(names, row)).map(str::to_owned).collect())
    };
    find_names().unwrap_or_default()
}

/// Returns the number of a market's stocks without a sector, and the number of all; `None` without a list of stocks.
pub(crate) fn without_sector(tables: &MarketTables) -> Option<(usize, usize)> {
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

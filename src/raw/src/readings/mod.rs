//! Rows of user-supplied tables that rules make from documents, without a language model: tone, guidance, phrases and figures of calls, and
//! contracts. A table gets them where no file has a row of the same company and day.
//!
//! This module reads no files. It knows the tables by their names, and fills only columns that they have.

// Texts.
mod words;
mod amounts;
mod fact_words;

// The rules.
mod orders;
mod figures;
mod tones;

// Documents, and the rows derived from them.
mod documents;
mod rows;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;

use self::documents::{SuppliedDocument, documents};
use self::rows::{NamedCells, TableCells};
use crate::domain::provenance::Provenance;
use crate::in_order::map_in_order;
use crate::table_files::compare_cells;
use crate::user_tables::cell::{KeyPart, UserCell, UserRow};
use crate::user_tables::file::{UserTable, UserTables};
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::Market;

const DOCUMENTS: &str = "documents";
const CONTRACTS: &str = "order_wins";
const FILLED_TABLES: [&str; 5] =
    ["call_numbers", "call_phrases", "guidance_tones", "management_tones", CONTRACTS];

/// Adds the rows that rules make from documents of companies for which `is_known` returns true. Returns a sentence for each table with such
/// rows. If there are documents, these tables exist, even without a row.
pub(crate) fn complete(
    user_rows: &mut BTreeMap<String, Vec<UserRow>>,
    tables: &UserTables,
    market: Market,
    is_known: impl Fn(&str) -> bool,
) -> Vec<String> {
    let (Some(table), Some(rows)) = (tables.table_named(DOCUMENTS), user_rows.get(DOCUMENTS)) else {
        return Vec::new();
    };
    let mut documents = documents(table, rows);
    documents.retain(|document| is_known(document.symbol));
    let derived = read_documents(documents, market);
    let mut notes = Vec::new();
    for name in FILLED_TABLES {
        let Some(table) = tables.table_named(name) else { continue };
        let rows = user_rows.entry(name.to_owned()).or_default();
        let of_table = derived.iter().filter(|(filled, _)| *filled == name);
        let derived = missing_rows(table, rows, of_table.map(|(_, cells)| row(table, cells)));
        if !derived.is_empty() {
            let rows = counted(derived.len(), "row", "rows");
            notes.push(format!("made by rules from documents: {rows} of the table `{name}`"));
        }
        rows.extend(derived);
        rows.sort_by(|a, b| compare_cells(a, b, &table.sorted));
    }
    notes
}

/// Returns the rows of all documents, in the order of the documents.
fn read_documents(documents: Vec<SuppliedDocument<'_>>, market: Market) -> Vec<TableCells> {
    let mut calls: HashMap<(&str, NaiveDate), usize> = HashMap::new();
    for (at, document) in documents.iter().enumerate() {
        let Some(period) = document.period_end.filter(|_| rank(document) > 0) else { continue };
        let best = calls.entry((document.symbol, period)).or_insert(at);
        // Of two documents of one kind, the later one is used.
        if documents.get(*best).is_some_and(|best| rank(best) <= rank(document)) {
            *best = at;
        }
    }
    let calls: HashSet<usize> = calls.into_values().collect();
    let document_rows = |(at, document): (usize, SuppliedDocument<'_>)| {
        let mut rows = if calls.contains(&at) { rows::call_rows(&document, market) } else { Vec::new() };
        rows.extend(rows::contract_row(&document, market));
        rows
    };
    let rows = map_in_order(documents.into_iter().enumerate().collect(), document_rows);
    let mut rows: Vec<TableCells> = rows.into_iter().flatten().collect();
    number_headlines(&mut rows);
    rows
}

/// Numbers the headlines of different contracts that a company reported on one day under one headline, such as the name of a regulation.
fn number_headlines(derived: &mut [TableCells]) {
    let mut by_headline: HashMap<Vec<KeyCell>, Vec<NamedCells>> = HashMap::new();
    for (_, cells) in derived.iter_mut().filter(|(table, _)| *table == CONTRACTS) {
        let headline = ["symbol", "filed_on", "title"].map(|name| key_part(cell(cells, name))).to_vec();
        let contract: NamedCells = cells.iter().filter(|(name, _)| *name != "source").cloned().collect();
        let contracts = by_headline.entry(headline).or_default();
        if contracts.contains(&contract) {
            continue;
        }
        contracts.push(contract);
        let number = contracts.len();
        let title = cells.iter_mut().find(|(name, _)| *name == "title");
        if let Some((_, UserCell::Text(title))) = title.filter(|_| number > 1) {
            *title = format!("{title} ({number})");
        }
    }
}

/// Returns the rank of a document among those on one earnings call; 0 for a document on something else.
fn rank(document: &SuppliedDocument<'_>) -> u8 {
    match document.kind {
        "transcript" => 2,
        "press_release" => 1,
        _ => 0,
    }
}

/// Returns the row of a table with these values.
fn row(table: &UserTable, cells: &NamedCells) -> UserRow {
    let value = |name: &str| cell(cells, name).cloned().unwrap_or(UserCell::Null);
    UserRow(table.columns.iter().map(|column| value(&column.name)).collect(), Provenance::default())
}

fn cell<'a>(cells: &'a [(&'static str, UserCell)], name: &str) -> Option<&'a UserCell> {
    cells.iter().find(|(known, _)| *known == name).map(|(_, cell)| cell)
}

/// Returns the derived rows of companies and days for which no file has a row, each key once.
fn missing_rows(
    table: &UserTable,
    supplied: &[UserRow],
    derived: impl Iterator<Item = UserRow>,
) -> Vec<UserRow> {
    let positions: Vec<usize> = table.symbol.into_iter().chain(table.key_date).collect();
    let supplied: HashSet<Vec<KeyCell>> = supplied.iter().map(|row| key(row, &positions)).collect();
    let mut seen_keys = HashSet::new();
    derived
        .filter(|row| !supplied.contains(&key(row, &positions)) && seen_keys.insert(key(row, &table.key)))
        .collect()
}

/// A cell of a key, as a number or a text.
type KeyCell = (Option<i64>, Option<String>);

/// Returns the cells of a row at these positions.
fn key(row: &UserRow, positions: &[usize]) -> Vec<KeyCell> {
    positions.iter().map(|at| key_part(row.0.get(*at))).collect()
}

fn key_part(cell: Option<&UserCell>) -> KeyCell {
    match cell.map(UserCell::key) {
        Some(KeyPart::Int(value)) => (Some(value), None),
        Some(KeyPart::Text(text)) => (None, Some(text.into_owned())),
        Some(KeyPart::Null) | None => (None, None),
    }
}

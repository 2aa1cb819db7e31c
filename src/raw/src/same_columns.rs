//! Rows that a table gets from another table, in the columns that have the same names in both.

use std::collections::{BTreeMap, BTreeSet};

use crate::table_files::compare_cells;
use crate::user_tables::cell::{KeyPart, UserCell, UserRow};
use crate::user_tables::file::{UserTable, UserTables};
use parquote_catalogue::digits::counted;

/// Tables that get rows from another table's files, each with that table.
const STATED: [(&str, &str); 1] = [("pledges", "shareholding")];

/// Adds the rows whose key no file has, and returns a sentence for each table that got some. A row without a value in a column that must
/// have one is left out.
pub(crate) fn add(user_rows: &mut BTreeMap<String, Vec<UserRow>>, tables: &UserTables) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, from) in STATED {
        let (Some(table), Some(other)) = (tables.named(name), tables.named(from)) else { continue };
        let rows_of = |name: &str| user_rows.get(name).map_or(&[][..], Vec::as_slice);
        let made = missing_rows(table, rows_of(name), other, rows_of(from));
        if made.is_empty() {
            continue;
        }
        let rows = counted(made.len(), "row", "rows");
        notes.push(format!("taken from the table `{from}`: {rows} of the table `{name}`"));
        let rows = user_rows.entry(name.to_owned()).or_default();
        rows.extend(made);
        rows.sort_by(|a, b| compare_cells(a, b, &table.sorted));
    }
    notes
}

/// Returns the rows of another table whose key no row of a table has.
fn missing_rows(table: &UserTable, rows: &[UserRow], other: &UserTable, stated: &[UserRow]) -> Vec<UserRow> {
    let known: BTreeSet<Vec<KeyPart<'_>>> = rows.iter().map(|row| key(row, &table.key)).collect();
    let stated = stated.iter().filter_map(|row| convert_row(row, other, table));
    stated.filter(|row| !known.contains(&key(row, &table.key))).collect()
}

/// Returns the row of a table with the cells of a row of another one.
fn convert_row(row: &UserRow, of: &UserTable, table: &UserTable) -> Option<UserRow> {
    let cells = table.columns.iter().map(|column| {
        let position = of.columns.iter().position(|known| known.name == column.name);
        let cell = position.and_then(|at| row.0.get(at)).cloned().unwrap_or(UserCell::Null);
        (column.nullable || cell != UserCell::Null).then_some(cell)
    });
    Some(UserRow(cells.collect::<Option<_>>()?, row.1.clone()))
}

fn key<'a>(row: &'a UserRow, places: &[usize]) -> Vec<KeyPart<'a>> {
    places.iter().filter_map(|at| row.0.get(*at).map(UserCell::key)).collect()
}

//! Rows that a table gets from another table, in the columns that have the same names in both.

use std::collections::{BTreeMap, BTreeSet};

use crate::table_files::compare_cells;
use crate::user_tables::cell::{KeyPart, UserCell, UserRow};
use crate::user_tables::file::{UserTable, UserTables};
use parquote_catalogue::digits::counted;

/// Pairs of tables: the first gets rows from the files of the second.
const TABLE_PAIRS: [(&str, &str); 1] = [("pledges", "shareholding")];

/// Adds the rows whose key no file has, and returns a sentence for each table with such rows. A row without a value in a required column is
/// left out.
pub(crate) fn add(user_rows: &mut BTreeMap<String, Vec<UserRow>>, tables: &UserTables) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, from) in TABLE_PAIRS {
        let (Some(table), Some(other)) = (tables.table_named(name), tables.table_named(from)) else {
            continue;
        };
        let rows_of = |name: &str| user_rows.get(name).map_or(&[][..], Vec::as_slice);
        let added = missing_rows(table, rows_of(name), other, rows_of(from));
        if added.is_empty() {
            continue;
        }
        let rows = counted(added.len(), "row", "rows");
        notes.push(format!("taken from the table `{from}`: {rows} of the table `{name}`"));
        let rows = user_rows.entry(name.to_owned()).or_default();
        rows.extend(added);
        rows.sort_by(|a, b| compare_cells(a, b, &table.sorted));
    }
    notes
}

/// Converts the rows of another table, except those whose key a row of `rows` has.
fn missing_rows(
    table: &UserTable,
    rows: &[UserRow],
    other: &UserTable,
    other_rows: &[UserRow],
) -> Vec<UserRow> {
    let known: BTreeSet<Vec<KeyPart<'_>>> = rows.iter().map(|row| key(row, &table.key)).collect();
    let converted = other_rows.iter().filter_map(|row| convert_row(row, other, table));
    converted.filter(|row| !known.contains(&key(row, &table.key))).collect()
}

/// Converts a row of another table; `None` if it has no value in a required column.
fn convert_row(row: &UserRow, other: &UserTable, table: &UserTable) -> Option<UserRow> {
    let cells = table.columns.iter().map(|column| {
        let position = other.columns.iter().position(|known| known.name == column.name);
        let cell = position.and_then(|at| row.0.get(at)).cloned().unwrap_or(UserCell::Null);
        (column.nullable || cell != UserCell::Null).then_some(cell)
    });
    Some(UserRow(cells.collect::<Option<_>>()?, row.1.clone()))
}

fn key<'a>(row: &'a UserRow, positions: &[usize]) -> Vec<KeyPart<'a>> {
    positions.iter().filter_map(|at| row.0.get(*at).map(UserCell::key)).collect()
}

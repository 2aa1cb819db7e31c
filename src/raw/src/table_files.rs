//! Rows of tables in files, user-supplied or staged: read, moved to current symbols, and reduced to one per key.
//!
//! Of two rows with the same key, the row of the newer file is used, by the date in the file's name, else by its path; within one file, the
//! later row.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use datafusion::error::DataFusionError;

use crate::accounts::row_accounts::{ReadPiece, RowAccounts};
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::in_order::map_in_order;
use crate::records::duplicates::{Duplicate, as_often_as_in_one_file, one_of_each, positions_by_key};
use crate::records::positioned_row::PositionedRow;
use crate::records::raw_format::Layout;
use crate::row_reader::{CheckedRow, read_in_batches};
use crate::symbols::SymbolChanges;
use crate::user_tables::cell::{KeyPart, UserCell, UserRow};
use crate::user_tables::file::{UserTable, UserTableFile, UserTables, mistake};
use crate::user_tables::staged_rows::StagedRows;
use parquote_catalogue::operation::CompletionRule;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates;

/// The rows of files, by table.
pub(crate) type UserRows = BTreeMap<String, Vec<PositionedRow<UserRow>>>;

/// Reads all files of user-supplied and staged tables.
pub(crate) fn read(
    sources: &[RawSource],
    as_of: Option<NaiveDate>,
    accounts: &mut RowAccounts<'_>,
) -> Result<UserRows, RawError> {
    let supplied = sources.iter().filter_map(|source| match &source.layout {
        Layout::UserTable(file) => Some((source, file)),
        _ => None,
    });
    let pieces =
        map_in_order(supplied.collect(), |(source, file)| (source, file, file_pieces(source, file, as_of)));
    let mut tables = UserRows::new();
    for (source, file, pieces) in pieces {
        let rows = tables.entry(file.table.name.clone()).or_default();
        let pieces = pieces.map_err(|error| RawError::Declaration(mistake(&file.table.name, 1, &error)))?;
        for mut piece in pieces {
            accounts.book(source, &mut piece)?;
            rows.extend(piece.rows.into_iter().map(|(line, row)| PositionedRow {
                row,
                file: source.rank,
                line,
            }));
        }
        if !file.unknown.is_empty() {
            accounts.report.exceptions.push(format!(
                "{} has columns that the table `{}` has not: {}",
                source.name,
                file.table.name,
                file.unknown.join(", ").to_lowercase()
            ));
        }
    }
    Ok(tables)
}

/// Returns the days from which rows were known, if the rows have them.
pub(crate) fn days_known<'a>(
    supplied: &'a UserRows,
    tables: &'a UserTables,
) -> impl Iterator<Item = NaiveDate> + 'a {
    let of_table = move |(name, rows): (&'a String, &'a Vec<PositionedRow<UserRow>>)| {
        let table = tables.table_named(name)?;
        Some(rows.iter().filter_map(move |placed| table.known_on(&placed.row.0)))
    };
    supplied.iter().filter_map(of_table).flatten()
}

/// Reads the pieces of a file: the refused rows of each are packed before the next is read.
fn file_pieces(
    source: &RawSource,
    file: &UserTableFile,
    as_of: Option<NaiveDate>,
) -> Result<Vec<ReadPiece<(u32, UserRow)>>, DataFusionError> {
    let is_too_new = |row: &[UserCell]| {
        as_of.is_some_and(|as_of| {
            file.known_from.or_else(|| file.table.known_on(row)).is_some_and(|date| date > as_of)
        })
    };
    // User-supplied rows may be announcements.
    let tomorrow = dates::tomorrow();
    let is_to_come = |row: &[UserCell]| {
        file.table.staged.is_some() && file.table.known_on(row).is_some_and(|date| date > tomorrow)
    };
    let check = |rows: &[Vec<CellRecord>]| -> Result<Vec<CheckedRow<(u32, UserRow)>>, DataFusionError> {
        let records: Vec<&CellRecord> = rows.iter().flatten().collect();
        let read = file.rows(&records)?.into_iter();
        let checked = read.zip(records).map(|(row, record)| match row {
            Ok(row) if is_too_new(&row) => Err((Reason::AfterAsOf.label().into(), None)),
            Ok(row) if is_to_come(&row) => Err((Reason::StillToCome.label().into(), None)),
            row => row.map(|row| (record.line(), UserRow(row, source.provenance.clone()))),
        });
        Ok(checked.map(|row| (0, row)).collect())
    };
    let mut pieces = Vec::new();
    read_in_batches(source, &[], check, |piece| {
        pieces.push(piece);
        true
    })?;
    Ok(pieces)
}

/// Reduces rows to one per key, under current symbols. `assumed` dates rows without a date; `has_bars` returns true for a symbol in use.
pub(crate) fn settle(
    mut supplied: UserRows,
    tables: &UserTables,
    symbols: &SymbolChanges,
    assumed: NaiveDate,
    has_bars: impl Fn(&str) -> bool + Sync,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> BTreeMap<String, Vec<UserRow>> {
    for name in tables.always_present() {
        supplied.entry(name.to_owned()).or_default();
    }
    let settled = map_in_order(supplied.into_iter().collect(), |(name, mut rows)| {
        let table = tables.table_named(&name)?;
        for placed in &mut rows {
            match &table.staged {
                Some(_) => renew_staged(table, &mut placed.row, symbols, assumed),
                None => renew_symbol(table, &mut placed.row, symbols, &has_bars),
            }
        }
        complete(table, &mut rows);
        let (mut rows, duplicates) = match table.number {
            Some(number) => number_rows(table, rows, number),
            None => one_of_each(rows, |a, b| compare_cells(a, b, &table.key)),
        };
        rows.sort_by(|a, b| compare_cells(a, b, &table.sorted));
        for row in &mut rows {
            row.fill_source(table.source);
        }
        Some((name, rows, duplicates))
    });
    let booked = settled.into_iter().flatten().map(|(name, rows, duplicates)| {
        accounts.book_duplicates(&duplicates, sources);
        (name, rows)
    });
    booked.collect()
}

/// Replaces the symbol of a row with the current one; an undated row keeps a symbol that has bars.
fn renew_symbol(
    table: &UserTable,
    row: &mut UserRow,
    symbols: &SymbolChanges,
    has_bars: impl Fn(&str) -> bool,
) {
    let known = table.known_on(&row.0);
    let Some(UserCell::Text(symbol)) = table.symbol.and_then(|at| row.0.get_mut(at)) else { return };
    if known.is_some() || !has_bars(symbol) {
        symbols.renew(symbol, known);
    }
}

/// Replaces the symbol of a staged row with the current one; a missing date becomes `assumed`.
fn renew_staged(table: &UserTable, row: &mut UserRow, symbols: &SymbolChanges, assumed: NaiveDate) {
    let Some(date) = table.key_date.and_then(|at| row.0.get_mut(at)) else { return };
    let date = match date {
        UserCell::Date(date) => *date,
        cell => {
            *cell = UserCell::Date(assumed);
            assumed
        }
    };
    if let Some(UserCell::Text(symbol)) = table.symbol.and_then(|at| row.0.get_mut(at)) {
        symbols.renew(symbol, date);
    }
}

/// Fills missing values of a row with those of the newest row of the same key that has them, if the two rows agree.
fn complete(table: &UserTable, rows: &mut [PositionedRow<UserRow>]) {
    /// Tolerance for figures rounded to two decimals, and for one that a filing truncates instead.
    const ROUNDING_TOLERANCE: f64 = 0.1;
    let CompletionRule { columns, having, agreeing } = &table.completed;
    if columns.is_empty() {
        return;
    }
    let order =
        |a: &PositionedRow<UserRow>, b: &PositionedRow<UserRow>| compare_cells(&a.row, &b.row, &table.key);
    rows.sort_by(|a, b| order(a, b).then_with(|| (a.file, a.line).cmp(&(b.file, b.line))));
    for run in rows.chunk_by_mut(|a, b| order(a, b).is_eq()) {
        let has =
            |row: &UserRow| having.iter().any(|at| row.0.get(*at).is_some_and(|it| *it != UserCell::Null));
        let Some(full) = run.iter().rfind(|placed| has(&placed.row)).map(|placed| placed.row.clone()) else {
            continue;
        };
        for PositionedRow { row, .. } in run {
            let is_near = |at: &usize| matches!((row.0.get(*at), full.0.get(*at)), (Some(UserCell::Number(a)), Some(UserCell::Number(b))) if (a - b).abs() <= ROUNDING_TOLERANCE);
            if agreeing.iter().all(is_near) {
                for at in columns {
                    if let (Some(cell @ UserCell::Null), Some(known)) = (row.0.get_mut(*at), full.0.get(*at))
                    {
                        *cell = known.clone();
                    }
                }
            }
        }
    }
}

/// Keeps as many equal rows as the file with most of them has, and numbers the rows of each key in the column at position `number`.
fn number_rows(
    table: &UserTable,
    rows: Vec<PositionedRow<UserRow>>,
    number: usize,
) -> (Vec<UserRow>, Vec<Duplicate>) {
    let key: Vec<usize> = table.key.iter().copied().filter(|at| *at != number).collect();
    let order_length = table.staged.as_ref().map_or(0, StagedRows::order_length);
    let order_cells = |row: &UserRow| row.0.len().saturating_sub(order_length)..row.0.len();
    let whole_key =
        |row| key.iter().copied().chain(order_cells(row)).map(|at| key_part(row, at)).collect::<Vec<_>>();
    let positions = positions_by_key(&rows, whole_key);
    let (mut rows, duplicates) = as_often_as_in_one_file(rows, &positions);
    for run in rows.chunk_by_mut(|a, b| compare_cells(a, b, &key).is_eq()) {
        for (position, row) in (1..).zip(run) {
            row.0.get_mut(number).into_iter().for_each(|cell| *cell = UserCell::Int(position));
        }
    }
    (rows, duplicates)
}

fn key_part(row: &UserRow, at: usize) -> Option<KeyPart<'_>> {
    row.0.get(at).map(UserCell::key)
}

/// Compares two rows by their cells at these positions.
pub(crate) fn compare_cells(a: &UserRow, b: &UserRow, positions: &[usize]) -> Ordering {
    let unequal = |at: &usize| {
        let order = a.0.get(*at).map(UserCell::key).cmp(&b.0.get(*at).map(UserCell::key));
        order.is_ne().then_some(order)
    };
    positions.iter().find_map(unequal).unwrap_or(Ordering::Equal)
}

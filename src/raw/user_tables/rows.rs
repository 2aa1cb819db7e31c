//! Rows that users supply for tables: read, put under the symbols of now, each key once.
//!
//! Of two rows with one key that of the newer file stands, by the date in its name, else by its path; in one file the later.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::raw::accounts::ledger::{FilePiece, ReadPiece, RowLedger};
use crate::raw::domain::reason::Reason;
use crate::raw::error::RawError;
use crate::raw::files::source::RawSource;
use crate::raw::in_order::map_in_order;
use crate::raw::records::duplicates::one_of_each;
use crate::raw::records::placed::Placed;
use crate::raw::records::raw_format::Layout;
use crate::raw::symbols::Symbols;
use crate::raw::user_tables::cell::UserCell;
use crate::raw::user_tables::file::{UserRow, UserTable, UserTableFile};

/// The rows of each table as its files have them.
pub(crate) type UserRows = BTreeMap<String, Vec<Placed<UserRow>>>;

/// Reads all files of such tables.
pub(crate) fn read(
    sources: &[RawSource],
    as_of: Option<NaiveDate>,
    ledger: &mut RowLedger<'_>,
) -> Result<UserRows, RawError> {
    let supplied = sources.iter().filter_map(|source| match &source.layout {
        Layout::UserTable(file) => Some((source, file)),
        _ => None,
    });
    let pieces =
        map_in_order(supplied.collect(), |(source, file)| (source, file, of_file(source, file, as_of)));
    let mut tables = UserRows::new();
    for (source, file, pieces) in pieces {
        let rows = tables.entry(file.table().to_owned()).or_default();
        for mut piece in pieces {
            ledger.book(source, &mut piece)?;
            rows.extend(piece.rows.into_iter().map(|(line, row)| Placed { row, file: source.rank, line }));
        }
        if !file.unknown.is_empty() {
            ledger.report.exceptions.push(format!(
                "{} has columns that the table `{}` has not: {}",
                source.name,
                file.table(),
                file.unknown.join(", ").to_lowercase()
            ));
        }
    }
    Ok(tables)
}

/// The pieces of a file: what is refused of each is packed before the next is read.
fn of_file(
    source: &RawSource,
    file: &UserTableFile,
    as_of: Option<NaiveDate>,
) -> Vec<ReadPiece<(u32, UserRow)>> {
    let mut pieces = Vec::new();
    let mut piece = FilePiece::of(source);
    let is_too_new =
        |row: &UserRow| matches!((file.table.known(row), as_of), (Some(date), Some(as_of)) if date > as_of);
    let outcome = source.records(|record| {
        let row = file.row(record).and_then(|row| {
            let row = row.from(file.table.source, &source.provenance);
            if is_too_new(&row) { Err((Reason::AfterAsOf, None)) } else { Ok((record.line(), row)) }
        });
        piece.add_supplied(record, row);
        pieces.extend(piece.full());
        true
    });
    pieces.push(piece.close_after(outcome));
    pieces
}

/// Each key once, under the symbols that companies have now; `has_bars` tells the symbols that are in use.
pub(crate) fn settle(
    supplied: UserRows,
    symbols: &Symbols,
    has_bars: impl Fn(&str) -> bool + Sync,
    sources: &[RawSource],
    ledger: &mut RowLedger<'_>,
) -> BTreeMap<String, Vec<UserRow>> {
    let settled = map_in_order(supplied.into_iter().collect(), |(name, mut rows)| {
        let table = sources.iter().find_map(|source| match &source.layout {
            Layout::UserTable(file) if file.table() == name => Some(&*file.table),
            _ => None,
        })?;
        for placed in &mut rows {
            follow(table, &mut placed.row, symbols, &has_bars);
        }
        let (mut rows, duplicates) = one_of_each(rows, |a, b| compared(a, b, &table.key));
        rows.sort_by(|a, b| compared(a, b, &table.sorted));
        Some((name, rows, duplicates))
    });
    let booked = settled.into_iter().flatten().map(|(name, rows, duplicates)| {
        ledger.book_duplicates(&duplicates, sources);
        (name, rows)
    });
    booked.collect()
}

/// Puts a row under the symbol that its company has now. A row that is not dated moves only from a symbol that is in use no more.
fn follow(table: &UserTable, row: &mut UserRow, symbols: &Symbols, has_bars: impl Fn(&str) -> bool) {
    let known = table.known(row);
    let Some(UserCell::Text(symbol)) = table.symbol.and_then(|at| row.0.get_mut(at)) else { return };
    match known {
        Some(date) => symbols.renew(symbol, date),
        None if has_bars(symbol) => {}
        None => symbols.renew(symbol, NaiveDate::MIN),
    }
}

/// The order of two rows by their cells in these places.
fn compared(a: &UserRow, b: &UserRow, places: &[usize]) -> Ordering {
    let unequal = |at: &usize| {
        let order = a.0.get(*at).map(UserCell::key).cmp(&b.0.get(*at).map(UserCell::key));
        order.is_ne().then_some(order)
    };
    places.iter().find_map(unequal).unwrap_or(Ordering::Equal)
}

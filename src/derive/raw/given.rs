//! Rows that raw files give for tables of their name: read, put under the symbols of now, each key once.
//!
//! Of two rows with one key that of the newer file stands, by the date in its name, else by its path; in one file the later.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::RawError;
use super::files::Source;
use super::format::Layout;
use super::given_cell::GivenCell;
use super::given_file::{GivenFile, GivenTable};
use super::in_order::map_in_order;
use super::ledger::{Ledger, Piece, ReadPiece};
use super::placed::{Placed, book, one_of_each};
use super::provenance::Provenance;
use super::reason::Reason;
use super::symbol_history::Symbols;

/// A row of a given table: a cell for each column of the market's copy.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenRow(pub Vec<GivenCell>);

impl GivenRow {
    /// The row, which says in its column of that place where it is from if it did not.
    fn from(mut self, place: Option<usize>, provenance: &Provenance) -> Self {
        let cell = place.and_then(|place| self.0.get_mut(place));
        if let (Some(cell @ GivenCell::Null), Some(words)) = (cell, provenance.words()) {
            *cell = GivenCell::Text(words.to_owned());
        }
        self
    }
}

/// The rows of each table as its files have them.
pub(crate) type GivenRows = BTreeMap<String, Vec<Placed<GivenRow>>>;

/// Reads all files that give a table.
pub(crate) fn read(
    sources: &[Source],
    as_of: Option<NaiveDate>,
    ledger: &mut Ledger<'_>,
) -> Result<GivenRows, RawError> {
    let given = sources.iter().filter_map(|source| match &source.layout {
        Layout::Given(file) => Some((source, file)),
        _ => None,
    });
    let pieces = map_in_order(given.collect(), |(source, file)| (source, file, of_file(source, file, as_of)));
    let mut tables = GivenRows::new();
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
fn of_file(source: &Source, file: &GivenFile, as_of: Option<NaiveDate>) -> Vec<ReadPiece<(u32, GivenRow)>> {
    let mut pieces = Vec::new();
    let mut piece = Piece::of(source);
    let is_too_new =
        |row: &GivenRow| matches!((file.table.known(row), as_of), (Some(date), Some(as_of)) if date > as_of);
    let outcome = source.records(|record| {
        let row = file.row(record).and_then(|row| {
            let row = row.from(file.table.source, &source.provenance);
            if is_too_new(&row) { Err((Reason::AfterAsOf, None)) } else { Ok((record.line(), row)) }
        });
        piece.add_given(record, row);
        pieces.extend(piece.full());
        true
    });
    pieces.push(piece.close_after(outcome));
    pieces
}

/// Each key once, under the symbols that companies have now; `has_bars` tells the symbols that are in use.
pub(crate) fn settle(
    given: GivenRows,
    symbols: &Symbols,
    has_bars: impl Fn(&str) -> bool + Sync,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> BTreeMap<String, Vec<GivenRow>> {
    let settled = map_in_order(given.into_iter().collect(), |(name, mut rows)| {
        let table = sources.iter().find_map(|source| match &source.layout {
            Layout::Given(file) if file.table() == name => Some(&*file.table),
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
        book(&duplicates, sources, ledger);
        (name, rows)
    });
    booked.collect()
}

/// Puts a row under the symbol that its company has now. A row that is not dated moves only from a symbol that is in use no more.
fn follow(table: &GivenTable, row: &mut GivenRow, symbols: &Symbols, has_bars: impl Fn(&str) -> bool) {
    let known = table.known(row);
    let Some(GivenCell::Text(symbol)) = table.symbol.and_then(|at| row.0.get_mut(at)) else { return };
    match known {
        Some(date) => symbols.renew(symbol, date),
        None if has_bars(symbol) => {}
        None => symbols.renew(symbol, NaiveDate::MIN),
    }
}

/// The order of two rows by their cells in these places.
fn compared(a: &GivenRow, b: &GivenRow, places: &[usize]) -> Ordering {
    let unequal = |at: &usize| {
        let order = a.0.get(*at).map(GivenCell::key).cmp(&b.0.get(*at).map(GivenCell::key));
        order.is_ne().then_some(order)
    };
    places.iter().find_map(unequal).unwrap_or(Ordering::Equal)
}

//! Removes duplicates of rows in several files: each row remains once, or as often as one file has it.
//!
//! Every removed row is returned as a [`Duplicate`], so that the caller adds it to the accounts of its file.

use std::cmp::Ordering;

use crate::records::positioned_row::PositionedRow;

/// A row that is not used because another row has the same key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Duplicate {
    /// The rank of its file.
    pub(crate) file: u32,
    /// True if it equals the row that is used.
    pub(crate) is_same: bool,
}

/// Returns one row per key, sorted by key: the last row of the newest file. `order` compares the keys of two rows.
///
/// Rows that are sorted already, as in most files, are not sorted again.
pub(crate) fn one_of_each<T: PartialEq>(
    mut rows: Vec<PositionedRow<T>>,
    order: impl Fn(&T, &T) -> Ordering,
) -> (Vec<T>, Vec<Duplicate>) {
    rows.sort_by(|a, b| order(&a.row, &b.row).then_with(|| (b.file, b.line).cmp(&(a.file, a.line))));
    let mut rows_in_use: Vec<T> = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for placed in rows {
        match rows_in_use.last().filter(|last| order(last, &placed.row).is_eq()) {
            Some(same) => duplicates.push(Duplicate { file: placed.file, is_same: *same == placed.row }),
            None => rows_in_use.push(placed.row),
        }
    }
    (rows_in_use, duplicates)
}

/// Returns the rows of each key from the file with most of them; of several such files, from the newest. Every figure is part of the key.
///
/// Equal rows of one file are several deals; equal rows of two files are one deal that both report. `positions` comes from
/// [`positions_by_key`].
pub(crate) fn as_often_as_in_one_file<T>(
    rows: Vec<PositionedRow<T>>,
    positions: &[(usize, bool)],
) -> (Vec<T>, Vec<Duplicate>) {
    let mut rows: Vec<Option<PositionedRow<T>>> = rows.into_iter().map(Some).collect();
    let mut rows_in_use = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for (at, is_used) in positions {
        match rows.get_mut(*at).and_then(Option::take) {
            Some(row) if *is_used => rows_in_use.push(row.row),
            Some(row) => duplicates.push(Duplicate { file: row.file, is_same: true }),
            None => {}
        }
    }
    (rows_in_use, duplicates)
}

/// Returns the positions of rows, sorted by key, each with true if it is in the file that has its key most often.
pub(crate) fn positions_by_key<'a, T, K: Ord>(
    rows: &'a [PositionedRow<T>],
    key: impl Fn(&'a T) -> K,
) -> Vec<(usize, bool)> {
    let mut keyed: Vec<(K, u32, usize)> =
        rows.iter().enumerate().map(|(at, placed)| (key(&placed.row), placed.file, at)).collect();
    keyed.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let mut positions = Vec::with_capacity(keyed.len());
    for equal in keyed.chunk_by(|a, b| a.0 == b.0) {
        let of_files = equal.chunk_by(|a, b| a.1 == b.1);
        let longest = of_files.max_by_key(|rows| rows.len()).and_then(|rows| rows.first());
        let file_in_use = longest.map_or(0, |(_, file, _)| *file);
        positions.extend(equal.iter().map(|(_, file, at)| (*at, *file == file_in_use)));
    }
    positions
}

//! Removes duplicates of rows in several files: each row remains once, or as often as one file has it.
//!
//! Every removed row is returned as a duplicate, with a flag whether it equals the row in use: it has to be booked.

use std::cmp::Ordering;

use crate::records::placed::PositionedRow;

/// A row that is not used because another row has the same key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Duplicate {
    /// The rank of its file.
    pub(crate) file: u32,
    pub(crate) is_same: bool,
}

/// Returns one row per key, by key: that of the newest file, and in it the last. `order` compares the keys of two rows.
///
/// Rows that are sorted already, as in most files, are not sorted again.
pub(crate) fn one_of_each<T: PartialEq>(
    mut rows: Vec<PositionedRow<T>>,
    order: impl Fn(&T, &T) -> Ordering,
) -> (Vec<T>, Vec<Duplicate>) {
    rows.sort_by(|a, b| order(&a.row, &b.row).then_with(|| (b.file, b.line).cmp(&(a.file, a.line))));
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for placed in rows {
        match kept.last().filter(|kept| order(kept, &placed.row).is_eq()) {
            Some(same) => duplicates.push(Duplicate { file: placed.file, is_same: *same == placed.row }),
            None => kept.push(placed.row),
        }
    }
    (kept, duplicates)
}

/// Returns the rows of each key from the file that has most of them; of several such files, from the newest. Every figure is part of the key.
///
/// Equal rows of one file are several deals; equal rows of two files are one deal that both report. `places` is from [`most_often`].
pub(crate) fn as_often_as_in_one_file<T>(
    rows: Vec<PositionedRow<T>>,
    places: &[(usize, bool)],
) -> (Vec<T>, Vec<Duplicate>) {
    let mut rows: Vec<Option<PositionedRow<T>>> = rows.into_iter().map(Some).collect();
    let mut kept = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for (at, is_kept) in places {
        match rows.get_mut(*at).and_then(Option::take) {
            Some(row) if *is_kept => kept.push(row.row),
            Some(row) => duplicates.push(Duplicate { file: row.file, is_same: true }),
            None => {}
        }
    }
    (kept, duplicates)
}

/// Returns the positions of rows in the order of their keys; true for the rows of the file that has a key most often.
pub(crate) fn most_often<'a, T, K: Ord>(
    rows: &'a [PositionedRow<T>],
    key: impl Fn(&'a T) -> K,
) -> Vec<(usize, bool)> {
    let mut keyed: Vec<(K, u32, usize)> =
        rows.iter().enumerate().map(|(at, placed)| (key(&placed.row), placed.file, at)).collect();
    keyed.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let mut places = Vec::with_capacity(keyed.len());
    for equal in keyed.chunk_by(|a, b| a.0 == b.0) {
        let of_files = equal.chunk_by(|a, b| a.1 == b.1);
        let longest = of_files.max_by_key(|rows| rows.len()).and_then(|rows| rows.first());
        let most = longest.map_or(0, |(_, file, _)| *file);
        places.extend(equal.iter().map(|(_, file, at)| (*at, *file == most)));
    }
    places
}

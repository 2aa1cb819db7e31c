//! Rows that several files hold, each kept once.
//!
//! Every row that is left out is accounted for as a duplicate: the same as the one in use, or different from it.

use std::cmp::Ordering;

use super::files::Source;
use super::ledger::Ledger;

/// A row and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) row: T,
    /// The rank of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// One row a key, by key: that of the newest file, there the last. `order` compares the keys of two rows.
///
/// Rows that are in order already, as files mostly have them, are not sorted again.
pub(crate) fn each_once<T: PartialEq>(
    rows: Vec<Placed<T>>,
    order: impl Fn(&T, &T) -> Ordering,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Vec<T> {
    let (kept, duplicates) = one_of_each(rows, order);
    book(&duplicates, sources, ledger);
    kept
}

/// The same, beside the rows that are left out, which are to be booked.
pub(crate) fn one_of_each<T: PartialEq>(
    mut rows: Vec<Placed<T>>,
    order: impl Fn(&T, &T) -> Ordering,
) -> (Vec<T>, Vec<Duplicate>) {
    rows.sort_by(|a, b| order(&a.row, &b.row).then_with(|| (b.file, b.line).cmp(&(a.file, a.line))));
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    let mut duplicates = Vec::new();
    for placed in rows {
        match kept.last().filter(|kept| order(kept, &placed.row).is_eq()) {
            Some(same) => duplicates.push(Duplicate { file: placed.file, same: *same == placed.row }),
            None => kept.push(placed.row),
        }
    }
    (kept, duplicates)
}

/// All rows whose every figure is their key, by key: as often as the file that has them most often, the newest of such files.
///
/// Equal rows of one file are several deals; equal rows of two files are one deal that both report.
pub(crate) fn as_often_as_in_one_file<T, K: Ord>(
    rows: Vec<Placed<T>>,
    key: impl Fn(&T) -> K,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Vec<T> {
    let mut keyed: Vec<(K, Placed<T>)> = rows.into_iter().map(|placed| (key(&placed.row), placed)).collect();
    let file = |placed: &Placed<T>| placed.file;
    keyed.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| file(a).cmp(&file(b))));
    let most: Vec<u32> = keyed
        .chunk_by(|(one, _), (other, _)| one == other)
        .flat_map(|equal| {
            let of_files = equal.chunk_by(|(_, a), (_, b)| file(a) == file(b));
            let longest = of_files.max_by_key(|rows| rows.len()).and_then(|rows| rows.first());
            std::iter::repeat_n(longest.map_or(0, |(_, placed)| file(placed)), equal.len())
        })
        .collect();
    let mut kept = Vec::with_capacity(keyed.len());
    for ((_, placed), most) in keyed.into_iter().zip(most) {
        if placed.file == most {
            kept.push(placed.row);
        } else {
            duplicate(&placed, true, sources, ledger);
        }
    }
    kept
}

/// A row that is not used, since another says the same or something else of the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Duplicate {
    /// The rank of its file.
    file: u32,
    same: bool,
}

/// Books rows that are not used.
pub(crate) fn book(duplicates: &[Duplicate], sources: &[Source], ledger: &mut Ledger<'_>) {
    for duplicate in duplicates {
        let Some(source) = sources.get(duplicate.file as usize) else { continue };
        let tally = ledger.tally(source);
        tally.kept -= 1;
        if duplicate.same {
            tally.identical += 1;
        } else {
            tally.differing += 1;
        }
    }
}

/// Books one row that is not used.
pub(crate) fn duplicate<T>(placed: &Placed<T>, same: bool, sources: &[Source], ledger: &mut Ledger<'_>) {
    book(&[Duplicate { file: placed.file, same }], sources, ledger);
}

//! Rows that several files hold, each kept once.
//!
//! Every row that is left out is accounted for as a duplicate: the same as the one in use, or different from it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

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

/// One row a key, by key: that of the newest file, there the last.
pub(crate) fn each_once<T: PartialEq, K: Ord>(
    mut rows: Vec<Placed<T>>,
    key: impl Fn(&T) -> K,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Vec<T> {
    rows.sort_by_cached_key(|placed| (key(&placed.row), Reverse((placed.file, placed.line))));
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    for placed in rows {
        match kept.last().filter(|kept| key(kept) == key(&placed.row)) {
            Some(same) => duplicate(&placed, *same == placed.row, sources, ledger),
            None => kept.push(placed.row),
        }
    }
    kept
}

/// All rows whose every figure is their key, by key: as often as the file that has them most often.
///
/// Equal rows of one file are several deals; equal rows of two files are one deal that both report.
pub(crate) fn as_often_as_in_one_file<T, K: Ord>(
    rows: Vec<Placed<T>>,
    key: impl Fn(&T) -> K,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Vec<T> {
    let mut by_key: BTreeMap<K, BTreeMap<u32, Vec<Placed<T>>>> = BTreeMap::new();
    for placed in rows {
        by_key.entry(key(&placed.row)).or_default().entry(placed.file).or_default().push(placed);
    }
    let mut kept = Vec::new();
    for of_files in by_key.into_values() {
        let most = of_files.iter().max_by_key(|(file, rows)| (rows.len(), **file)).map(|(file, _)| *file);
        for (file, rows) in of_files {
            for placed in rows {
                if Some(file) == most {
                    kept.push(placed.row);
                } else {
                    duplicate(&placed, true, sources, ledger);
                }
            }
        }
    }
    kept
}

/// Books a row that is not used, since another says the same or something else of the same.
pub(crate) fn duplicate<T>(placed: &Placed<T>, same: bool, sources: &[Source], ledger: &mut Ledger<'_>) {
    if let Some(source) = sources.get(placed.file as usize) {
        let tally = ledger.tally(source);
        tally.kept -= 1;
        if same {
            tally.identical += 1;
        } else {
            tally.differing += 1;
        }
    }
}

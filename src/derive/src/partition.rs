//! Partitions, of which tables consist, and the plan for each: to reuse it or to compute it.
//!
//! A partition is a part of a calendar year of a long table, or a table in one file. Its key hashes all inputs of its rows, so that two
//! partitions of a table with the same key have the same rows. [`super::partition_reuse`] makes the plan and the table's writer follows
//! it; this file only holds the plan.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// The note of a file under which its key stands.
pub(super) const KEY: &str = "parquote.key";
/// The note under which the key and the number of rows of each of its parts stand, where there are several.
pub(super) const PARTS: &str = "parquote.parts";

/// The rows of a table that one file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartitionSpan {
    /// All of them.
    Whole,
    /// Those of a calendar year.
    Year(i32),
}

impl PartitionSpan {
    /// How the file is called among those of its table; a table in one file has no such name.
    pub(super) fn part(self) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Year(year) => Some(year.to_string()),
        }
    }
}

/// Where rows lie already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredPart {
    pub file: PathBuf,
    /// Of the file: whole row groups.
    pub rows: Range<u64>,
}

impl StoredPart {
    /// No rows: of a part that is left out.
    pub(super) const fn nothing() -> Self {
        Self { file: PathBuf::new(), rows: 0..0 }
    }
}

/// A part of a file: the rows of neighbouring symbols, or all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedPart {
    /// The symbol with which the next part begins; `None` of the last.
    pub until: Option<String>,
    /// `None` where something that it is made from is unknown.
    pub key: Option<String>,
    /// The rows of the partition that had this key; `None` where it is made.
    pub stored: Option<StoredPart>,
}

impl PlannedPart {
    /// All rows of a file, to be made.
    pub(super) const fn all(key: Option<String>) -> Self {
        Self { until: None, key, stored: None }
    }
}

/// What becomes of a file.
#[derive(Debug, Clone)]
pub(super) enum PlannedFile {
    /// It is a file of the set before, of so many rows.
    TakenOver(u64),
    /// It is put together from parts, in the order of symbols.
    Made(Vec<PlannedPart>),
}

/// What becomes of a table; of a file that is not named here it is only known that it is made.
#[derive(Debug, Clone, Default)]
pub(super) struct PartitionPlan {
    pub files: BTreeMap<PartitionSpan, PlannedFile>,
}

impl PartitionPlan {
    /// A plan for a table in one file.
    pub(super) fn whole(file: PlannedFile) -> Self {
        Self { files: BTreeMap::from([(PartitionSpan::Whole, file)]) }
    }

    /// The rows of a file that is taken over.
    pub(super) fn taken_over(&self, extent: PartitionSpan) -> Option<u64> {
        match self.files.get(&extent) {
            Some(PlannedFile::TakenOver(rows)) => Some(*rows),
            _ => None,
        }
    }

    /// Whether the rows that a symbol has in a file are there.
    pub(super) fn has(&self, extent: PartitionSpan, symbol: &str) -> bool {
        match self.files.get(&extent) {
            Some(PlannedFile::TakenOver(_)) => true,
            Some(PlannedFile::Made(parts)) => {
                let before = |part: &PlannedPart| part.until.as_deref().is_some_and(|until| until <= symbol);
                parts.get(parts.partition_point(before)).is_some_and(|part| part.stored.is_some())
            }
            None => false,
        }
    }

    /// The parts of a file that is made.
    pub(super) fn parts(&self, extent: PartitionSpan) -> Vec<PlannedPart> {
        match self.files.get(&extent) {
            Some(PlannedFile::Made(parts)) => parts.clone(),
            _ => vec![PlannedPart::all(None)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_belongs_to_the_part_that_ends_behind_it() {
        let stored = StoredPart { file: PathBuf::new(), rows: 0..1 };
        let part =
            |until: Option<&str>, stored| PlannedPart { until: until.map(str::to_owned), key: None, stored };
        let parts =
            vec![part(Some("D"), Some(stored.clone())), part(Some("M"), None), part(None, Some(stored))];
        let files = [
            (PartitionSpan::Year(2024), PlannedFile::Made(parts)),
            (PartitionSpan::Year(2025), PlannedFile::TakenOver(7)),
        ];
        let plan = PartitionPlan { files: files.into() };
        let has = ["A", "CZ", "D", "L", "M", "Z"].map(|symbol| plan.has(PartitionSpan::Year(2024), symbol));
        assert_eq!(has, [true, true, false, false, true, true]);
        assert!(plan.has(PartitionSpan::Year(2025), "D") && !plan.has(PartitionSpan::Year(2026), "D"));
        assert_eq!(
            (plan.taken_over(PartitionSpan::Year(2025)), plan.taken_over(PartitionSpan::Year(2024))),
            (Some(7), None)
        );
    }
}

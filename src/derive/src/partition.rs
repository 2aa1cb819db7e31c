//! Partitions of tables, and the plan for each: reuse or compute.
//!
//! A partition is a part of a calendar year of a long table, or a whole single-file table. Its key is a hash over the rules and inputs of
//! its rows, so that two partitions of a table with the same key have the same rows. [`super::partition_reuse`] makes the plan, and the
//! table's writer executes it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// Name of the Parquet metadata entry with the key of a file.
pub(super) const KEY: &str = "parquote.key";
/// Name of the Parquet metadata entry with the key and row count of each part, in files of several parts.
pub(super) const PARTS: &str = "parquote.parts";

/// The rows of a table that are in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartitionSpan {
    /// All rows.
    Whole,
    /// The rows of a calendar year.
    Year(i32),
}

impl PartitionSpan {
    /// Returns the name of the file without its extension; `None` for a single-file table, whose file has the name of the table.
    pub(super) fn part(self) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Year(year) => Some(year.to_string()),
        }
    }
}

/// Encoded rows in an existing file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredPart {
    pub file: PathBuf,
    /// Range of rows in the file, which consists of complete row groups.
    pub rows: Range<u64>,
}

impl StoredPart {
    /// Returns an empty range, for a part that is left out.
    pub(super) const fn empty() -> Self {
        Self { file: PathBuf::new(), rows: 0..0 }
    }
}

/// A part of a file: the rows of neighbouring symbols, or all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedPart {
    /// First symbol of the next part; `None` for the last part.
    pub until: Option<String>,
    /// Key of the part; `None` if an input is unknown.
    pub key: Option<String>,
    /// The rows of an existing partition with this key; `None` if the part must be computed.
    pub stored: Option<StoredPart>,
}

impl PlannedPart {
    /// Returns a part with all rows of a file, which must be computed.
    pub(super) const fn all(key: Option<String>) -> Self {
        Self { until: None, key, stored: None }
    }
}

/// The plan for a file.
#[derive(Debug, Clone)]
pub(super) enum PlannedFile {
    /// A file of the previous set, with this number of rows, is reused.
    Reused(u64),
    /// The file is written from these parts, which are sorted by symbol.
    Made(Vec<PlannedPart>),
}

/// The plan for a table. Files that are not listed are computed as one part.
#[derive(Debug, Clone, Default)]
pub(super) struct PartitionPlan {
    pub files: BTreeMap<PartitionSpan, PlannedFile>,
}

impl PartitionPlan {
    /// Returns a plan for a single-file table.
    pub(super) fn single_file(file: PlannedFile) -> Self {
        Self { files: BTreeMap::from([(PartitionSpan::Whole, file)]) }
    }

    /// Returns the number of rows of a reused file; `None` if the file is not reused.
    pub(super) fn reused_rows(&self, span: PartitionSpan) -> Option<u64> {
        match self.files.get(&span) {
            Some(PlannedFile::Reused(rows)) => Some(*rows),
            _ => None,
        }
    }

    /// Returns true if a symbol's rows in a file are reused.
    pub(super) fn reuses_symbol(&self, span: PartitionSpan, symbol: &str) -> bool {
        match self.files.get(&span) {
            Some(PlannedFile::Reused(_)) => true,
            Some(PlannedFile::Made(parts)) => {
                let before = |part: &PlannedPart| part.until.as_deref().is_some_and(|until| until <= symbol);
                parts.get(parts.partition_point(before)).is_some_and(|part| part.stored.is_some())
            }
            None => false,
        }
    }

    /// Returns the parts of a file that is written.
    pub(super) fn parts(&self, span: PartitionSpan) -> Vec<PlannedPart> {
        match self.files.get(&span) {
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
            (PartitionSpan::Year(2025), PlannedFile::Reused(7)),
        ];
        let plan = PartitionPlan { files: files.into() };
        let has = ["A", "CZ", "D", "L", "M", "Z"]
            .map(|symbol| plan.reuses_symbol(PartitionSpan::Year(2024), symbol));
        assert_eq!(has, [true, true, false, false, true, true]);
        assert!(
            plan.reuses_symbol(PartitionSpan::Year(2025), "D")
                && !plan.reuses_symbol(PartitionSpan::Year(2026), "D")
        );
        assert_eq!(
            (plan.reused_rows(PartitionSpan::Year(2025)), plan.reused_rows(PartitionSpan::Year(2024))),
            (Some(7), None)
        );
    }
}

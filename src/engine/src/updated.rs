//! The time when the tables of a market were last updated: the time at which their set was published or their plain files were written.
//!
//! Invariant: no row depends on this time, so that the same input gives the same files at any time of derivation.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use parquote_set::TableFiles;

/// The time when tables were last updated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum UpdateTimes {
    /// The time is unknown.
    #[default]
    Unknown,
    /// All tables, when their set was published.
    Published(DateTime<Utc>),
    /// Each table, when its newest plain file was written.
    Written(BTreeMap<String, DateTime<Utc>>),
}

impl UpdateTimes {
    /// Reads the times of plain files.
    pub(crate) fn from_files(files: &TableFiles) -> Self {
        let newest = files.iter().filter_map(|(table, files)| {
            Some((table.clone(), files.iter().filter_map(parquote_set::StoredFile::written).max()?))
        });
        Self::Written(newest.collect())
    }

    /// Returns the time of a table's last update; `None` if it is unknown.
    pub(crate) fn last_updated(&self, table: &str) -> Option<DateTime<Utc>> {
        match self {
            Self::Unknown => None,
            Self::Published(at) => Some(*at),
            Self::Written(tables) => tables.get(table).copied(),
        }
    }
}

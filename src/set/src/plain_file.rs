//! A plain file among those of a market: which table it belongs to, and what tells it from what it was before.

use std::fs;
use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::layout::{FILES, SETS};

/// Which part of which table a plain file is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainFilePart {
    /// The table.
    pub table: String,
    /// The part; none where the table is one file.
    pub part: Option<String>,
}

/// What tells a file from what it was before, without reading it; and the hash it had when it was read last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// Its length.
    pub bytes: u64,
    /// When it was written last, in nanoseconds since 1970.
    pub written: u64,
    /// What else changes with the file: its place on the disk and the time of its last change of any kind, or its tag.
    pub tag: String,
    /// BLAKE3 of its bytes, hexadecimal; empty where nobody read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

impl FileVersion {
    /// Whether the file is as it was, as far as can be told without reading it.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, self.written, &self.tag) == (other.bytes, other.written, &other.tag)
    }

    /// A file of which the system tells nothing; why that is so takes the place of its tag.
    pub(super) fn unseen(error: &io::Error) -> Self {
        Self { bytes: 0, written: 0, tag: error.to_string(), hash: String::new() }
    }

    pub(super) fn of(stat: &fs::Metadata) -> Self {
        let written = stat.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let tag = {
            use std::os::unix::fs::MetadataExt as _;
            format!("{:x}.{:x}.{:x}", stat.ino(), stat.ctime(), stat.ctime_nsec())
        };
        #[cfg(not(unix))]
        let tag = String::new();
        Self {
            bytes: stat.len(),
            written: written.map_or(0, |written| written.as_nanos() as u64),
            tag,
            hash: String::new(),
        }
    }
}

impl PlainFilePart {
    /// The part that lies at a path below a market's folder; `None` for what is no table.
    pub fn at(path: &str) -> Option<Self> {
        let path = path.strip_suffix(".parquet")?;
        let (table, part) = path.split_once('/').map_or((path, None), |(table, part)| (table, Some(part)));
        let hidden = |name: &str| name.is_empty() || name.starts_with(['.', '_']) || name.contains('/');
        if hidden(table) || part.is_some_and(hidden) || [SETS, FILES].contains(&table) {
            return None;
        }
        Some(Self { table: table.to_owned(), part: part.map(str::to_owned) })
    }
}

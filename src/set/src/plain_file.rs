//! A plain file of a market: its table and part, and a version that detects changes.

use std::fs;
use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::layout::{FILES, SETS};

/// The table and part of a plain file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainFilePart {
    /// Name of the table.
    pub table: String,
    /// The part; `None` if the table is one file.
    pub part: Option<String>,
}

/// Metadata that detects a change of a file without reading it, and the hash of its last read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// Its length in bytes.
    pub bytes: u64,
    /// Its modification time, in nanoseconds since 1970.
    pub written: u64,
    /// Further data that changes with the file: inode and change time on disk, or the tag of an object.
    pub tag: String,
    /// BLAKE3 of its bytes, hexadecimal; empty if it was not read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

impl FileVersion {
    /// Returns true if the file is unchanged, by its metadata alone.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, self.written, &self.tag) == (other.bytes, other.written, &other.tag)
    }

    /// Creates a version for a file without metadata; the error text takes the place of its tag.
    pub(super) fn without_metadata(error: &io::Error) -> Self {
        Self { bytes: 0, written: 0, tag: error.to_string(), hash: String::new() }
    }

    pub(super) fn from_metadata(stat: &fs::Metadata) -> Self {
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
    /// Returns the table and part for a path below a market's folder; `None` if the path belongs to no table.
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

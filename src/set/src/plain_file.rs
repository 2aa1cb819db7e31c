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

/// Metadata by which a change of a file is detected without reading the file, and the hash of its bytes when it was last read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVersion {
    /// Its length in bytes.
    pub bytes: u64,
    /// Its modification time, in nanoseconds since 1970.
    pub written: u64,
    /// More metadata that changes with the file: inode and change time on disk, or the entity tag of an object.
    pub tag: String,
    /// BLAKE3 of its bytes, hexadecimal; empty if it was not read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

impl FileVersion {
    /// Returns true if length, modification time and tag are equal; hashes are not compared.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, self.written, &self.tag) == (other.bytes, other.written, &other.tag)
    }

    /// Creates a version of a file whose metadata cannot be read, with the text of the error as its tag.
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
    pub fn from_path(path: &str) -> Option<Self> {
        let path = path.strip_suffix(".parquet")?;
        let (table, part) = path.split_once('/').map_or((path, None), |(table, part)| (table, Some(part)));
        let is_hidden = |name: &str| name.is_empty() || name.starts_with(['.', '_']) || name.contains('/');
        if is_hidden(table) || part.is_some_and(is_hidden) || [SETS, FILES].contains(&table) {
            return None;
        }
        Some(Self { table: table.to_owned(), part: part.map(str::to_owned) })
    }
}

//! A row with the place where it stands. Of two rows that say the same, the place decides which one is used.

use crate::domain::provenance::Provenance;

/// A row and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) row: T,
    /// The rank of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// Where a record stands.
pub(crate) struct RecordPlace<'a> {
    /// The rank of its file.
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The file, relative to the market's folder.
    pub(crate) path: &'a str,
    /// Where the rows of the file are from.
    pub(crate) provenance: &'a Provenance,
}

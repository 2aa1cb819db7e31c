//! A row with its file and line. Of two rows with the same key, the position decides which one is used.

use crate::domain::provenance::Provenance;
use parquote_catalogue::operation::Market;

/// A row with its position among all files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PositionedRow<T> {
    pub(crate) row: T,
    /// The rank of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// Position of a record that is being stored, with facts on its file.
pub(crate) struct RecordPosition<'a> {
    /// The rank of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The file, relative to the market's folder.
    pub(crate) path: &'a str,
    pub(crate) market: Market,
    /// Source of the rows of the file.
    pub(crate) provenance: &'a Provenance,
}

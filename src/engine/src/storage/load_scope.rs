//! The selection of a root's tables that are loaded.

/// The selection of a root's tables that are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope<'a> {
    /// Only tables that operations read.
    Served,
    /// These tables, and the tables that their views read.
    Named(&'a [String]),
    /// All declared tables.
    All,
}

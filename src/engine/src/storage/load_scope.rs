//! The tables of a root to load.

/// The tables of a root to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope<'a> {
    /// Only tables that operations read.
    Served,
    /// These tables, and the tables that their views read.
    Named(&'a [String]),
    /// All declared tables.
    All,
}

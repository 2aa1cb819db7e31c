//! The tables of a root to load.

/// The tables of a root to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope<'a> {
    /// Those that operations read.
    Served,
    /// These, and those that their views read.
    Named(&'a [String]),
    /// All declared tables.
    All,
}

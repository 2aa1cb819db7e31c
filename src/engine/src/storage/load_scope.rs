//! Which tables of a root are loaded.

/// Which tables of a root are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope<'a> {
    /// Those that operations read.
    Served,
    /// These, and those that the views among them read.
    Named(&'a [String]),
    /// All that are declared.
    All,
}

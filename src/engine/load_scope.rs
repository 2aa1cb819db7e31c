//! Which tables of a root are loaded.

/// Which tables of a root are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope {
    /// Those that operations read.
    Served,
    /// All that are declared.
    All,
}

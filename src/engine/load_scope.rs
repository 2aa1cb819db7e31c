//! Which tables of a root are loaded.

/// Which tables of a root are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadScope<'a> {
    /// Those that operations read.
    Served,
    /// Those that a SELECT reads, through views too.
    Select(&'a str),
    /// All that are declared.
    All,
}

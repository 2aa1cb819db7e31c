//! Who is told how far the reading is. What is told decides nothing.

use std::time::Duration;

/// Is told how far the reading is.
pub trait Progress: Sync {
    /// A step begins; `total` counts its items.
    fn start(&self, what: &str, total: u64);
    /// So many items more are done. Called from several threads.
    fn advance(&self, by: u64);
    /// A part of the step is done, which kept a core for so long; parts may overlap.
    fn part(&self, _what: &str, _took: Duration) {}
    /// The step is done.
    fn finish(&self);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

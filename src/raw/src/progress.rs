//! Progress of reading. It has no effect on the result.

use std::time::Duration;

/// Receives the progress of reading.
pub trait Progress: Sync {
    /// Starts a step; `total` counts its items.
    fn start(&self, what: &str, total: u64);
    /// Reports `by` more items as done. Called from several threads.
    fn advance(&self, by: u64);
    /// Reports a finished part of the step, with the time for which it used a core; parts may overlap.
    fn part(&self, _what: &str, _took: Duration) {}
    /// Ends the step.
    fn finish(&self);
}

/// Receiver that ignores the progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProgress;

impl Progress for SilentProgress {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

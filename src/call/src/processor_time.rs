//! Processor time of a piece of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parquote_select_process::TimeSpent;

/// Processor time used so far; clones share the counter.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessorTime(Arc<AtomicU64>);

impl ProcessorTime {
    /// Returns the time used so far.
    pub(super) fn time_used(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl TimeSpent for ProcessorTime {
    fn add(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

//! How much time of the processor a piece of work takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parquote_select_process::TimeSpent;

/// The time that work took so far; a clone reads the same.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessorTime(Arc<AtomicU64>);

impl ProcessorTime {
    /// So much so far.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl TimeSpent for ProcessorTime {
    fn add(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

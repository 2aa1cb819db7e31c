//! The recent run times of a plan, so that a slow query does not hold up quick ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The time of the slowest recent run: a slow run raises it at once, and later runs lower it step by step.
#[derive(Debug)]
pub(crate) struct RecentLatency {
    /// Microseconds; `u32::MAX` before the first run.
    slowest: AtomicU32,
}

impl Default for RecentLatency {
    /// Creates the latency of a plan that has not run: it counts as slow.
    fn default() -> Self {
        Self { slowest: AtomicU32::new(u32::MAX) }
    }
}

impl RecentLatency {
    /// The longest time, in microseconds, for which a thread may be blocked while others wait.
    const QUICK_MICROS: u32 = 1_000;
    /// Each faster run reduces the stored time by an eighth.
    const DECAY: u32 = 8;

    pub(crate) fn record_run(&self, took: Duration) {
        let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        let before = self.slowest.load(Ordering::Relaxed);
        let now = if before == u32::MAX { took } else { took.max(before - before / Self::DECAY) };
        // If runs end at the same time, one may be lost; the next run is recorded.
        self.slowest.store(now, Ordering::Relaxed);
    }

    /// Returns true if recent runs were quick.
    pub(crate) fn is_quick(&self) -> bool {
        self.slowest.load(Ordering::Relaxed) <= Self::QUICK_MICROS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_counts_for_a_while() {
        let latency = RecentLatency::default();
        assert!(!latency.is_quick());
        latency.record_run(Duration::from_micros(300));
        assert!(latency.is_quick());
        latency.record_run(Duration::from_millis(40));
        let again = (1..100).find(|_| {
            latency.record_run(Duration::from_micros(300));
            latency.is_quick()
        });
        // 0.875 ^ n <= 1 / 40.
        assert_eq!(again, Some(28));
        latency.record_run(Duration::from_secs(10_000));
        assert!(!latency.is_quick());
    }
}

//! The recent run times of a plan, so that a slow query does not hold up quick ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What the slowest run of late took. One that is slow counts at once, and for a while.
#[derive(Debug)]
pub(crate) struct RecentLatency {
    /// Microseconds.
    slowest: AtomicU32,
}

impl Default for RecentLatency {
    /// What has not run yet may be slow.
    fn default() -> Self {
        Self { slowest: AtomicU32::new(u32::MAX) }
    }
}

impl RecentLatency {
    /// The longest time, in microseconds, for which a thread that others wait for may be held up.
    const QUICK: u32 = 1_000;
    /// By which part of it each faster run makes the slowest be forgotten.
    const FORGOTTEN: u32 = 8;

    /// Takes note of a run.
    pub(crate) fn note(&self, took: Duration) {
        let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        let before = self.slowest.load(Ordering::Relaxed);
        let now = if before == u32::MAX { took } else { took.max(before - before / Self::FORGOTTEN) };
        // Of runs that end at once, one may go unseen; the next is seen.
        self.slowest.store(now, Ordering::Relaxed);
    }

    /// Whether runs were quick lately.
    pub(crate) fn is_quick(&self) -> bool {
        self.slowest.load(Ordering::Relaxed) <= Self::QUICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_counts_for_a_while() {
        let latency = RecentLatency::default();
        assert!(!latency.is_quick());
        latency.note(Duration::from_micros(300));
        assert!(latency.is_quick());
        latency.note(Duration::from_millis(40));
        let again = (1..100).find(|_| {
            latency.note(Duration::from_micros(300));
            latency.is_quick()
        });
        // 0.875 ^ n <= 1 / 40.
        assert_eq!(again, Some(28));
        latency.note(Duration::from_secs(10_000));
        assert!(!latency.is_quick());
    }
}

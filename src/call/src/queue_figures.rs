//! Metrics of a queue: running, waiting, and wait times.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the wait time buckets, in seconds; a deadline is ten.
const BOUNDS: [f64; 7] = [0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];

/// Wait times, counted without a lock.
#[derive(Debug, Default)]
pub(super) struct Waits {
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// Figures of a queue at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueFigures {
    /// Number of running queries.
    pub running: usize,
    /// Number of waiting queries.
    pub waiting: usize,
    /// Wait times until a permit.
    pub waits: WaitFigures,
}

/// Wait times in a queue so far.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitFigures {
    /// Upper bounds in seconds, each with the number of waits that are longer than the previous bound and at most this one.
    pub buckets: Vec<(f64, u64)>,
    /// Sum of all waits, in seconds.
    pub sum_s: f64,
}

impl Waits {
    pub(super) fn add(&self, wait: Duration) {
        let bucket = BOUNDS.partition_point(|bound| *bound < wait.as_secs_f64());
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.nanoseconds.fetch_add(wait.as_nanos() as u64, Ordering::Relaxed);
    }

    pub(super) fn current(&self) -> WaitFigures {
        let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let sum_s = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        WaitFigures { buckets: bounds.zip(counts).collect(), sum_s }
    }
}

impl WaitFigures {
    /// Returns the number of waits.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_up_to_their_bound() {
        let waits = Waits::default();
        for ms in [0, 1, 2, 1_000, 60_000] {
            waits.add(Duration::from_millis(ms));
        }
        let now = waits.current();
        let counts: Vec<u64> = now.buckets.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 1, 0, 1]);
        assert_eq!((now.count(), now.sum_s), (5, 61.003));
    }
}

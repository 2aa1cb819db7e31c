//! Failed scans of a market: logged at most once a minute, and retried at growing intervals.

use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;

/// Maximum time between two attempts, and minimum time between two log lines about failed attempts.
const LONGEST_INTERVAL: Duration = Duration::from_mins(1);

/// The failures of one market; `None` after a successful scan.
#[derive(Debug, Default)]
pub(super) struct MarketFailures(Option<FailureStreak>);

#[derive(Debug)]
struct FailureStreak {
    count: u64,
    pause: Duration,
    next: Instant,
    logged_at: Instant,
}

impl MarketFailures {
    /// Returns true if it is too early for another attempt.
    pub(super) fn is_paused(&self) -> bool {
        self.0.as_ref().is_some_and(|streak| Instant::now() < streak.next)
    }

    /// Records the end of a scan. After a failure, the next attempt follows after `pause`, then after twice that, up to a minute.
    pub(super) fn record_scan(&mut self, market: Market, trouble: Option<&str>, pause: Duration) {
        let now = Instant::now();
        let Some(trouble) = trouble else {
            if let Some(streak) = self.0.take() {
                tracing::info!(%market, tries = streak.count, "new data can be checked again");
            }
            return;
        };
        let streak = self.0.get_or_insert_with(|| {
            tracing::warn!(%market, trouble, "new data cannot be checked; the check is retried");
            FailureStreak { count: 0, pause: pause.min(LONGEST_INTERVAL), next: now, logged_at: now }
        });
        streak.count += 1;
        streak.next = now + streak.pause;
        streak.pause = (streak.pause * 2).min(LONGEST_INTERVAL);
        if now - streak.logged_at >= LONGEST_INTERVAL {
            streak.logged_at = now;
            tracing::warn!(%market, trouble, tries = streak.count, "new data still cannot be checked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end_with_the_trouble() {
        let mut trouble = MarketFailures::default();
        assert!(!trouble.is_paused());
        for _ in 0..12 {
            trouble.record_scan(Market::India, Some("the disk is full"), Duration::from_secs(1));
        }
        assert!(trouble.is_paused());
        assert_eq!(trouble.0.as_ref().unwrap().pause, LONGEST_INTERVAL);
        trouble.record_scan(Market::India, None, Duration::from_secs(1));
        assert!(!trouble.is_paused());
    }
}

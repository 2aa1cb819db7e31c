//! Check for outdated data.
//!
//! Data is outdated by its age, regardless of the next scheduled run. `stale-after-hours` of a table allows for a weekend.
//!
//! Invariant: no function reads a clock; `now` is an argument.

use chrono::{DateTime, TimeDelta, Utc};

/// Returns true if data of `last_updated` is more than `stale_after_hours` old at `now`. Data of the future is not stale.
pub fn is_stale(last_updated: DateTime<Utc>, now: DateTime<Utc>, stale_after_hours: u32) -> bool {
    now - last_updated > TimeDelta::hours(i64::from(stale_after_hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if data of `from` (India's clock) is older than `hours` at `now`.
    fn stale(from: &str, now: &str, hours: u32) -> bool {
        let at = |text: &str| DateTime::parse_from_rfc3339(&format!("{text}+05:30")).unwrap().to_utc();
        is_stale(at(from), at(now), hours)
    }

    #[test]
    fn every_hour_of_the_clock_counts() {
        // 21 August 2026 is a Friday: 72 hours to Monday at the same time, 78 to six hours later.
        assert!(!stale("2026-08-21T12:30:00", "2026-08-24T12:30:00", 72));
        assert!(stale("2026-08-21T12:30:00", "2026-08-24T12:30:01", 72));
        assert!(!stale("2026-08-21T12:30:00", "2026-08-24T18:30:00", 78));
        assert!(stale("2026-08-21T12:30:00", "2026-08-24T18:30:01", 78));
        assert!(stale("2026-08-18T12:30:00", "2026-08-21T18:30:01", 78), "a weekday is no other hour");
    }

    #[test]
    fn the_future_and_the_same_moment_are_not_stale() {
        assert!(!stale("2026-08-21T15:30:00", "2026-08-20T15:30:00", 0));
        assert!(!stale("2026-08-21T15:30:00", "2026-08-21T15:30:00", 0));
    }
}

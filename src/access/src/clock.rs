//! The clock, which is always an argument, and the day and hour in which quotas count.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parquote_state::clock_ahead_ms;

/// Function that returns Unix seconds; tests pass one that they control.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// India's offset from UTC: 5.5 hours, unchanged since 1945.
const IST_SECONDS: i64 = 19_800;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// The day and clock hour of a time in India, each numbered from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The day, from midnight to midnight.
    pub day: i64,
    /// The hour, from full hour to full hour in India: half past to half past in UTC.
    pub hour: i64,
}

impl Window {
    /// Returns the windows of a time in Unix seconds.
    pub const fn from_unix(at: i64) -> Self {
        let local = at.saturating_add(IST_SECONDS);
        Self { day: local.div_euclid(DAY), hour: local.div_euclid(HOUR) }
    }

    /// Returns the ends of the day and of the hour of a time, all three in Unix seconds.
    pub const fn resets_after(at: i64) -> (i64, i64) {
        (at.saturating_add(seconds_to_midnight(at)), at.saturating_add(seconds_to_full_hour(at)))
    }
}

/// Returns the seconds until the next day begins.
pub(super) const fn seconds_to_midnight(at: i64) -> i64 {
    DAY - at.saturating_add(IST_SECONDS).rem_euclid(DAY)
}

/// Returns the seconds until the next hour begins.
pub(super) const fn seconds_to_full_hour(at: i64) -> i64 {
    HOUR - at.saturating_add(IST_SECONDS).rem_euclid(HOUR)
}

/// A time in Unix seconds that displays as a clock time in India and in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTime(pub i64);

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = |at: i64| {
            let minutes = at.rem_euclid(DAY) / 60;
            (minutes / 60, minutes % 60)
        };
        let (india, utc) = (clock(self.0.saturating_add(IST_SECONDS)), clock(self.0));
        write!(f, "{:02}:{:02} IST ({:02}:{:02} UTC)", india.0, india.1, utc.0, utc.1)
    }
}

/// Returns the Unix time in seconds of this machine, or of the database server that has the state, so that all servers agree.
pub fn unix_seconds() -> i64 {
    let local_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    local_ms.saturating_add(clock_ahead_ms()).div_euclid(1_000)
}

/// Noon of a day in India in Unix seconds, for tests.
#[cfg(test)]
pub(super) const NOON: i64 = 20_000 * DAY + DAY / 2 - IST_SECONDS;

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-10-30T18:29:59Z: one second to midnight in India.
    const BEFORE_MIDNIGHT: i64 = 1_793_384_999;

    #[test]
    fn a_time_is_displayed_in_both_zones() {
        assert_eq!(ClockTime(BEFORE_MIDNIGHT + 1).to_string(), "00:00 IST (18:30 UTC)");
        assert_eq!(ClockTime(BEFORE_MIDNIGHT + 3_601).to_string(), "01:00 IST (19:30 UTC)");
    }

    #[test]
    fn days_and_hours_turn_at_half_past_in_utc() {
        let (before, after) = (Window::from_unix(BEFORE_MIDNIGHT), Window::from_unix(BEFORE_MIDNIGHT + 1));
        assert_eq!((after.day - before.day, after.hour - before.hour), (1, 1));
        assert_eq!((seconds_to_midnight(BEFORE_MIDNIGHT), seconds_to_full_hour(BEFORE_MIDNIGHT)), (1, 1));
        assert_eq!(
            (seconds_to_midnight(BEFORE_MIDNIGHT + 1), seconds_to_full_hour(BEFORE_MIDNIGHT + 1)),
            (86_400, 3_600)
        );
        // 19:29:59Z and 19:30:00Z: an hour later only the hour changes.
        let (before, after) =
            (Window::from_unix(BEFORE_MIDNIGHT + 3_600), Window::from_unix(BEFORE_MIDNIGHT + 3_601));
        assert_eq!((after.day - before.day, after.hour - before.hour), (0, 1));
    }
}

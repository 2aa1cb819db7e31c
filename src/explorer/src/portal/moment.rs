//! Formats of times and days in the portal: in IST, as quotas are counted.

use chrono::{DateTime, NaiveDate};
use chrono_tz::Asia::Kolkata;

/// Formats a time in Unix seconds as `2026-11-23 11:20 IST`.
pub(super) fn moment(at: i64) -> String {
    let time = DateTime::from_timestamp(at, 0).map(|time| time.with_timezone(&Kolkata));
    time.map_or_else(String::new, |time| time.format("%Y-%m-%d %H:%M IST").to_string())
}

/// Returns the date of a day number since 1970.
pub(super) fn date(day: i64) -> String {
    let days = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
    days.map_or_else(String::new, |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_days_are_those_of_the_calendar() {
        // 2026-11-01T02:26:40Z.
        assert_eq!(moment(1_793_500_000), "2026-11-01 07:56 IST");
        assert_eq!(date(20_000), "2024-10-04");
        assert_eq!((moment(i64::MAX), date(i64::MAX)), (String::new(), String::new()));
    }
}

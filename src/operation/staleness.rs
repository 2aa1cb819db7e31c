//! Whether data is older than it should be.
//!
//! A heuristic over ages, not the next run of a schedule: it knows weekends, and no holidays.
//!
//! Invariant: it reads no clock; `now` is an argument.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDateTime, NaiveTime, TimeDelta, Utc, Weekday};

/// Whether data of `last_updated` is more than `stale_after_hours` old at `now`.
///
/// Hours of Saturday and Sunday do not count, by the clock of `last_updated`, which is that of the market: data of Friday's
/// close is as old on Monday's opening as it was on Saturday's midnight. Data of the future is not stale.
pub fn is_stale(last_updated: DateTime<FixedOffset>, now: DateTime<Utc>, stale_after_hours: u32) -> bool {
    let now = now.with_timezone(last_updated.offset()).naive_local();
    working_time(last_updated.naive_local(), now) > TimeDelta::hours(i64::from(stale_after_hours))
}

/// The time from one moment to another without that of Saturdays and Sundays.
fn working_time(from: NaiveDateTime, to: NaiveDateTime) -> TimeDelta {
    const DAYS_A_WEEK: i64 = 7;
    const WORKING_DAYS: i64 = 5;
    let (from, to) = (off_weekend(from), off_weekend(to));
    if to <= from {
        return TimeDelta::zero();
    }
    let weeks = (to - from).num_days() / DAYS_A_WEEK;
    let rest = to - from - TimeDelta::days(weeks * DAYS_A_WEEK);
    // What is left is under a week and begins on a working day, so it crosses one weekend or none.
    let crosses = from.weekday().num_days_from_monday() > to.weekday().num_days_from_monday()
        || (from.weekday() == to.weekday() && rest > TimeDelta::days(1));
    let weekend = if crosses { TimeDelta::days(DAYS_A_WEEK - WORKING_DAYS) } else { TimeDelta::zero() };
    TimeDelta::days(weeks * WORKING_DAYS) + rest - weekend
}

/// The moment itself, or the Monday's first behind a weekend that it lies in.
fn off_weekend(moment: NaiveDateTime) -> NaiveDateTime {
    let days = match moment.weekday() {
        Weekday::Sat => 2,
        Weekday::Sun => 1,
        _ => return moment,
    };
    moment.date().checked_add_days(Days::new(days)).unwrap_or(moment.date()).and_time(NaiveTime::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether data of `from` (India's clock) is stale after so many hours at `now`.
    fn stale(from: &str, now: &str, hours: u32) -> bool {
        let at = |text: &str| DateTime::parse_from_rfc3339(&format!("{text}:00+05:30")).unwrap();
        is_stale(at(from), at(now).to_utc(), hours)
    }

    /// The least whole hours after which it is not stale: its age, rounded up.
    fn age(from: &str, now: &str) -> u32 {
        (0..2000).find(|hours| !stale(from, now, *hours)).unwrap()
    }

    #[test]
    fn working_days_count_in_full() {
        // 17 August 2026 is a Monday.
        assert_eq!(age("2026-08-17T15:30", "2026-08-18T12:30"), 21);
        assert_eq!(age("2026-08-17T15:30", "2026-08-21T15:30"), 96);
        assert!(!stale("2026-08-17T15:30", "2026-08-18T15:30", 24));
        assert!(stale("2026-08-17T15:30", "2026-08-18T15:31", 24));
    }

    #[test]
    fn weekends_do_not_count() {
        // Friday 15:30 to midnight is 8.5 hours.
        assert_eq!(age("2026-08-21T15:30", "2026-08-22T18:00"), 9);
        assert_eq!(age("2026-08-21T15:30", "2026-08-23T23:59"), 9);
        assert_eq!(age("2026-08-21T15:30", "2026-08-24T12:30"), 21);
        assert_eq!(age("2026-08-21T15:30", "2026-08-24T15:30"), 24);
        assert_eq!(age("2026-08-22T10:00", "2026-08-24T06:00"), 6);
    }

    #[test]
    fn whole_weeks_are_five_days() {
        assert_eq!(age("2026-08-17T15:30", "2026-08-24T15:30"), 120);
        assert_eq!(age("2026-08-17T15:30", "2026-08-24T12:30"), 117);
        assert_eq!(age("2026-08-19T15:30", "2026-09-07T15:30"), 24 * 13);
        assert_eq!(age("2026-08-21T15:30", "2026-09-05T10:00"), 24 * 10 + 9);
    }

    #[test]
    fn the_future_and_the_same_moment_are_not_stale() {
        assert!(!stale("2026-08-21T15:30", "2026-08-20T15:30", 0));
        assert!(!stale("2026-08-21T15:30", "2026-08-21T15:30", 0));
        assert!(!stale("2026-08-22T09:00", "2026-08-23T09:00", 0));
    }
}

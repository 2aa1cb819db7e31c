//! The sessions of the demo market: weekdays except fixed holidays.
//!
//! The calendar is not that of the exchanges: movable feasts are left out, and no session falls on a weekend. Sessions are numbered from 0
//! (the oldest), and the rest of the demo uses session numbers.

use chrono::{Datelike, NaiveDate, Weekday};

use parquote_catalogue::operation::Market;

/// The sessions of one market, oldest first.
#[derive(Debug)]
pub(crate) struct SessionCalendar(Vec<NaiveDate>);

impl SessionCalendar {
    /// Returns the last `count` sessions on or before `last`.
    pub(crate) fn last_sessions(market: Market, last: NaiveDate, count: usize) -> Self {
        let days = std::iter::successors(Some(last), NaiveDate::pred_opt);
        let mut sessions: Vec<_> = days.filter(|day| is_session(market, *day)).take(count).collect();
        sessions.reverse();
        Self(sessions)
    }

    /// Returns the dates, oldest first.
    pub(crate) fn dates(&self) -> &[NaiveDate] {
        &self.0
    }

    /// Returns the last session on or before a day; `None` if the day is before the first session.
    pub(crate) fn session_by(&self, day: NaiveDate) -> Option<usize> {
        self.0.partition_point(|session| *session <= day).checked_sub(1)
    }

    /// Returns the date of a session; for a number after the last session, the date of the last session.
    pub(crate) fn date(&self, session: usize) -> NaiveDate {
        self.0.get(session).or(self.0.last()).copied().unwrap_or_default()
    }
}

/// Returns the last business day on or before a day, even if the day is outside the calendar.
pub(crate) fn business_day_by(market: Market, day: NaiveDate) -> NaiveDate {
    let days = std::iter::successors(Some(day), NaiveDate::pred_opt);
    days.take(15).find(|day| is_session(market, *day)).unwrap_or(day)
}

fn is_session(market: Market, day: NaiveDate) -> bool {
    let is_weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
    !is_weekend
        && match market {
            Market::India => !is_holiday_in_india(day),
            Market::Us => !is_holiday_in_us(day),
        }
}

/// Returns true on national days, and on two fixed dates that represent the movable feasts of spring and autumn.
fn is_holiday_in_india(day: NaiveDate) -> bool {
    const FIXED_HOLIDAYS: [(u32, u32); 8] =
        [(1, 26), (3, 14), (4, 14), (5, 1), (8, 15), (10, 2), (11, 5), (12, 25)];
    FIXED_HOLIDAYS.contains(&(day.month(), day.day()))
}

/// Returns true on holidays close to the federal ones; a holiday on a weekend is not moved to a weekday.
fn is_holiday_in_us(day: NaiveDate) -> bool {
    const FIXED_HOLIDAYS: [(u32, u32); 4] = [(1, 1), (6, 19), (7, 4), (12, 25)];
    let week_of_month = (day.day() - 1) / 7 + 1;
    let is_movable_holiday = match (day.month(), day.weekday()) {
        (1 | 2, Weekday::Mon) => week_of_month == 3,
        (5, Weekday::Mon) => day.day() > 24,
        (9, Weekday::Mon) => week_of_month == 1,
        (11, Weekday::Thu) => week_of_month == 4,
        _ => false,
    };
    is_movable_holiday || FIXED_HOLIDAYS.contains(&(day.month(), day.day()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn holidays_and_weekends_are_no_sessions() {
        for closed in ["2026-01-26", "2026-10-31", "2026-11-01"] {
            assert!(!is_session(Market::India, day(closed)), "{closed}");
        }
        // Martin Luther King day, Memorial day, Labor day and Thanksgiving of 2026.
        for closed in ["2026-01-19", "2026-05-25", "2026-09-07", "2026-11-26"] {
            assert!(!is_session(Market::Us, day(closed)), "{closed}");
        }
    }

    #[test]
    fn a_calendar_ends_on_or_before_the_last_day() {
        let calendar = SessionCalendar::last_sessions(Market::India, day("2026-11-01"), 3);
        assert_eq!(calendar.dates(), [day("2026-10-28"), day("2026-10-29"), day("2026-10-30")]);
    }
}

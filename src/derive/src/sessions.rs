//! Dates and years of sessions by their session numbers, which bars have.
//!
//! A number after the last session is an error.

use chrono::{Datelike, NaiveDate};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;

use parquote_functions::arrow_types::days;
use parquote_raw::Session;

/// Returns the date of a session.
///
/// # Errors
/// There is no session of that number.
pub(super) fn date_of(sessions: &[Session], number: u32) -> Result<NaiveDate> {
    let session = sessions.get(number as usize);
    session.map(|session| session.date).ok_or_else(|| {
        exec_datafusion_err!("a bar is of session {number}, and there are {} sessions", sessions.len())
    })
}

/// Returns the day of a session, in days since 1970.
///
/// # Errors
/// As [`date_of`].
pub(super) fn day_of(sessions: &[Session], number: u32) -> Result<i32> {
    date_of(sessions, number).map(days)
}

/// Returns the calendar year of a session.
///
/// # Errors
/// As [`date_of`].
pub(super) fn year(sessions: &[Session], number: u32) -> Result<i32> {
    date_of(sessions, number).map(|date| date.year())
}

/// Returns the calendar years of sessions, ascending.
pub(super) fn years(sessions: &[Session]) -> Vec<i32> {
    let mut years: Vec<i32> = sessions.iter().map(|session| session.date.year()).collect();
    years.dedup();
    years
}

/// The last two sessions of 2024 and the first of 2025, with one stock each.
#[cfg(test)]
pub(crate) fn over_new_year() -> Vec<Session> {
    let dates = [(2024, 12, 30), (2024, 12, 31), (2025, 1, 1)];
    dates
        .map(|(year, month, day)| Session {
            date: chrono::NaiveDate::from_ymd_opt(year, month, day).unwrap(),
            stocks: 1,
        })
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_session_is_an_error() {
        let date = NaiveDate::from_ymd_opt(2024, 12, 31).unwrap();
        let sessions = [Session { date, stocks: 1 }];
        assert_eq!((date_of(&sessions, 0).unwrap(), year(&sessions, 0).unwrap()), (date, 2024));
        let refused = day_of(&sessions, 1).unwrap_err().to_string();
        assert!(refused.contains("session 1") && refused.contains("1 sessions"), "{refused}");
    }
}

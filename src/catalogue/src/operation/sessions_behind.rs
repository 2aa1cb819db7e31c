//! Age of data in sessions of its exchange: the number of later sessions whose data should be published by now.
//!
//! A session is a weekday that is not a holiday. Holidays of the US follow from rules (New York Stock Exchange, rule 7.2). For India, only
//! holidays on fixed dates and Good Friday are known here. Lunar holidays of India are announced each year, and count as sessions until
//! data of a later session arrives.
//!
//! Invariant: no function reads a clock; `now` is an argument.

use std::cell::Cell;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};

use super::market::Market;

/// Hours after the close until the files of a session should be published.
const HOURS_TO_FILES: i64 = 4;

/// Seconds for which a result is valid. Sessions close, and time zones differ, at multiples of half an hour.
const VALIDITY_S: i64 = 1_800;

thread_local! {
    /// Cache of the last result, as (market, last session, time slot, count). Every reply has the count, and counting takes a step for each
    /// day.
    static LAST_COUNT: Cell<Option<(Market, NaiveDate, i64, u64)>> = const { Cell::new(None) };
}

/// Returns the number of sessions after `last` whose data should be published at `now`.
pub fn sessions_behind(market: Market, last: NaiveDate, now: DateTime<Utc>) -> u64 {
    let slot = now.timestamp().div_euclid(VALIDITY_S);
    if let Some((cached_market, cached_day, cached_slot, count)) = LAST_COUNT.get()
        && (cached_market, cached_day, cached_slot) == (market, last, slot)
    {
        return count;
    }
    let count = count_sessions(market, last, now);
    LAST_COUNT.set(Some((market, last, slot, count)));
    count
}

fn count_sessions(market: Market, last: NaiveDate, now: DateTime<Utc>) -> u64 {
    let today = now.with_timezone(&market.time_zone()).date_naive();
    let days = last.iter_days().skip(1).take_while(|day| *day <= today);
    let is_published = |day: &NaiveDate| now >= close_of(market, *day) + TimeDelta::hours(HOURS_TO_FILES);
    days.filter(|day| is_session(market, *day)).filter(is_published).count() as u64
}

/// Returns the close of a session: 15:30 in India, 16:00 in New York.
pub fn close_of(market: Market, session: NaiveDate) -> DateTime<Utc> {
    let (hour, minute) = match market {
        Market::India => (15, 30),
        Market::Us => (16, 0),
    };
    let close = NaiveTime::from_hms_opt(hour, minute, 0).unwrap_or_default();
    // Clocks never change in the afternoon, so the local time is unique.
    let local = market.time_zone().from_local_datetime(&session.and_time(close));
    local.earliest().map_or_else(|| session.and_time(close).and_utc(), |at| at.to_utc())
}

/// Returns true for a weekday that is not a holiday by rule.
pub fn is_session(market: Market, day: NaiveDate) -> bool {
    let is_holiday = match market {
        Market::India => is_holiday_in_india(day),
        Market::Us => is_holiday_in_us(day),
    };
    !is_weekend(day) && !is_holiday
}

fn is_weekend(day: NaiveDate) -> bool {
    matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

/// Returns true for Republic Day, Ambedkar Jayanti, Maharashtra Day, Independence Day, Gandhi Jayanti, Christmas, and Good Friday.
fn is_holiday_in_india(day: NaiveDate) -> bool {
    const FIXED_HOLIDAYS: [(u32, u32); 6] = [(1, 26), (4, 14), (5, 1), (8, 15), (10, 2), (12, 25)];
    FIXED_HOLIDAYS.contains(&(day.month(), day.day())) || Some(day) == good_friday(day.year())
}

/// Returns true for a holiday of the NYSE. New Year, Juneteenth, Independence Day and Christmas move from a weekend to the nearest weekday,
/// except that New Year does not move into the year before. Other holidays are on a weekday of a certain week, or Good Friday.
fn is_holiday_in_us(day: NaiveDate) -> bool {
    const FIXED_HOLIDAYS: [(u32, u32); 4] = [(1, 1), (6, 19), (7, 4), (12, 25)];
    let is_fixed =
        |day: Option<NaiveDate>| day.is_some_and(|day| FIXED_HOLIDAYS.contains(&(day.month(), day.day())));
    let week_of_month = (day.day() - 1) / 7 + 1;
    let is_of_week = match (day.month(), day.weekday()) {
        (1 | 2, Weekday::Mon) => week_of_month == 3,
        (5, Weekday::Mon) => day.day() > 24,
        (9, Weekday::Mon) => week_of_month == 1,
        (11, Weekday::Thu) => week_of_month == 4,
        _ => false,
    };
    let is_moved = match day.weekday() {
        Weekday::Mon => is_fixed(day.pred_opt()),
        Weekday::Fri => is_fixed(day.succ_opt()) && (day.month(), day.day()) != (12, 31),
        _ => false,
    };
    is_fixed(Some(day)) || is_of_week || is_moved || Some(day) == good_friday(day.year())
}

/// Returns the Friday before Gregorian Easter (Meeus, Jones and Butcher).
fn good_friday(year: i32) -> Option<NaiveDate> {
    let (year_of_cycle, century, rest) = (year % 19, year / 100, year % 100);
    let epact =
        (19 * year_of_cycle + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let days_to_sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7;
    let days = epact + days_to_sunday - 7 * ((year_of_cycle + 11 * epact + 22 * days_to_sunday) / 451) + 114;
    let easter = NaiveDate::from_ymd_opt(year, (days / 31) as u32, (days % 31 + 1) as u32)?;
    easter.checked_sub_days(Days::new(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(market: Market, last: &str, now: &str) -> u64 {
        sessions_behind(market, last.parse().unwrap(), now.parse().unwrap())
    }

    #[test]
    fn a_session_counts_once_its_files_should_be_out() {
        // Friday 21 August 2026. The files of Monday are due at 19:30 in India, 14:00 UTC.
        for (now, sessions) in [
            ("2026-08-21T23:00:00Z", 0),
            ("2026-08-24T13:59:59Z", 0),
            ("2026-08-24T14:00:00Z", 1),
            ("2026-08-28T14:00:00Z", 5),
            ("2026-08-20T00:00:00Z", 0),
        ] {
            assert_eq!(behind(Market::India, "2026-08-21", now), sessions, "{now}");
        }
        // In New York they are due at 20:00, in summer at midnight UTC.
        assert_eq!(behind(Market::Us, "2026-08-21", "2026-08-24T23:59:59Z"), 0);
        assert_eq!(behind(Market::Us, "2026-08-21", "2026-08-25T00:00:00Z"), 1);
    }

    /// The cached result equals a new one in each half hour of two weeks with a clock change.
    #[test]
    fn a_kept_count_is_the_count() {
        let last: NaiveDate = "2026-10-23".parse().unwrap();
        let began: DateTime<Utc> = "2026-10-23T00:00:00Z".parse().unwrap();
        for market in Market::ALL {
            for minutes in (0..14 * 24 * 60).step_by(10) {
                let now = began + TimeDelta::minutes(minutes) + TimeDelta::seconds(59);
                assert_eq!(
                    sessions_behind(market, last, now),
                    count_sessions(market, last, now),
                    "{market} {now}"
                );
            }
        }
    }

    #[test]
    fn holidays_are_no_sessions() {
        // The exchange's list for 2026: New Year, King, Presidents, Good Friday, Memorial, Juneteenth, Independence Day (moved to the 3rd),
        // Labor Day, Thanksgiving, Christmas.
        let closed: Vec<String> = NaiveDate::from_ymd_opt(2026, 1, 1)
            .unwrap()
            .iter_days()
            .take_while(|day| day.year() == 2026)
            .filter(|day| !is_weekend(*day) && !is_session(Market::Us, *day))
            .map(|day| day.format("%m-%d").to_string())
            .collect();
        let published =
            ["01-01", "01-19", "02-16", "04-03", "05-25", "06-19", "07-03", "09-07", "11-26", "12-25"];
        assert_eq!(closed, published);
        // 1 January 2022 was a Saturday: the Friday before was a session.
        assert!(is_session(Market::Us, NaiveDate::from_ymd_opt(2021, 12, 31).unwrap()));
        assert!(!is_session(Market::Us, NaiveDate::from_ymd_opt(2021, 12, 24).unwrap()));
        for (year, friday) in
            [(2024, "2024-03-29"), (2025, "2025-04-18"), (2026, "2026-04-03"), (2038, "2038-04-23")]
        {
            assert_eq!(good_friday(year), Some(friday.parse().unwrap()));
        }
        assert!(!is_session(Market::India, NaiveDate::from_ymd_opt(2026, 1, 26).unwrap()));
    }
}

//! The one format of dates and times on pages: `30 Oct 2026`, and times of day in IST. Files and commands keep dates of ISO 8601.

use chrono::{DateTime, NaiveDate};
use chrono_tz::Asia::Kolkata;

/// Time zone of all times on pages, and of the days of quotas. Each page names it once, in its foot.
pub(crate) const ZONE: &str = "IST";

/// Formats a date.
pub fn date(date: NaiveDate) -> String {
    date.format("%-d %b %Y").to_string()
}

/// Formats the dates of ISO 8601 in a text; the rest stays as it is.
pub(crate) fn dates_in(text: &str) -> String {
    const LENGTH: usize = "YYYY-MM-DD".len();
    let continues_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let (mut written, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(letter) = rest.chars().next() {
        let day = rest.split_at_checked(LENGTH).filter(|(_, after)| !after.starts_with(continues_word));
        let day = day.filter(|_| letter.is_ascii_digit() && !written.ends_with(continues_word));
        let day =
            day.and_then(|(day, after)| Some((NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?, after)));
        if let Some((day, after)) = day {
            written.push_str(&date(day));
            rest = after;
        } else {
            written.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    written
}

/// Formats a time in Unix seconds, as `23 Nov 2026, 11:20`.
pub(crate) fn moment(at: i64) -> String {
    let time = DateTime::from_timestamp(at, 0).map(|time| time.with_timezone(&Kolkata));
    time.map_or_else(String::new, |time| time.format("%-d %b %Y, %H:%M").to_string())
}

/// Returns the date of a day number since 1970.
pub(crate) fn day(day: i64) -> String {
    let days = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
    days.map_or_else(String::new, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_days_are_those_of_the_calendar() {
        // 2026-11-01T02:26:40Z.
        assert_eq!(moment(1_793_500_000), "1 Nov 2026, 07:56");
        assert_eq!(day(20_000), "4 Oct 2024");
        assert_eq!((moment(i64::MAX), day(i64::MAX)), (String::new(), String::new()));
    }

    #[test]
    fn only_whole_dates_of_a_text_are_formatted() {
        for (text, expected) in [
            ("2026-10-30", "30 Oct 2026"),
            ("to 2026-09-05, é 2024-02-29.", "to 5 Sep 2026, é 29 Feb 2024."),
            ("2026-13-30 2023-02-29 2026-1-030", "2026-13-30 2023-02-29 2026-1-030"),
            (
                "a2026-10-30 2026-10-301 1-2026-10-30 2026-10-30-1",
                "a2026-10-30 2026-10-301 1-2026-10-30 2026-10-30-1",
            ),
            ("TTM", "TTM"),
        ] {
            assert_eq!(dates_in(text), expected);
        }
    }
}

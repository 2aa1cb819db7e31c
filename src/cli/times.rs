//! Times in command-line arguments and output. Dates and clock times are in IST, as are quotas.

use chrono::{DateTime, Days, NaiveDate, TimeZone as _};
use chrono_tz::Asia::Kolkata;

/// A future time, absolute or relative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FutureTime {
    /// Unix seconds.
    At(i64),
    /// Seconds from now.
    In(i64),
}

impl FutureTime {
    /// Returns the time in Unix seconds.
    pub(super) fn after(self, now: i64) -> i64 {
        match self {
            Self::At(at) => at,
            Self::In(seconds) => now.saturating_add(seconds),
        }
    }
}

/// Parses a date.
pub(super) fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| "it is a date of the calendar, such as 2026-10-30".to_owned())
}

/// Parses `30d`, `12h`, `45m`, `10s`, or a date, which means midnight in India at the end of that day.
pub(super) fn parse_until(text: &str) -> Result<FutureTime, String> {
    let wrong =
        || format!("`{text}` is neither a date such as 2027-03-31 nor a time such as 30d, 12h, 45m or 10s");
    if let Ok(date) = text.parse::<NaiveDate>() {
        let midnight = date.checked_add_days(Days::new(1)).and_then(|next| next.and_hms_opt(0, 0, 0));
        let end = midnight.and_then(|midnight| Kolkata.from_local_datetime(&midnight).earliest());
        return end.map(|end| FutureTime::At(end.timestamp())).ok_or_else(wrong);
    }
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    let number: u32 = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
    Ok(FutureTime::In(i64::from(number).saturating_mul(seconds)))
}

/// Formats a time.
pub(super) fn format_time(at: i64) -> String {
    DateTime::from_timestamp(at, 0)
        .map_or_else(String::new, |at| at.with_timezone(&Kolkata).format("%Y-%m-%d %H:%M IST").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_end_at_midnight_in_india_and_spans_count_from_now() {
        // 2026-10-30T18:30:00Z, which `date -u -d 2026-10-30T18:30Z +%s` gives as 1793385000.
        assert_eq!(parse_until("2026-10-30"), Ok(FutureTime::At(1_793_385_000)));
        assert_eq!(format_time(1_793_385_000), "2026-10-31 00:00 IST");
        assert_eq!(parse_until("2d").unwrap().after(10), 172_810);
        assert_eq!(parse_until("45m"), Ok(FutureTime::In(2_700)));
        for wrong in ["", "d", "1", "-1d", "1w", "2026-02-30", "1.5h"] {
            assert!(parse_until(wrong).is_err(), "{wrong}");
        }
    }
}

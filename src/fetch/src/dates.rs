//! Dates inside fetched files: in cells, and in the names of archives' members.
//!
//! The dates identify the session of a file; the crate `raw` has separate rules for the dates of rows.

use chrono::{DateTime, Datelike as _, NaiveDate};
use chrono_tz::Tz;

/// Date formats of cells, in the order in which they are tried.
const FORMATS: [&str; 7] = ["%Y-%m-%d", "%d-%b-%Y", "%d %b %Y", "%d-%m-%Y", "%Y%m%d", "%d-%b-%y", "%d%b%Y"];

/// Parses the date of a cell: a day in one of the exchanges' formats (a time may follow after a `T`), or nanoseconds since 1970,
/// converted to a day in the zone.
pub(crate) fn in_cell(cell: &str, zone: Tz) -> Option<NaiveDate> {
    let cell = cell.trim().trim_matches('"').trim();
    if cell.len() == 19 && cell.bytes().all(|byte| byte.is_ascii_digit()) {
        let at = DateTime::from_timestamp_nanos(cell.parse().ok()?);
        return Some(at.with_timezone(&zone).date_naive());
    }
    let day = cell.split('T').next().filter(|day| day.len() == 10 && cell.len() > 10).unwrap_or(cell);
    // The formats with a four-digit year would read a two-digit year as one of the first century.
    let plausible = |date: &NaiveDate| (1900..2100).contains(&date.year());
    FORMATS.iter().find_map(|format| NaiveDate::parse_from_str(day, format).ok().filter(plausible))
}

/// Parses the date after the prefix of a member's name: `DDMMYYYY` or `DDMMYY`.
pub(crate) fn in_member(name: &str, prefix: &str) -> Option<NaiveDate> {
    let digits: String = name.get(prefix.len()..)?.chars().take_while(char::is_ascii_digit).collect();
    match digits.len() {
        8 => NaiveDate::parse_from_str(&digits, "%d%m%Y").ok(),
        6 => NaiveDate::parse_from_str(&digits, "%d%m%y").ok(),
        _ => None,
    }
}

/// Returns the last day of the period in a data set's name: `2026q3_form345.zip`, `01jun2026-31aug2026_form13f.zip`.
pub(crate) fn period_end(name: &str) -> Option<NaiveDate> {
    let name = name.to_ascii_lowercase();
    let quarter = name.get(..6).and_then(|head| {
        let (year, quarter) = head.split_once('q')?;
        let (year, quarter): (i32, u32) = (year.parse().ok()?, quarter.parse().ok()?);
        if !(1..=4).contains(&quarter) || year < 1900 {
            return None;
        }
        let month = quarter * 3;
        let last = NaiveDate::from_ymd_opt(year, month, 1)?.checked_add_months(chrono::Months::new(1))?;
        last.pred_opt()
    });
    quarter.or_else(|| {
        let last = name.split('-').nth(1)?.get(..9)?;
        NaiveDate::parse_from_str(last, "%d%b%Y").ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(y: i32, m: u32, d: u32) -> Option<NaiveDate> {
        NaiveDate::from_ymd_opt(y, m, d)
    }

    #[test]
    fn cells_hold_the_forms_of_the_exchanges() {
        let zone = chrono_tz::America::New_York;
        for text in [
            "2026-07-08", " 08-Jul-2026", "08 JUL 2026", "08-07-2026", "20260708", "08-JUL-26",
            "2026-07-08T00:00:00Z",
        ] {
            assert_eq!(in_cell(text, zone), day(2026, 7, 8), "{text}");
        }
        // 2026-07-08T04:00:00Z is midnight of 8 July in New York.
        assert_eq!(in_cell("1783483200000000000", zone), day(2026, 7, 8));
        for text in ["", "-", "NO RECORDS", "31-Feb-2026", "Total"] {
            assert_eq!(in_cell(text, zone), None, "{text}");
        }
    }

    #[test]
    fn names_hold_days_and_periods() {
        assert_eq!(in_member("pr16122025.csv", "pr"), day(2025, 12, 16));
        assert_eq!(in_member("Pr161225.csv", "pr"), day(2025, 12, 16));
        assert_eq!(in_member("pr.csv", "pr"), None);
        assert_eq!(period_end("2026q2_form345.zip"), day(2026, 6, 30));
        assert_eq!(period_end("2009Q4.zip"), day(2009, 12, 31));
        assert_eq!(period_end("01jun2026-31aug2026_form13f.zip"), day(2026, 8, 31));
        assert_eq!((period_end("readme.zip"), period_end("2009q7.zip")), (None, None));
    }
}

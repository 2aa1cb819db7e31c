//! Dates as exchanges write them: in cells, in file names, in folders.
//!
//! Only the forms that raw files use are parsed. The day of an ambiguous cell is never guessed.

use chrono::{Datelike, NaiveDate, TimeDelta, Utc};

/// Parses the date in a cell: `2026-06-08`, `08-Jun-2026`, `08 JUN 2026`, `08-Jun-26`, `Jun 8, 2026` or `20260608`; a time may follow.
pub fn in_cell(cell: &[u8]) -> Option<NaiveDate> {
    let text = std::str::from_utf8(cell).ok()?;
    if text.len() == 8 && all_digits(text) {
        return year_first(text);
    }
    let mut parts = text.splitn(3, ['-', ' ', '/']);
    let (first, middle, last) = (parts.next()?, parts.next()?, parts.next()?);
    if first.len() == 4 && all_digits(first) {
        let day = last.split(['T', ' ']).next()?;
        return written_date(first, middle, day);
    }
    let (day, month) = match middle.strip_suffix(',') {
        Some(day) => (day, first),
        None => (first, middle),
    };
    plausible_date(year_of(last)?, parse_month(month)?, day.parse().ok()?)
}

/// Returns the day after today, in UTC.
pub fn tomorrow() -> NaiveDate {
    (Utc::now() + TimeDelta::days(1)).date_naive()
}

/// Position of the day in dates such as `06/08/2026`. With points, the day is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrder {
    /// The first number is the day.
    First,
    /// The second number is the day.
    Second,
    /// Undecided: the dates are valid in both readings, or contradict each other.
    Either,
}

/// A date of three numbers with the year last, in both readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedDate {
    /// The date if the first number is the day; `None` if it is no date then.
    pub day_first: Option<NaiveDate>,
    /// The date if the first number is the month; `None` if it is no date then.
    pub month_first: Option<NaiveDate>,
    /// Position of the day.
    pub order: DayOrder,
}

/// Collects the dates of a file to find the position of the day in them.
#[derive(Debug, Default)]
pub struct SeenDays {
    has_first: bool,
    has_second: bool,
    has_either: bool,
}

impl SeenDays {
    /// Adds a cell; returns true if it is a date of three numbers with the year last.
    pub fn add(&mut self, cell: &[u8]) -> bool {
        let Some(numbered) = parse_numbered(cell) else { return false };
        match numbered.order {
            DayOrder::First => self.has_first = true,
            DayOrder::Second => self.has_second = true,
            DayOrder::Either => self.has_either = true,
        }
        true
    }

    /// Returns true if one of the dates decides the position of the day.
    pub const fn is_settled(&self) -> bool {
        self.has_first || self.has_second
    }

    /// Returns the position of the day; `None` if no cell was a date of three numbers with the year last.
    pub const fn order(&self) -> Option<DayOrder> {
        match (self.has_first, self.has_second, self.has_either) {
            (true, false, _) => Some(DayOrder::First),
            (false, true, _) => Some(DayOrder::Second),
            (false, false, false) => None,
            _ => Some(DayOrder::Either),
        }
    }
}

/// Parses a date such as `6/8/2026`, `06-08-26` or `08.06.2026 00:00`.
pub fn parse_numbered(cell: &[u8]) -> Option<NumberedDate> {
    let text = std::str::from_utf8(cell).ok()?;
    let mark = text.chars().find(|c| !c.is_ascii_digit()).filter(|mark| ['/', '-', '.'].contains(mark))?;
    let mut parts = text.splitn(3, mark);
    let (first, second, last) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |part: &str| part.len() <= 2 && all_digits(part);
    let year = year_of(last).filter(|_| is_number(first) && is_number(second))?;
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let (day_first, month_first) = (plausible_date(year, second, first), plausible_date(year, first, second));
    let order = match (day_first, month_first) {
        (None, None) => return None,
        (Some(_), None) => DayOrder::First,
        (None, Some(_)) => DayOrder::Second,
        (Some(_), Some(_)) if mark == '.' => DayOrder::First,
        (Some(_), Some(_)) => DayOrder::Either,
    };
    Some(NumberedDate { day_first, month_first, order })
}

/// Parses the date in a cell of a source that writes days first: also `31/10/19 20:16` and `31-10-2019`.
pub fn in_day_first_cell(cell: &[u8]) -> Option<NaiveDate> {
    in_cell(cell).or_else(|| {
        let text = std::str::from_utf8(cell).ok()?;
        let mut parts = text.splitn(3, ['-', '/']);
        let (day, month, last) = (parts.next()?, parts.next()?, parts.next()?);
        plausible_date(year_of(last)?, month.parse().ok()?, day.parse().ok()?)
    })
}

/// Parses the year of two or four digits at the start of a text.
fn year_of(text: &str) -> Option<i32> {
    let digits = text.split(['T', ' ']).next()?;
    let year: i32 = digits.parse().ok()?;
    // Two-digit years are listing dates and filings: exchanges list nothing from before 1970.
    Some(match (digits.len(), year) {
        (2, 70..) => 1900 + year,
        (2, _) => 2000 + year,
        _ => year,
    })
}

/// A date in a name of a file or folder, with its precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedDate {
    /// A date with day, month and year.
    Day(NaiveDate),
    /// A month, by its first day.
    Month(NaiveDate),
}

impl NamedDate {
    /// Returns the day, or the first day of the month.
    pub(crate) const fn first_day(self) -> NaiveDate {
        match self {
            Self::Day(day) | Self::Month(day) => day,
        }
    }
}

/// Returns the last date in a file or folder name: eight digits (year or day first), `2026-06-08`, `24-04-2025`, `01APR2024`.
///
/// A name without a whole date may have `161225`, or a month (`202608`, `2026-08`), which gives its first day; six digits in addition to a
/// whole date are a time.
pub fn in_name(name: &str) -> Option<NaiveDate> {
    last_in_name(name).map(NamedDate::first_day)
}

/// Returns the last date in a name, with its precision.
fn last_in_name(name: &str) -> Option<NamedDate> {
    dates_in_name(name).pop()
}

/// Returns the only day in a name; `None` for a month alone, or for several days, as in exports of a range.
pub fn only_day_in_name(name: &str) -> Option<NaiveDate> {
    let dates = dates_in_name(name);
    match dates.first() {
        Some(NamedDate::Day(day)) if dates.iter().all(|date| *date == NamedDate::Day(*day)) => Some(*day),
        _ => None,
    }
}

/// Returns the dates with a four-digit year and a day in a name; if there are none, the shorter dates.
fn dates_in_name(name: &str) -> Vec<NamedDate> {
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    let mut rest = name;
    while let Some(tail) = rest.find(|c: char| c.is_ascii_digit()).and_then(|start| rest.get(start..)) {
        let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        let (date, used) = parse_leading(tail, digits);
        if used < 8 { &mut short } else { &mut whole }.extend(date);
        rest = tail.get(used..).unwrap_or_default();
    }
    if whole.is_empty() { short } else { whole }
}

/// Returns the date nearest to the file in its path: in its name, otherwise in the nearest folder; `2026/08` counts as a month.
pub fn in_path(path: &str) -> Option<NaiveDate> {
    named_in_path(path).map(NamedDate::first_day)
}

/// Swaps the day and the month of a date; `None` if the day is over 12.
pub fn swap_day_and_month(date: NaiveDate) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(date.year(), date.day(), date.month())
}

/// Returns the date nearest to the file in its path, with its precision.
pub fn named_in_path(path: &str) -> Option<NamedDate> {
    let parts: Vec<&str> = path.split(['/', '\\', '!']).rev().collect();
    parts.iter().enumerate().find_map(|(position, part)| {
        let above = |n: usize| parts.get(position + n).copied().filter(|part| all_digits(part));
        last_in_name(part).or_else(|| match (part.len(), all_digits(part)) {
            (2, true) => above(1).and_then(|up| match up.len() {
                4 => plausible_date(up.parse().ok()?, part.parse().ok()?, 1).map(NamedDate::Month),
                2 => written_date(above(2)?, up, part).map(NamedDate::Day),
                _ => None,
            }),
            _ => None,
        })
    })
}

/// Returns the filing day in the name of a results file. `17Oct2023_1721_BANKING_97616_956099_17102023052102.xml` begins with the time of
/// (re)publication and ends with that of creation; the earlier of the two is the filing day.
pub fn filed_by_name(name: &str) -> Option<NaiveDate> {
    let stem = name.split('.').next()?;
    let day = |part: &str| match part.len() {
        // A time follows the day.
        14 => in_name(part.get(..8)?),
        9 => in_name(part),
        _ => None,
    };
    stem.split('_').filter_map(day).min()
}

/// Parses the date at the start of a text whose first `run` bytes are digits, and returns the number of bytes used.
fn parse_leading(text: &str, run: usize) -> (Option<NamedDate>, usize) {
    let head = text.get(..run).unwrap_or_default();
    let after = text.get(run..).unwrap_or_default();
    let day = |date: Option<NaiveDate>| date.map(NamedDate::Day);
    match run {
        8 => (day(year_first(head).or_else(|| day_first(head))), run),
        // A time of day directly after its date.
        14 => (day(head.get(..8).and_then(year_first)), run),
        6 => (month_of(head).map(NamedDate::Month).or_else(|| day(short_day_first(head))), run),
        4 => dashed_year_first(head, after).map_or((None, run), |(date, used)| (Some(date), run + used)),
        2 => parse_worded(head, after)
            .or_else(|| dashed_day_first(head, after))
            .map_or((None, run), |(date, used)| (Some(NamedDate::Day(date)), run + used)),
        _ => (None, run.max(1)),
    }
}

fn dashed_year_first(year: &str, after: &str) -> Option<(NamedDate, usize)> {
    let month = after.strip_prefix(['-', '_', '.'])?.get(..2).filter(|part| all_digits(part))?;
    if let Some(day) = after.get(3..6).filter(|part| part.starts_with(['-', '_', '.']))
        && let Some(date) = written_date(year, month, day.get(1..)?)
    {
        return Some((NamedDate::Day(date), 6));
    }
    // `2024-2025` is a pair of years, not a month.
    if after.get(3..4).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    Some((NamedDate::Month(written_date(year, month, "1")?), 3))
}

fn dashed_day_first(day: &str, after: &str) -> Option<(NaiveDate, usize)> {
    let month = after.strip_prefix(['-', '_', '.'])?.get(..2)?;
    let year = after.get(3..8)?.strip_prefix(['-', '_', '.'])?;
    Some((written_date(year, month, day)?, 8))
}

fn parse_worded(day: &str, after: &str) -> Option<(NaiveDate, usize)> {
    let (month, year) = (parse_month(after.get(..3)?)?, after.get(3..7)?);
    Some((plausible_date(year.parse().ok()?, month, day.parse().ok()?)?, 7))
}

fn year_first(digits: &str) -> Option<NaiveDate> {
    written_date(digits.get(..4)?, digits.get(4..6)?, digits.get(6..8)?)
}

fn day_first(digits: &str) -> Option<NaiveDate> {
    written_date(digits.get(4..8)?, digits.get(2..4)?, digits.get(..2)?)
}

/// Parses a month of six digits, with the year first or last.
fn month_of(digits: &str) -> Option<NaiveDate> {
    let first_day = |year: &str, month: &str| written_date(year, month, "1");
    first_day(digits.get(..4)?, digits.get(4..)?).or_else(|| first_day(digits.get(2..)?, digits.get(..2)?))
}

fn short_day_first(digits: &str) -> Option<NaiveDate> {
    let year: i32 = digits.get(4..6)?.parse().ok()?;
    plausible_date(2000 + year, digits.get(2..4)?.parse().ok()?, digits.get(..2)?.parse().ok()?)
}

/// Returns the month, from 1, whose English name has the same first three letters.
fn parse_month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] =
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
    let head = word.get(..3)?;
    (1..).zip(MONTHS).find(|(_, name)| name.eq_ignore_ascii_case(head)).map(|(month, _)| month)
}

/// Parses the numbers of a date; `None` if they are not a date between 1850 and 2099.
fn written_date(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
    plausible_date(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// Returns a calendar date; `None` outside the years 1850 to 2099, because such figures only look like dates.
fn plausible_date(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).filter(|date| (1850..2100).contains(&date.year()))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(y: i32, m: u32, d: u32) -> Option<NaiveDate> {
        NaiveDate::from_ymd_opt(y, m, d)
    }

    #[test]
    fn cells_hold_the_forms_of_the_exchanges() {
        for text in
            ["2026-06-08", "08-Jun-2026", "08 JUN 2026", "8-JUN-26", "20260608", "2026-06-08T00:00:00"]
        {
            assert_eq!(in_cell(text.as_bytes()), day(2026, 6, 8), "{text}");
        }
        assert_eq!(in_cell(b"03-MAY-95"), day(1995, 5, 3));
        assert_eq!(in_cell(b"31-Oct-2019 20:16"), day(2019, 10, 31));
        for text in ["31/10/19 20:16", "31-10-2019", "31-Oct-2019", "2019-10-31 20:16:00"] {
            assert_eq!(in_day_first_cell(text.as_bytes()), day(2019, 10, 31), "{text}");
        }
        assert_eq!(in_cell(b"Jun 8, 2026"), day(2026, 6, 8));
        for text in ["", "-", "06/08/2026", "31-Feb-2026", "TIMESTAMP", "0202-06-08"] {
            assert_eq!(in_cell(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_number_over_twelve_tells_the_day() {
        for (text, order, date) in [
            ("13/06/2026", DayOrder::First, day(2026, 6, 13)),
            ("6/13/26 16:00", DayOrder::Second, day(2026, 6, 13)),
            ("08.06.2026", DayOrder::First, day(2026, 6, 8)),
            ("06-08-2026", DayOrder::Either, day(2026, 8, 6)),
        ] {
            let found = parse_numbered(text.as_bytes()).unwrap();
            assert_eq!(found.order, order, "{text}");
            assert_eq!(if order == DayOrder::Second { found.month_first } else { found.day_first }, date);
        }
        for text in ["2026/06/13", "13/13/2026", "31.02.2026", "13-Jun-2026", "6/13", "", "50.25"] {
            assert_eq!(parse_numbered(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn names_hold_days_and_months() {
        assert_eq!(in_name("sec_bhavdata_full_04052022.csv"), day(2022, 5, 4));
        assert_eq!(in_name("cm01APR2024bhav.csv.zip"), day(2024, 4, 1));
        assert_eq!(in_name("BhavCopy_NSE_CM_0_0_0_20260608_F_0000.csv"), day(2026, 6, 8));
        assert_eq!(in_name("2024-03-02.csv"), day(2024, 3, 2));
        assert_eq!(in_name("Bulk-Deals-24-04-2025-to-24-04-2026.csv"), day(2026, 4, 24));
        assert_eq!(in_name("MA161225.csv"), day(2025, 12, 16));
        assert_eq!(in_name("list_202608"), day(2026, 8, 1));
        assert_eq!(in_name("asof_2025-08"), day(2025, 8, 1));
        assert_eq!(in_name("insider_20250617_192205.csv"), day(2025, 6, 17));
        for name in ["ind_nifty500list.csv", "ind_niftyfinancialservices25_50list", "2024-2025", "sp500"] {
            assert_eq!(in_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_is_of_one_day_or_of_none() {
        for name in
            ["mcap16122025.csv", "MA161225.csv", "insider_20250617_192205.csv", "2025-12-16_16122025.csv"]
        {
            assert!(only_day_in_name(name).is_some(), "{name}");
        }
        for name in [
            "Bulk-Deals-07-10-2024-to-07-10-2025.csv",
            "bulk_2025-10.csv",
            "list_202608.csv",
            "mcap.csv",
            "2024-2025",
        ] {
            assert_eq!(only_day_in_name(name), None, "{name}");
        }
    }

    #[test]
    fn the_part_of_the_path_nearest_to_the_file_wins() {
        assert_eq!(in_path("lists/index_202604/ind_nifty500list.csv"), day(2026, 4, 1));
        assert_eq!(in_path("lists_202604/ind_nifty500list_20260815.csv"), day(2026, 8, 15));
        assert_eq!(in_path("yfiua/2026/07/constituents-sp500.csv"), day(2026, 7, 1));
        assert_eq!(in_path("members/2026/07/15/x.csv"), day(2026, 7, 15));
        assert_eq!(in_path("plain/x.csv"), None);
    }

    #[test]
    fn a_path_may_name_a_month_only() {
        let (day, month) =
            (|y, m, d| day(y, m, d).map(NamedDate::Day), |y, m| day(y, m, 1).map(NamedDate::Month));
        for path in
            ["sec_list_priceband_202512.csv", "bands/2025-12/x.csv", "bands/2025/12/x.csv", "asof_2025_12"]
        {
            assert_eq!(named_in_path(path), month(2025, 12), "{path}");
        }
        for path in
            ["202512/sec_list_01122025.csv", "bands/2025/12/01/x.csv", "2025-12-01.csv", "MA011225.csv"]
        {
            assert_eq!(named_in_path(path), day(2025, 12, 1), "{path}");
        }
    }

    #[test]
    fn names_of_results_say_when_they_were_filed() {
        let day = |name: &str| filed_by_name(name).map(|day| day.to_string());
        assert_eq!(day("17Oct2023_1721_BANKING_1_2_17102023052102.xml").as_deref(), Some("2023-10-17"));
        assert_eq!(day("09Sep2019_1231_INDAS_3_4_22072019025254_WEB_2.xml").as_deref(), Some("2019-07-22"));
        assert_eq!(day("results.xml"), None);
    }
}

//! A pattern that matches exactly the dates of a range: JSON Schema has no minimum and maximum for dates.

use std::fmt::Write as _;

use chrono::{Datelike as _, Days, NaiveDate};

/// Returns the pattern of the dates from the first to the last, inclusive, as `YYYY-MM-DD`.
pub(super) fn pattern(first: NaiveDate, last: NaiveDate) -> String {
    // Years without and with a leap day.
    let mut whole_years: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut years = Vec::new();
    for year in first.year()..=last.year() {
        let (from, to) = (first.max(start_of(year)), last.min(end_of(year)));
        if from.ordinal() == 1 && to == end_of(year) {
            if let Some(same_length) = whole_years.get_mut(usize::from(to.ordinal() == 366)) {
                same_length.push(format!("{year:04}"));
            }
        } else {
            years.push(format!("{year:04}-({})", months(from, to)));
        }
    }
    for (index, same_length) in whole_years.iter().enumerate().filter(|(_, years)| !years.is_empty()) {
        // The months of any year with the same number of days are equal.
        let year = if index == 1 { 2000 } else { 2001 };
        years.push(format!("({})-({})", same_length.join("|"), months(start_of(year), end_of(year))));
    }
    format!("^({})$", years.join("|"))
}

/// Returns the pattern of the dates within one year; months with the same days are grouped.
fn months(from: NaiveDate, to: NaiveDate) -> String {
    let mut by_days: Vec<(String, Vec<String>)> = Vec::new();
    for month in from.month()..=to.month() {
        let low = if month == from.month() { from.day() } else { 1 };
        let high = if month == to.month() { to.day() } else { days_in_month(from.year(), month) };
        let days = days(low, high);
        let month = format!("{month:02}");
        match by_days.iter_mut().find(|(known, _)| *known == days) {
            Some((_, months)) => months.push(month),
            None => by_days.push((days, vec![month])),
        }
    }
    let together = by_days.iter().map(|(days, months)| format!("({})-({days})", months.join("|")));
    together.collect::<Vec<_>>().join("|")
}

/// Returns the pattern of the days of a month in a range, grouped by tens.
fn days(low: u32, high: u32) -> String {
    let mut parts = Vec::new();
    for tens in low / 10..=high / 10 {
        let (from, to) = (low.max(tens * 10) % 10, if tens == high / 10 { high % 10 } else { 9 });
        let mut part = format!("{tens}");
        let _ = if from == to { write!(part, "{from}") } else { write!(part, "[{from}-{to}]") };
        parts.push(part);
    }
    parts.join("|")
}

fn days_in_month(year: i32, month: u32) -> u32 {
    let next = if month == 12 { start_of(year + 1) } else { date(year, month + 1, 1) };
    next.checked_sub_days(Days::new(1)).map_or(31, |last| last.day())
}

fn start_of(year: i32) -> NaiveDate {
    date(year, 1, 1)
}

fn end_of(year: i32) -> NaiveDate {
    date(year, 12, 31)
}

fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn just_the_dates_of_the_range_fit() {
        for (first, last) in [
            ((2025, 3, 7), (2026, 10, 30)),
            ((2019, 11, 29), (2026, 1, 1)),
            ((2024, 1, 1), (2024, 12, 31)),
            ((2024, 2, 29), (2024, 2, 29)),
            ((2023, 12, 31), (2024, 3, 1)),
        ] {
            let (first, last) = (date(first.0, first.1, first.2), date(last.0, last.1, last.2));
            let pattern = regex::Regex::new(&pattern(first, last)).unwrap();
            for year in 2018..2028 {
                for month in 0..=13 {
                    for day in 0..=32 {
                        let text = format!("{year:04}-{month:02}-{day:02}");
                        let known = NaiveDate::parse_from_str(&text, "%Y-%m-%d");
                        let is_within = known.is_ok_and(|date| (first..=last).contains(&date));
                        assert_eq!(pattern.is_match(&text), is_within, "{text} in {first} to {last}");
                    }
                }
            }
            assert!(!pattern.is_match(&format!("{first} ")) && !pattern.is_match(&format!("x{last}")));
        }
    }
}

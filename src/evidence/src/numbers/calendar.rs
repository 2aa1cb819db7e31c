//! Dates and reporting periods in texts, and the check that a run saw them.

use std::collections::BTreeSet;

use chrono::{Datelike as _, NaiveDate};

use super::parts::{Letters, TextPart};
use parquote_catalogue::operation::period::MONTHS;

/// A date or period named in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Date(NaiveDate),
    /// A date of which day and month are ambiguous: with the day first, and with the month first.
    Either(NaiveDate, NaiveDate),
    /// A year, and a month from 1 to 12.
    Month(i32, u32),
    /// A day from 1 to 31 and a month from 1 to 12, without a year.
    Day(u32, u32),
    /// A quarter from 1 to 4, and its calendar or fiscal year.
    Quarter(u32, i32),
    /// A calendar year, a fiscal year, or a part of either.
    Year(i32),
    /// A quarter or half without a year, such as `Q1`.
    Name,
}

/// A moment with its range of characters in a text.
pub(super) struct DateMention {
    pub(super) moment: Moment,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Dates and periods that a run saw.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenDates {
    dates: BTreeSet<NaiveDate>,
    months: BTreeSet<(i32, u32)>,
    quarters: BTreeSet<(u32, i32)>,
    years: BTreeSet<i32>,
}

impl SeenDates {
    pub(super) fn add(&mut self, moment: Moment) {
        match moment {
            Moment::Date(date) => self.add_date(date),
            Moment::Either(one, other) => {
                self.add_date(one);
                self.add_date(other);
            }
            Moment::Month(year, month) => {
                self.months.insert((year, month));
                self.years.insert(year);
            }
            Moment::Quarter(quarter, year) => {
                self.quarters.insert((quarter, year));
                self.years.insert(year);
            }
            Moment::Year(year) => {
                self.years.insert(year);
            }
            Moment::Day(..) | Moment::Name => {}
        }
    }

    /// Adds a date, its month, and its quarters and years, both of the calendar and of India's fiscal year. A fiscal year ends in March and
    /// is named after the year in which it ends.
    fn add_date(&mut self, date: NaiveDate) {
        let (year, month) = (date.year(), date.month());
        let fiscal = if month >= 4 { year + 1 } else { year };
        self.dates.insert(date);
        self.months.insert((year, month));
        self.quarters.insert((month.div_ceil(3), year));
        self.quarters.insert(((month + 8) % 12 / 3 + 1, fiscal));
        self.years.extend([year, fiscal]);
    }

    pub(super) fn contains(&self, moment: Moment) -> bool {
        match moment {
            Moment::Date(date) => self.dates.contains(&date),
            Moment::Either(one, other) => self.dates.contains(&one) || self.dates.contains(&other),
            Moment::Month(year, month) => self.months.contains(&(year, month)),
            Moment::Day(day, month) => self.dates.iter().any(|d| (d.day(), d.month()) == (day, month)),
            Moment::Quarter(quarter, year) => self.quarters.contains(&(quarter, year)),
            Moment::Year(year) => self.years.contains(&year),
            Moment::Name => true,
        }
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.dates.extend(&other.dates);
        self.months.extend(&other.months);
        self.quarters.extend(&other.quarters);
        self.years.extend(&other.years);
    }
}

/// Returns the dates and periods in a text, in order. The number parser handles a year alone.
pub(super) fn find(letters: &Letters, parts: &[TextPart]) -> Vec<DateMention> {
    let mut mentions = Vec::new();
    let mut index = 0;
    while index < parts.len() {
        let cursor = PartsCursor { letters, parts: parts.get(index..).unwrap_or_default() };
        let parsed = if cursor.starts_a_word() { cursor.period().or_else(|| cursor.date()) } else { None };
        let length = parsed.map_or(1, |(_, length)| length);
        let end_of = |length: usize| parts.get(index + length - 1).map_or(0, |part| part.end);
        if let (Some((moment, length)), Some(first)) = (parsed, parts.get(index)) {
            mentions.push(DateMention { moment, start: first.start, end: end_of(length) });
        }
        index += length;
    }
    mentions
}

/// The parts of a text from a position on.
#[derive(Clone, Copy)]
struct PartsCursor<'a> {
    letters: &'a Letters,
    parts: &'a [TextPart],
}

/// A moment and the number of parts that it spans.
type ParsedMoment = Option<(Moment, usize)>;

impl PartsCursor<'_> {
    fn text(&self, n: usize) -> &str {
        self.parts.get(n).map_or("", |part| &part.text)
    }

    fn number(&self, n: usize) -> Option<u32> {
        self.parts.get(n).filter(|part| part.is_number && part.text.len() <= 4)?.text.parse().ok()
    }

    fn len(&self, n: usize) -> usize {
        self.text(n).len()
    }

    /// Returns the text between part `n` and the next.
    fn text_between(&self, n: usize) -> String {
        let end = self.parts.get(n).map_or(0, |part| part.end);
        self.parts.get(n + 1).map_or_else(|| "\0".to_owned(), |next| self.letters.slice(end, next.start))
    }

    /// Returns true if the gap after part `n` can occur within a period.
    fn may_join(&self, n: usize) -> bool {
        matches!(self.text_between(n).as_str(), "" | " " | "'" | " '" | "-" | ", " | "_")
    }

    fn starts_a_word(&self) -> bool {
        self.parts.first().is_some_and(|part| {
            let before = self.letters.char_before(part.start);
            !before.is_alphanumeric() && !matches!(before, '.' | ',' | '_')
        })
    }

    /// Returns true if part `n` ends a word: no letter, digit, `%` or fraction directly follows.
    fn ends_a_word(&self, n: usize) -> bool {
        let end = self.parts.get(n).map_or(0, |part| part.end);
        let (next, after) = (self.letters.char_at(end), self.letters.char_at(end + 1));
        !next.is_alphanumeric() && next != '%' && !(matches!(next, '.' | ',') && after.is_ascii_digit())
    }

    /// Parses `FY26`, `Q1 FY26`, `1QFY26`, `2025Q2`, `H1 FY26`, `9M FY26`, `CY2025`, `FY2025-26`, `2025-26`.
    fn period(&self) -> ParsedMoment {
        let (a, b) = (self.text(0), self.text(1));
        let part = |letter: &str, number: Option<u32>, most: u32| {
            matches!(letter, "q" | "h") && number.is_some_and(|n| (1..=most).contains(&n))
        };
        if part(a, self.number(1), if a == "q" { 4 } else { 2 })
            && self.text_between(0).is_empty()
            && self.len(1) == 1
        {
            return self.quarter_or_half(a, self.number(1)?);
        }
        if part(b, self.number(0), if b == "q" { 4 } else { 2 })
            && self.text_between(0).is_empty()
            && self.len(0) == 1
        {
            return self.quarter_or_half(b, self.number(0)?);
        }
        if matches!((a, b), ("3" | "6" | "9" | "12", "m"))
            && self.text_between(0).is_empty()
            && self.text(2) == "fy"
        {
            return self.year(2).map(|(year, length)| (Moment::Year(year), length));
        }
        let (year, length) = self.year(0)?;
        if self.text(length) == "q" && self.may_join(length - 1) && self.text_between(length).is_empty() {
            let quarter = self.number(length + 1).filter(|q| (1..=4).contains(q))?;
            return Some((Moment::Quarter(quarter, year), length + 2));
        }
        (a == "fy" || a == "cy" || length > 1).then_some((Moment::Year(year), length))
    }

    /// Parses the year after a quarter or half, whose letter and number are the first two parts: `Q1 FY26`, `1QFY26`.
    fn quarter_or_half(&self, letter: &str, number: u32) -> ParsedMoment {
        let name = Some((Moment::Name, 2));
        let skip = if self.text(2) == "of" { 3 } else { 2 };
        if !self.may_join(1) {
            return name;
        }
        let has_apostrophe = self.text_between(skip - 1).contains('\'');
        let Some((year, length)) = self.year(skip).or_else(|| self.short_year(skip, has_apostrophe)) else {
            return name;
        };
        let moment = if letter == "q" { Moment::Quarter(number, year) } else { Moment::Year(year) };
        Some((moment, length))
    }

    /// Parses a year from part `n` on and returns it with the index of the part after it: `FY26`, `FY2025-26`, `2025-26`, `2026`.
    fn year(&self, n: usize) -> Option<(i32, usize)> {
        let has_prefix = matches!(self.text(n), "fy" | "cy") && self.may_join(n);
        let first = if has_prefix { n + 1 } else { n };
        if !self.ends_a_word(first) && self.text(first + 1) != "q" {
            return None;
        }
        let year =
            full_year(self.number(first)?, self.len(first)).filter(|_| has_prefix || self.len(first) == 4)?;
        let next = self.number(first + 1).filter(|_| matches!(self.text_between(first).as_str(), "-" | "/"));
        let end_year = next.filter(|next| self.len(first + 1) == 2 && *next as i32 == (year + 1) % 100);
        match end_year {
            Some(_) if self.text_between(first + 1) != "-" && self.len(first) == 4 => {
                Some((year + 1, first + 2))
            }
            _ => Some((year, first + 1)),
        }
    }

    fn short_year(&self, n: usize, apostrophe: bool) -> Option<(i32, usize)> {
        let year = full_year(self.number(n)?, self.len(n)).filter(|_| apostrophe)?;
        Some((year, n + 1))
    }

    /// Parses `2026-08-21`, `2026-08`, `21/08/2026`, `21 August 2026`, `August 21, 2026`, `Aug 2026`, `21 August`.
    fn date(&self) -> ParsedMoment {
        self.numeric_date()
            .or_else(|| self.numeric_month())
            .or_else(|| self.day_first())
            .or_else(|| self.month_first())
    }

    fn numeric_date(&self) -> ParsedMoment {
        let (a, b, c) = (self.number(0)?, self.number(1)?, self.number(2)?);
        let gaps = (self.text_between(0), self.text_between(1));
        if gaps.0 != gaps.1 || !matches!(gaps.0.as_str(), "-" | "/" | ".") {
            return None;
        }
        if self.len(0) == 4 {
            return NaiveDate::from_ymd_opt(a as i32, b, c).map(|date| (Moment::Date(date), 3));
        }
        let year = (self.len(2) == 4).then_some(c as i32)?;
        let (day_first, month_first) =
            (NaiveDate::from_ymd_opt(year, b, a), NaiveDate::from_ymd_opt(year, a, b));
        let moment = match (day_first, month_first) {
            (Some(one), Some(other)) => Moment::Either(one, other),
            (Some(one), None) | (None, Some(one)) => Moment::Date(one),
            (None, None) => return None,
        };
        Some((moment, 3))
    }

    /// Parses `2026-08`.
    fn numeric_month(&self) -> ParsedMoment {
        let (year, month) = (full_year(self.number(0)?, self.len(0))?, self.number(1)?);
        let is_month =
            self.len(0) == 4 && self.len(1) == 2 && self.text_between(0) == "-" && self.ends_a_word(1);
        (is_month && (1..=12).contains(&month)).then_some((Moment::Month(year, month), 2))
    }

    fn day_first(&self) -> ParsedMoment {
        let day = self.number(0).filter(|day| (1..=31).contains(day))?;
        let month_at = if is_ordinal(self.text(1)) && self.text_between(0).is_empty() { 2 } else { 1 };
        let month = parse_month(self.text(month_at))
            .filter(|_| matches!(self.text_between(month_at - 1).as_str(), " " | "-"))?;
        let is_spaced = matches!(self.text_between(month_at).as_str(), " " | "-" | ", " | " '" | "'");
        match self.number(month_at + 1).filter(|_| is_spaced) {
            Some(year) if self.len(month_at + 1) == 4 || self.text_between(month_at) != " " => {
                let year = full_year(year, self.len(month_at + 1))?;
                NaiveDate::from_ymd_opt(year, month, day).map(|date| (Moment::Date(date), month_at + 2))
            }
            _ => Some((Moment::Day(day, month), month_at + 1)),
        }
    }

    fn month_first(&self) -> ParsedMoment {
        let month = parse_month(self.text(0))?;
        let gap = self.text_between(0);
        let first = self.number(1).filter(|_| matches!(gap.as_str(), " " | "-" | ", " | " '" | "'"))?;
        if self.len(1) == 4 || gap.contains('\'') {
            return full_year(first, self.len(1)).map(|year| (Moment::Month(year, month), 2));
        }
        let day = Some(first).filter(|day| (1..=31).contains(day) && self.text_between(0) == " ")?;
        let last = if is_ordinal(self.text(2)) && self.text_between(1).is_empty() { 2 } else { 1 };
        match self.number(last + 1).filter(|_| matches!(self.text_between(last).as_str(), ", " | " ")) {
            Some(year) if self.len(last + 1) == 4 => {
                NaiveDate::from_ymd_opt(year as i32, month, day).map(|date| (Moment::Date(date), last + 2))
            }
            _ if self.ends_a_word(last) => Some((Moment::Day(day, month), last + 1)),
            _ => None,
        }
    }
}

/// Returns true if letters after a number make it an ordinal.
fn is_ordinal(text: &str) -> bool {
    matches!(text, "st" | "nd" | "rd" | "th")
}

/// Returns a year of two or four digits; `None` outside of the years that market reports refer to.
fn full_year(number: u32, digits: usize) -> Option<i32> {
    let year = if digits == 2 { 2_000 + number } else { number };
    (matches!(digits, 2 | 4) && (1_900..=2_100).contains(&year)).then_some(year as i32)
}

/// Returns a month by its English name or first three letters.
fn parse_month(text: &str) -> Option<u32> {
    let is_month =
        |name: &str| name == text || name.get(..3) == Some(text) || (text == "sept" && name == "september");
    MONTHS.iter().position(|name| is_month(name)).map(|index| index as u32 + 1)
}

//! A date or period as a text states it, and its support by the dates and periods of a passage. Unlike the calendar of the evidence, a date
//! supports no fiscal year or quarter that the passage does not name.

use chrono::Datelike as _;

use parquote_catalogue::operation::period::MONTHS;

use super::calendar::{self, DateMention, Moment};
use super::mark_kind::MarkKind;
use super::parts::Letters;

/// A date or period that a text states.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PeriodMention {
    moment: Moment,
    /// True for a fiscal year or a part of one, as its letters say.
    fiscal: bool,
    /// A half or several months of a year, or a quarter without a year, such as `h1`, `9m` or `q2`.
    part: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl PeriodMention {
    /// Returns the dates and periods of a text, in order.
    pub(super) fn all(letters: &Letters) -> Vec<Self> {
        calendar::find(letters, &letters.parts()).iter().map(|found| Self::new(letters, found)).collect()
    }

    fn new(letters: &Letters, found: &DateMention) -> Self {
        let text = letters.slice(found.start, found.end);
        let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        Self {
            moment: found.moment,
            fiscal: plain.contains("fy"),
            part: part_of_year(&plain),
            start: found.start,
            end: found.end,
        }
    }

    /// Returns true if a passage that states `self` supports this moment of a sentence.
    pub(super) fn supports(&self, sentence: &Self) -> bool {
        if self.moment == sentence.moment && self.fiscal == sentence.fiscal && self.part == sentence.part {
            return true;
        }
        match (self.moment, sentence.moment) {
            (Moment::Date(date), Moment::Month(year, month)) => (date.year(), date.month()) == (year, month),
            (Moment::Date(date), Moment::Day(day, month)) => (date.day(), date.month()) == (day, month),
            (Moment::Date(date), Moment::Either(one, other)) => date == one || date == other,
            (Moment::Quarter(..), Moment::Name) => self.part == sentence.part,
            _ => false,
        }
    }

    /// Returns what it says of a figure: day, month, year, part of the year, and length of time.
    pub(super) fn marks(&self) -> Vec<(MarkKind, String)> {
        let year = |year: i32| (MarkKind::Year, year.to_string());
        let span = match self.part.as_str() {
            "" | "12m" => "year",
            "9m" => "nine months",
            part if part.starts_with('q') || part == "3m" => "quarter",
            _ => "half",
        };
        let span = (MarkKind::Span, span.to_owned());
        let part = (!self.part.is_empty()).then(|| (MarkKind::YearPart, self.part.clone()));
        match self.moment {
            Moment::Date(date) => vec![(MarkKind::Date, date.to_string())],
            Moment::Month(_, month) => {
                let name = MONTHS.get((month as usize).saturating_sub(1)).and_then(|name| name.get(..3));
                name.map(|name| (MarkKind::Month, name.to_owned())).into_iter().collect()
            }
            Moment::Quarter(quarter, of) => {
                vec![
                    year(of),
                    (MarkKind::YearPart, format!("q{quarter}")),
                    (MarkKind::Span, "quarter".to_owned()),
                ]
            }
            Moment::Year(of) => [year(of), span].into_iter().chain(part).collect(),
            Moment::Name => std::iter::once(span).chain(part).collect(),
            Moment::Either(..) | Moment::Day(..) => Vec::new(),
        }
    }

    /// Returns true if the passage names this calendar year by the date or period.
    pub(super) fn is_in_year(&self, year: i32) -> bool {
        match self.moment {
            Moment::Date(date) => date.year() == year,
            Moment::Either(one, _) => one.year() == year,
            Moment::Month(of, _) => of == year,
            Moment::Quarter(_, of) | Moment::Year(of) => of == year && !self.fiscal,
            Moment::Day(..) | Moment::Name => false,
        }
    }
}

/// Returns the part of a year that a period names, in one spelling: `h1`, `9m`, `q2`; empty if it names none.
fn part_of_year(plain: &str) -> String {
    let chars: Vec<char> = plain.chars().collect();
    for pair in chars.windows(2) {
        match pair {
            [letter @ ('h' | 'q'), digit] if digit.is_ascii_digit() => return format!("{letter}{digit}"),
            [digit, letter @ ('h' | 'q')] if digit.is_ascii_digit() => return format!("{letter}{digit}"),
            [digit, 'm'] if digit.is_ascii_digit() && !plain.contains("mar") && !plain.contains("may") => {
                let number: String = plain.chars().take_while(char::is_ascii_digit).collect();
                return format!("{number}m");
            }
            _ => {}
        }
    }
    String::new()
}

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
    /// True if the text has `FY`: a fiscal year or a part of one.
    is_fiscal: bool,
    /// A half or several months of a year, or a quarter without a year, such as `h1`, `9m` or `q2`.
    part: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl PeriodMention {
    /// Returns the dates and periods of a text, in order.
    pub(super) fn all(letters: &Letters) -> Vec<Self> {
        calendar::find(letters, &letters.parts()).iter().map(|mention| Self::new(letters, mention)).collect()
    }

    fn new(letters: &Letters, mention: &DateMention) -> Self {
        let text = letters.slice(mention.start, mention.end);
        let alphanumeric_text: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        Self {
            moment: mention.moment,
            is_fiscal: alphanumeric_text.contains("fy"),
            part: part_of_year(&alphanumeric_text),
            start: mention.start,
            end: mention.end,
        }
    }

    /// Returns true if a passage with this date or period supports the date or period of a sentence.
    pub(super) fn supports(&self, sentence: &Self) -> bool {
        if self.moment == sentence.moment
            && self.is_fiscal == sentence.is_fiscal
            && self.part == sentence.part
        {
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

    /// Returns the marks that it puts on a figure: date, month, year, part of the year, and length of the period.
    pub(super) fn marks(&self) -> Vec<(MarkKind, String)> {
        let year_mark = |year: i32| (MarkKind::Year, year.to_string());
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
            Moment::Quarter(quarter, year) => {
                vec![
                    year_mark(year),
                    (MarkKind::YearPart, format!("q{quarter}")),
                    (MarkKind::Span, "quarter".to_owned()),
                ]
            }
            Moment::Year(year) => [year_mark(year), span].into_iter().chain(part).collect(),
            Moment::Name => std::iter::once(span).chain(part).collect(),
            Moment::Either(..) | Moment::Day(..) => Vec::new(),
        }
    }

    /// Returns true if the date or period is in a calendar year; false for a fiscal year.
    pub(super) fn is_in_year(&self, year: i32) -> bool {
        match self.moment {
            Moment::Date(date) => date.year() == year,
            Moment::Either(one, _) => one.year() == year,
            Moment::Month(stated, _) => stated == year,
            Moment::Quarter(_, stated) | Moment::Year(stated) => stated == year && !self.is_fiscal,
            Moment::Day(..) | Moment::Name => false,
        }
    }
}

/// Returns the part of a year that a period names, in one spelling: `h1`, `9m`, `q2`; empty if it names none.
fn part_of_year(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    for pair in chars.windows(2) {
        match pair {
            [letter @ ('h' | 'q'), digit] if digit.is_ascii_digit() => return format!("{letter}{digit}"),
            [digit, letter @ ('h' | 'q')] if digit.is_ascii_digit() => return format!("{letter}{digit}"),
            [digit, 'm'] if digit.is_ascii_digit() && !text.contains("mar") && !text.contains("may") => {
                let number: String = text.chars().take_while(char::is_ascii_digit).collect();
                return format!("{number}m");
            }
            _ => {}
        }
    }
    String::new()
}

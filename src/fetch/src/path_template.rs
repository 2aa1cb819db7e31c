//! Templates of URLs and paths with placeholders, such as a date: `sec_bhavdata_full_{DDMMYYYY}.csv`.
//!
//! A placeholder in braces is a word (`each`, `name`, `key`, `FROM`, `TO`, `CAPTURE`, `TIME`) or a sequence of `YYYY YY MM MON DD Q`. If
//! a placeholder has no value, filling returns `None`, so that an incomplete URL is never requested.

use chrono::{Datelike, NaiveDate, NaiveDateTime};
use serde::Deserialize;

/// The values of the placeholders.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Values<'a> {
    /// The session, the end of the quarter, or the day of capture.
    pub(crate) date: Option<NaiveDate>,
    /// The value of `{each}`: an index, a company or a symbol; empty without one.
    pub(crate) each: &'a str,
    /// The name of a linked file; empty for other files.
    pub(crate) name: &'a str,
    /// The key, or a substitute for it in texts that must not contain a key.
    pub(crate) key: &'a str,
    /// Time of capture of a snapshot, in the market's time zone; `None` for other files.
    pub(crate) captured: Option<NaiveDateTime>,
    /// First and last day of a window.
    pub(crate) window: Option<(NaiveDate, NaiveDate)>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Word(Placeholder),
    Dates(Vec<DatePart>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placeholder {
    Each,
    Name,
    Key,
    From,
    To,
    Capture,
    Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatePart {
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Quarter,
}

const PLACEHOLDERS: [(&str, Placeholder); 7] = [
    ("each", Placeholder::Each),
    ("name", Placeholder::Name),
    ("key", Placeholder::Key),
    ("FROM", Placeholder::From),
    ("TO", Placeholder::To),
    ("CAPTURE", Placeholder::Capture),
    ("TIME", Placeholder::Time),
];

/// Parts of dates. `YYYY` is before `YY`, because the first match counts.
const DATE_PARTS: [(&str, DatePart); 6] = [
    ("YYYY", DatePart::Year),
    ("YY", DatePart::ShortYear),
    ("MON", DatePart::MonthName),
    ("MM", DatePart::Month),
    ("DD", DatePart::Day),
    ("Q", DatePart::Quarter),
];

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PathTemplate {
    text: String,
    pieces: Vec<Piece>,
}

impl TryFrom<String> for PathTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, tail)) = rest.split_once('{') {
            let (placeholder, after) =
                tail.split_once('}').ok_or_else(|| format!("`{text}` has a {{ without its }}"))?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(parse_piece(placeholder).ok_or_else(|| {
                format!("`{{{placeholder}}}` is not a placeholder; there are {{each}}, {{name}}, {{key}}, {{FROM}}, {{TO}}, {{CAPTURE}}, {{TIME}} and dates such as {{DDMMYYYY}} of YYYY YY MM MON DD Q")
            })?);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { text, pieces })
    }
}

fn parse_piece(placeholder: &str) -> Option<Piece> {
    if let Some((_, word)) = PLACEHOLDERS.iter().find(|(name, _)| *name == placeholder) {
        return Some(Piece::Word(*word));
    }
    let mut parts = Vec::new();
    let mut rest = placeholder;
    while !rest.is_empty() {
        let (name, part) = DATE_PARTS.iter().find(|(name, _)| rest.starts_with(name))?;
        parts.push(*part);
        rest = rest.get(name.len()..)?;
    }
    (!parts.is_empty()).then_some(Piece::Dates(parts))
}

impl PathTemplate {
    /// Returns the text of the template.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the template has this placeholder.
    pub(crate) fn has(&self, word: Placeholder) -> bool {
        self.pieces.contains(&Piece::Word(word))
    }

    /// Returns true if the template has a part of a date.
    pub(crate) fn has_date(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Dates(_)))
    }

    /// Returns true if the template has the day of a date.
    pub(crate) fn has_day(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Dates(parts) if parts.contains(&DatePart::Day)))
    }

    /// Fills all placeholders; returns `None` if one has no value.
    pub(crate) fn fill(&self, values: &Values<'_>) -> Option<String> {
        let mut filled = String::with_capacity(self.text.len() + 16);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Word(word) => filled.push_str(&placeholder_value(*word, values)?),
                Piece::Dates(parts) => {
                    let date = values.date?;
                    for part in parts {
                        filled.push_str(&date_part(*part, date));
                    }
                }
            }
        }
        Some(filled)
    }
}

fn placeholder_value(word: Placeholder, values: &Values<'_>) -> Option<String> {
    let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match word {
        Placeholder::Each => non_empty(values.each),
        Placeholder::Name => non_empty(values.name),
        Placeholder::Key => non_empty(values.key),
        Placeholder::From => values.window.map(|(from, _)| from.to_string()),
        Placeholder::To => values.window.map(|(_, to)| to.to_string()),
        Placeholder::Capture => values.captured.map(|at| at.format("%Y%m%d").to_string()),
        Placeholder::Time => values.captured.map(|at| at.format("%H%M%S").to_string()),
    }
}

fn date_part(part: DatePart, date: NaiveDate) -> String {
    match part {
        DatePart::Year => format!("{:04}", date.year()),
        DatePart::ShortYear => format!("{:02}", date.year().rem_euclid(100)),
        DatePart::Month => format!("{:02}", date.month()),
        DatePart::MonthName => date.format("%b").to_string().to_uppercase(),
        DatePart::Day => format!("{:02}", date.day()),
        DatePart::Quarter => (date.month0() / 3 + 1).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Option<String> {
        let day = NaiveDate::from_ymd_opt(2026, 7, 8);
        let captured = day.and_then(|day| day.and_hms_opt(20, 0, 3));
        let values = Values { date: day, each: "nifty50list", captured, ..Values::default() };
        PathTemplate::try_from(text.to_owned()).unwrap().fill(&values)
    }

    #[test]
    fn placeholders_are_filled_as_exchanges_write_dates() {
        for (text, expected) in [
            ("a_{DDMMYYYY}.csv", "a_08072026.csv"),
            ("PR{DDMMYY}.zip", "PR080726.zip"),
            ("{YYYY}/{MON}/cm{DDMONYYYY}bhav.csv.zip", "2026/JUL/cm08JUL2026bhav.csv.zip"),
            ("{YYYY}/QTR{Q}/form.{YYYYMMDD}.idx", "2026/QTR3/form.20260708.idx"),
            ("ind_{each}_{CAPTURE}_{TIME}.csv", "ind_nifty50list_20260708_200003.csv"),
        ] {
            assert_eq!(filled(text).as_deref(), Some(expected));
        }
        assert_eq!(filled("{name}"), None, "a hole is no text");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, words) in
            [("{DDMM", "without its }"), ("{day}", "`{day}` is not a placeholder"), ("{}", "`{}`")]
        {
            let error = PathTemplate::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}

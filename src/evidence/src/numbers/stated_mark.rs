//! Phrases and periods that qualify a figure or action near them, such as `expected`, `in the quarter` or `consolidated`.

use std::ops::Range;

use parquote_catalogue::operation::period::MONTHS;

use super::mark_kind::MarkKind;
use super::parsed_text::ParsedText;
use super::period_mention::PeriodMention;
use super::statement_words::WORDS;
use super::text_token::{TextToken, TextTokenKind};

/// A phrase or period with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedMark {
    /// Indices of the mark's tokens.
    pub(super) range: Range<usize>,
    pub(super) kind: MarkKind,
    /// Meaning of the phrase or period, such as `expected` or `q1`.
    pub(super) value: String,
}

impl StatedMark {
    /// Returns the marks of a text in order.
    pub(super) fn all(text: &ParsedText) -> Vec<Self> {
        let phrases = WORDS.marks.all(&text.tokens).into_iter();
        let phrases = phrases.filter(|(range, _)| !is_month_of_may(text, range.start));
        let phrases = phrases.map(|(range, (kind, value))| Self { range, kind: *kind, value: value.clone() });
        let periods = text.tokens.iter().enumerate().flat_map(|(at, token)| {
            let marks = period_marks(text, at, token).into_iter();
            marks.map(move |(kind, value)| Self { range: at..at + 1, kind, value })
        });
        let mut marks: Vec<Self> = phrases.chain(periods).collect();
        marks.sort_by_key(|mark| mark.range.start);
        marks
    }
}

/// Returns the marks of a period, of a year alone, or of the name of a month.
fn period_marks(text: &ParsedText, at: usize, token: &TextToken) -> Vec<(MarkKind, String)> {
    match &token.kind {
        TextTokenKind::Period(period) => {
            // The year of `first quarter of FY27` is not the length of the period.
            let is_whole = word_before(text, at).is_none_or(|word| word != "of");
            let marks = text.periods.get(*period).map(PeriodMention::marks).unwrap_or_default();
            let is_valid =
                |mark: &(MarkKind, String)| is_whole || mark.0 != MarkKind::Span || mark.1 != "year";
            marks.into_iter().filter(is_valid).collect()
        }
        TextTokenKind::Number(number) => {
            let year = text.numbers.get(*number).filter(|number| number.may_be_year);
            year.map(|year| (MarkKind::Year, year.value.to_string())).into_iter().collect()
        }
        TextTokenKind::Word(word) if !matches!(word.as_str(), "may" | "march" | "mar") => {
            let month = MONTHS.iter().filter_map(|month| Some((*month, month.get(..3)?)));
            let mut month = month.filter(|(long, short)| word == long || word == short);
            month.next().map(|(_, short)| (MarkKind::Month, short.to_owned())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns true for the word `May` with a capital within a sentence.
fn is_month_of_may(text: &ParsedText, at: usize) -> bool {
    text.tokens.get(at).is_some_and(|token| {
        let first = text.letters.original_chars.get(token.start);
        token.is_word("may") && first.is_some_and(|c| c.is_uppercase()) && word_before(text, at).is_some()
    })
}

fn word_before(text: &ParsedText, at: usize) -> Option<&str> {
    text.tokens.get(at.checked_sub(1)?)?.word()
}

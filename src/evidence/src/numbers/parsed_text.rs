//! A text, parsed into figures, periods, tokens and measures.

use super::measure::MeasuredText;
use super::parts::{Letters, mask_range};
use super::period_mention::PeriodMention;
use super::stated::StatedNumber;
use super::text_token::TextToken;
use super::written;

/// A parsed text.
pub(super) struct ParsedText {
    pub(super) letters: Letters,
    /// True for each character of a figure or period.
    pub(super) masked: Vec<bool>,
    pub(super) periods: Vec<PeriodMention>,
    pub(super) numbers: Vec<StatedNumber>,
    pub(super) tokens: Vec<TextToken>,
    pub(super) measured: MeasuredText,
}

impl ParsedText {
    pub(super) fn new(text: &str) -> Self {
        let letters = Letters::from_text(text);
        let mut masked = vec![false; letters.folded.len()];
        let periods = PeriodMention::all(&letters);
        for period in &periods {
            mask_range(&mut masked, period.start, period.end);
        }
        let mut numbers = StatedNumber::all(&letters, &written::find(&letters, &masked));
        let of_numbers = numbers.iter().map(|number| number.start..number.end);
        let of_periods = periods.iter().map(|period| period.start..period.end);
        let tokens = TextToken::all(&letters, of_numbers, of_periods);
        let measured = MeasuredText::new(&tokens, &numbers);
        measured.assign(&mut numbers);
        for number in &numbers {
            mask_range(&mut masked, number.start, number.end);
        }
        Self { letters, masked, periods, numbers, tokens, measured }
    }

    /// Returns the years that are written as bare numbers.
    pub(super) fn years(&self) -> impl Iterator<Item = i32> {
        self.numbers.iter().filter(|number| number.may_be_year).map(|number| number.value as i32)
    }
}

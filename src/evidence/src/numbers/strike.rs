//! Replaces every unsupported number of a text by a mark, and lists the replaced ones.

use serde::{Deserialize, Serialize};

use super::calendar;
use super::parts::{Letters, mask_range};
use super::run_evidence::RunEvidence;
use super::written;

/// Replacement of a struck number.
pub const STRUCK: &str = "[unsupported]";

/// A number without support by a tool or an input of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnsupportedNumber {
    /// The number as written, with its unit.
    pub text: String,
    /// Value in the written unit, such as 450 for `Rs 450 crore`; `None` for a date or period.
    pub value: Option<f64>,
    /// The part of the report that contained it, such as `summary` or `risks[0]`.
    #[serde(rename = "where")]
    pub location: String,
}

/// A struck range, with its description.
struct Strike {
    start: usize,
    end: usize,
    text: String,
    value: Option<f64>,
}

impl RunEvidence {
    /// Returns the text with every unsupported number replaced by [`STRUCK`], and adds these numbers to `struck` with the given `location`.
    pub fn strike(&self, text: &str, location: &str, struck: &mut Vec<UnsupportedNumber>) -> String {
        let letters = Letters::from_text(text);
        let mut strikes = self.strikes(&letters);
        strikes.sort_by_key(|strike| strike.start);
        let (mut checked, mut from) = (String::with_capacity(text.len()), 0);
        for strike in strikes {
            if strike.start >= from {
                checked.push_str(&letters.original(from, strike.start));
                checked.push_str(STRUCK);
                from = strike.end;
                struck.push(UnsupportedNumber {
                    text: strike.text,
                    value: strike.value,
                    location: location.to_owned(),
                });
            }
        }
        checked.push_str(&letters.original(from, letters.original_chars.len()));
        checked
    }

    fn strikes(&self, letters: &Letters) -> Vec<Strike> {
        let mut masked = self.masked_names(letters);
        mask_list_numbers(letters, &mut masked);
        let mut strikes = Vec::new();
        for mention in calendar::find(letters, &letters.parts()) {
            let is_masked = masked.get(mention.start).copied().unwrap_or(false);
            mask_range(&mut masked, mention.start, mention.end);
            if !is_masked && !self.calendar.contains(mention.moment) {
                let text = letters.original(mention.start, mention.end);
                strikes.push(Strike { start: mention.start, end: mention.end, text, value: None });
            }
        }
        for number in written::find(letters, &masked) {
            if !self.supports(&number, letters) {
                let text = letters.original(number.start, number.unit_end);
                let value = Some(number.value);
                strikes.push(Strike { start: number.start, end: number.end, text, value });
            }
        }
        // Numerals without a value here, such as ½ or Ⅳ, cannot be checked.
        for (index, c) in
            letters.folded.iter().enumerate().filter(|(_, c)| c.is_numeric() && !c.is_ascii_digit())
        {
            if !masked.get(index).copied().unwrap_or(false) {
                strikes.push(Strike { start: index, end: index + 1, text: c.to_string(), value: None });
            }
        }
        strikes
    }

    /// Masks names that the run saw, such as `3M Company` or a date as a tool wrote it.
    fn masked_names(&self, letters: &Letters) -> Vec<bool> {
        let mut masked = vec![false; letters.folded.len()];
        let text: String = letters.folded.iter().collect();
        // A text contains few of thousands of names, so a plain search excludes most of them.
        for name in self.names.iter().filter(|name| text.contains(name.as_str())) {
            let name: Vec<char> = name.chars().collect();
            let starts = letters
                .folded
                .windows(name.len())
                .enumerate()
                .filter(|(_, window)| *window == name.as_slice());
            for (start, _) in starts {
                let end = start + name.len();
                let (before, next) = (letters.char_before(start), letters.char_at(end));
                let is_decimal = matches!(next, '.' | ',') && letters.char_at(end + 1).is_ascii_digit();
                let is_number_tail =
                    matches!(before, '.' | ',' | '-' | '+') && letters.char_at(start).is_ascii_digit();
                if !before.is_alphanumeric()
                    && !next.is_alphanumeric()
                    && next != '%'
                    && !is_decimal
                    && !is_number_tail
                {
                    mask_range(&mut masked, start, end);
                }
            }
        }
        masked
    }
}

/// Masks list numbers: `1.` or `2)` at the start of a line, and `(1)` if the text also has `(2)`.
fn mask_list_numbers(letters: &Letters, masked: &mut [bool]) {
    let mut next = 1;
    for start in 0..letters.folded.len() {
        let digits = (start..start + 3).take_while(|at| letters.char_at(*at).is_ascii_digit()).count();
        if !(1..=2).contains(&digits) || letters.char_before(start).is_ascii_digit() {
            continue;
        }
        let end = start + digits;
        let (after, then) = (letters.char_at(end), letters.char_at(end + 1));
        let line = letters.folded.get(..start).unwrap_or_default();
        let is_line_start =
            line.iter().rev().take_while(|c| **c != '\n').all(|c| matches!(c, ' ' | '*' | '#' | '-' | '\t'));
        let is_negative = letters.char_before(start) == '-';
        let is_list_number =
            is_line_start && !is_negative && matches!(after, '.' | ')') && matches!(then, ' ' | '\0' | '*');
        let is_counted = letters.char_before(start) == '('
            && after == ')'
            && letters.slice(start, end) == next.to_string();
        if is_counted {
            next += 1;
        }
        if is_list_number
            || (is_counted
                && next > 1
                && letters.slice(end, letters.folded.len()).contains(&format!("({next})")))
            || (is_counted && next > 2)
        {
            mask_range(masked, start, end);
        }
    }
}

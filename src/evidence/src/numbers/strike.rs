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
    /// Its value; `None` for a date or period.
    pub value: Option<f64>,
    /// The text of the report that contained it.
    #[serde(rename = "where")]
    pub place: String,
}

/// A struck range, with its description.
struct Strike {
    start: usize,
    end: usize,
    text: String,
    value: Option<f64>,
}

impl RunEvidence {
    /// Returns the text with every unsupported number replaced by [`STRUCK`]; the replaced ones are added to the list.
    pub fn strike(&self, text: &str, place: &str, struck: &mut Vec<UnsupportedNumber>) -> String {
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
                    place: place.to_owned(),
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
        for found in calendar::find(letters, &letters.parts()) {
            let covered = masked.get(found.start).copied().unwrap_or(false);
            mask_range(&mut masked, found.start, found.end);
            if !covered && !self.calendar.contains_date(found.moment) {
                let text = letters.original(found.start, found.end);
                strikes.push(Strike { start: found.start, end: found.end, text, value: None });
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
        for (place, c) in
            letters.folded.iter().enumerate().filter(|(_, c)| c.is_numeric() && !c.is_ascii_digit())
        {
            if !masked.get(place).copied().unwrap_or(false) {
                strikes.push(Strike { start: place, end: place + 1, text: c.to_string(), value: None });
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
                let (before, next) = (letters.before(start), letters.at(end));
                let decimal = matches!(next, '.' | ',') && letters.at(end + 1).is_ascii_digit();
                let led = matches!(before, '.' | ',' | '-' | '+') && letters.at(start).is_ascii_digit();
                if !before.is_alphanumeric() && !next.is_alphanumeric() && next != '%' && !decimal && !led {
                    mask_range(&mut masked, start, end);
                }
            }
        }
        masked
    }
}

/// Masks list numbers: `1.` or `2)` at the start of a line, and `(1)` if the text counts from there.
fn mask_list_numbers(letters: &Letters, masked: &mut [bool]) {
    let mut next = 1;
    for place in 0..letters.folded.len() {
        let digits = (place..place + 3).take_while(|place| letters.at(*place).is_ascii_digit()).count();
        if !(1..=2).contains(&digits) || letters.before(place).is_ascii_digit() {
            continue;
        }
        let end = place + digits;
        let (after, then) = (letters.at(end), letters.at(end + 1));
        let line = letters.folded.get(..place).unwrap_or_default();
        let opens =
            line.iter().rev().take_while(|c| **c != '\n').all(|c| matches!(c, ' ' | '*' | '#' | '-' | '\t'));
        let dashed = letters.before(place) == '-';
        let listed = opens && !dashed && matches!(after, '.' | ')') && matches!(then, ' ' | '\0' | '*');
        let counted =
            letters.before(place) == '(' && after == ')' && letters.slice(place, end) == next.to_string();
        if counted {
            next += 1;
        }
        if listed
            || (counted
                && next > 1
                && letters.slice(end, letters.folded.len()).contains(&format!("({next})")))
            || (counted && next > 2)
        {
            mask_range(masked, place, end);
        }
    }
}

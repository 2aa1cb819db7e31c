//! The words, figures, periods and marks of a text in their order.

use std::ops::Range;

use super::parts::{Letters, singular};

/// A part of a text with the position of its first character.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextToken {
    pub(super) kind: TextTokenKind,
    pub(super) place: usize,
}

/// Kinds of parts of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TextTokenKind {
    /// A word in lower case and the singular.
    Word(String),
    /// A number, by its position among the numbers of the text.
    Number(usize),
    /// A date or period, by its position among those of the text.
    Period(usize),
    /// A mark between parts of a sentence.
    Break(char),
    /// The end of a sentence.
    Stop,
}

/// Words whose point does not end a sentence.
const ABBREVIATIONS: [&str; 8] = ["rs", "no", "mr", "ms", "mrs", "dr", "vs", "approx"];

impl TextToken {
    /// Splits a text with numbers and periods at these places, both in their order.
    pub(super) fn all(
        letters: &Letters,
        numbers: impl Iterator<Item = Range<usize>>,
        periods: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Self> {
        let mut tokens = Vec::new();
        let mut numbers = numbers.enumerate().peekable();
        let mut periods = periods.enumerate().peekable();
        let mut place = 0;
        while place < letters.folded.len() {
            let number = numbers.next_if(|(_, number)| number.start <= place);
            let number = number.map(|(at, number)| (TextTokenKind::Number(at), number.end));
            let found = number.or_else(|| {
                let (at, period) = periods.next_if(|(_, period)| period.start <= place)?;
                Some((TextTokenKind::Period(at), period.end))
            });
            if let Some((kind, end)) = found {
                tokens.push(Self { kind, place });
                place = place.max(end);
                continue;
            }
            if letters.at(place).is_alphabetic() {
                let end = letters.end_of(place, char::is_alphabetic);
                tokens.push(Self { kind: TextTokenKind::Word(singular(&letters.slice(place, end))), place });
                place = end;
                continue;
            }
            tokens.extend(mark(letters, place).map(|kind| Self { kind, place }));
            place += 1;
        }
        tokens
    }

    /// Returns a word alone, in the singular.
    pub(super) fn from_word(word: &str) -> Self {
        Self { kind: TextTokenKind::Word(singular(word)), place: 0 }
    }

    /// Returns the word; `None` for anything else.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            TextTokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns true for this word.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// Returns the mark at a position between words.
fn mark(letters: &Letters, place: usize) -> Option<TextTokenKind> {
    let c = letters.at(place);
    let is_dash = c == '-' && letters.before(place) == ' ' && letters.at(place + 1) == ' ';
    match c {
        ',' | ';' | ':' | '(' | ')' => Some(TextTokenKind::Break(c)),
        _ if is_dash => Some(TextTokenKind::Break(c)),
        '&' => Some(TextTokenKind::Word("and".to_owned())),
        '\n' => Some(TextTokenKind::Stop),
        '.' | '!' | '?' => ends_sentence(letters, place).then_some(TextTokenKind::Stop),
        _ => None,
    }
}

/// Returns true if a mark ends a sentence: the next one begins with a capital.
fn ends_sentence(letters: &Letters, place: usize) -> bool {
    let word = letters.word_before(place);
    let is_short = word.chars().count() == 1 || ABBREVIATIONS.contains(&word.as_str());
    let mut rest = letters.original_chars.iter().skip(place + 1).skip_while(|c| matches!(c, '"' | '”' | '’'));
    let is_apart = rest.next().is_none_or(|c| c.is_whitespace());
    let next = rest.find(|c| !c.is_whitespace() && !matches!(c, '"' | '“' | '‘' | '('));
    !is_short && is_apart && next.is_none_or(|c| c.is_uppercase())
}

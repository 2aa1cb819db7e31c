//! The words, figures, periods and marks of a text in their order.

use std::ops::Range;

use super::parts::{Letters, singular};

/// A token of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextToken {
    pub(super) kind: TextTokenKind,
    /// Index of its first character in the text.
    pub(super) start: usize,
}

/// Kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TextTokenKind {
    /// A word in lower case and the singular.
    Word(String),
    /// A number, by its index among the numbers of the text.
    Number(usize),
    /// A date or period, by its index among those of the text.
    Period(usize),
    /// A mark between parts of a sentence.
    Break(char),
    /// The end of a sentence.
    Stop,
}

/// Abbreviations. The point after one does not end a sentence.
const ABBREVIATIONS: [&str; 8] = ["rs", "no", "mr", "ms", "mrs", "dr", "vs", "approx"];

impl TextToken {
    /// Splits a text into tokens. `numbers` and `periods` are their ranges of characters, in order.
    pub(super) fn all(
        letters: &Letters,
        numbers: impl Iterator<Item = Range<usize>>,
        periods: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Self> {
        let mut tokens = Vec::new();
        let mut numbers = numbers.enumerate().peekable();
        let mut periods = periods.enumerate().peekable();
        let mut index = 0;
        while index < letters.folded.len() {
            let number = numbers.next_if(|(_, number)| number.start <= index);
            let number = number.map(|(at, number)| (TextTokenKind::Number(at), number.end));
            let number_or_period = number.or_else(|| {
                let (at, period) = periods.next_if(|(_, period)| period.start <= index)?;
                Some((TextTokenKind::Period(at), period.end))
            });
            if let Some((kind, end)) = number_or_period {
                tokens.push(Self { kind, start: index });
                index = index.max(end);
                continue;
            }
            if letters.char_at(index).is_alphabetic() {
                let end = letters.run_end(index, char::is_alphabetic);
                tokens.push(Self {
                    kind: TextTokenKind::Word(singular(&letters.slice(index, end))),
                    start: index,
                });
                index = end;
                continue;
            }
            tokens.extend(separator(letters, index).map(|kind| Self { kind, start: index }));
            index += 1;
        }
        tokens
    }

    /// Makes the token of a word outside of a text, in the singular.
    pub(super) fn from_word(word: &str) -> Self {
        Self { kind: TextTokenKind::Word(singular(word)), start: 0 }
    }

    /// Returns the word; `None` for anything else.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            TextTokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns true if the token is this word, in the singular.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// Returns the token of the punctuation mark at a position, if it separates parts or sentences; `&` is the word `and`.
fn separator(letters: &Letters, index: usize) -> Option<TextTokenKind> {
    let c = letters.char_at(index);
    let is_dash = c == '-' && letters.char_before(index) == ' ' && letters.char_at(index + 1) == ' ';
    match c {
        ',' | ';' | ':' | '(' | ')' => Some(TextTokenKind::Break(c)),
        _ if is_dash => Some(TextTokenKind::Break(c)),
        '&' => Some(TextTokenKind::Word("and".to_owned())),
        '\n' => Some(TextTokenKind::Stop),
        '.' | '!' | '?' => ends_sentence(letters, index).then_some(TextTokenKind::Stop),
        _ => None,
    }
}

/// Returns true if the mark at a position ends a sentence: it is not after an abbreviation, and the next word has a capital.
fn ends_sentence(letters: &Letters, index: usize) -> bool {
    let word = letters.word_before(index);
    let is_short = word.chars().count() == 1 || ABBREVIATIONS.contains(&word.as_str());
    let mut rest = letters.original_chars.iter().skip(index + 1).skip_while(|c| matches!(c, '"' | '”' | '’'));
    let is_apart = rest.next().is_none_or(|c| c.is_whitespace());
    let next = rest.find(|c| !c.is_whitespace() && !matches!(c, '"' | '“' | '‘' | '('));
    !is_short && is_apart && next.is_none_or(|c| c.is_uppercase())
}

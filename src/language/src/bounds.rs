//! Parses bounds: comparisons, ranges, and numbers followed by `or more`.

use super::conditions::Bound;
use super::quantities::Quantity;
use super::reader::SentenceReader;
use super::word::{Word, is_comparison};

impl SentenceReader<'_> {
    /// Reads the bound that begins at a piece. Returns it with the index of the next piece.
    pub(super) fn bound(&self, at: usize) -> Option<(Bound, usize)> {
        match self.word(at) {
            Some(Word::Not) => {
                let (word, quantity) = (self.word(at + 1)?, self.quantity(at + 2)?);
                Some((Bound::Compared(opposite(word)?, quantity), at + 3))
            }
            Some(Word::Between | Word::From) => self.range(at + 1),
            Some(word) if is_comparison(word) => {
                Some((Bound::Compared(word, self.quantity(at + 1)?), at + 2))
            }
            Some(_) => None,
            None => self.range(at).or_else(|| self.number(at)),
        }
    }

    /// Reads a bound other than a number alone.
    pub(super) fn explicit_bound(&self, at: usize) -> Option<(Bound, usize)> {
        self.bound(at).filter(|(bound, _)| !matches!(bound, Bound::Alone(_)))
    }

    /// Reads two quantities as a range. The first one gets the units of the second one that it lacks.
    fn range(&self, at: usize) -> Option<(Bound, usize)> {
        let low = self.quantity(at)?;
        // `and` makes a range only after `between` and `from`.
        let is_after_between = at > 0 && matches!(self.word(at - 1), Some(Word::Between | Word::From));
        match self.word(at + 1)? {
            Word::To | Word::Dash => {}
            Word::And if is_after_between => {}
            _ => return None,
        }
        let high = self.quantity(at + 2)?;
        Some((Bound::Range(low.with_units_of(&high), high), at + 3))
    }

    fn number(&self, at: usize) -> Option<(Bound, usize)> {
        let quantity: Quantity = self.quantity(at)?;
        Some(match self.word(at + 1) {
            Some(word @ (Word::OrMore | Word::OrLess | Word::AboveIt | Word::BelowIt)) => {
                (Bound::Compared(word, quantity), at + 2)
            }
            _ => (Bound::Alone(quantity), at + 1),
        })
    }
}

/// Returns the comparison that holds if this one does not; `None` for a word without one.
pub(super) const fn opposite(word: Word) -> Option<Word> {
    match word {
        Word::Above => Some(Word::AtMost),
        Word::AtLeast => Some(Word::Below),
        Word::Below => Some(Word::AtLeast),
        Word::AtMost => Some(Word::Above),
        Word::Equal => Some(Word::Unequal),
        _ => None,
    }
}

//! Conditions on price levels and price moves: moving averages, the 52-week high, gains and losses.

use super::conditions::Bound;
use super::field::Field;
use super::fields::declared;
use super::filter::Filter;
use super::quantities::{Mark, Quantity};
use super::reader::SentenceReader;
use super::word_list::Word;

impl SentenceReader<'_> {
    /// Reads `within 3%` behind the 52-week high. Tells whether it was there.
    pub(super) fn within_of_high(&mut self, field: &'static Field, at: usize) -> bool {
        let quantity =
            self.quantity(at + 1).filter(|_| field.name == FROM_HIGH && self.word(at) == Some(Word::Within));
        if let Some(quantity) = quantity {
            self.off_high(field, Word::Within, quantity, (self.at, at + 2));
        }
        quantity.is_some()
    }

    /// An average stands here: `50-day average above the 200-day average`. By itself it says nothing.
    pub(super) fn average_first(&mut self, field: &'static Field) {
        let start = self.at;
        let Some(second) = self.average(start + 2).filter(|_| self.is_comparison_at(start + 1)) else {
            return self.mark_not_understood(start, start + 1);
        };
        let is_above = match self.word(start + 1) {
            Some(Word::Above | Word::AtLeast) => true,
            Some(Word::Below | Word::AtMost) => false,
            _ => return self.mark_not_understood(start, start + 3),
        };
        let is_first = match (field.name, second.name) {
            ("above_sma_50", "above_sma_200") => is_above,
            ("above_sma_200", "above_sma_50") => !is_above,
            _ => return self.mark_not_understood(start, start + 3),
        };
        self.at = start + 3;
        match self.fields.find(GOLDEN_CROSS) {
            Some(cross) => self.condition(Filter::Flag { field: cross.name.to_owned(), is: is_first }),
            None => self.unread(start, start + 3),
        }
    }

    /// `up more than 5% today`, `down 20% from the 52-week high`.
    pub(super) fn moved(&mut self, word: Word) {
        let start = self.at;
        let Some((bound, mut end)) = self.bound(start + 1) else {
            return self.mark_not_understood(start, start + 1);
        };
        let (compared, quantity) = match bound {
            Bound::Compared(compared, quantity) => (compared, quantity),
            Bound::Alone(quantity) => (Word::AtLeast, quantity),
            Bound::Range(..) => return self.mark_not_understood(start, end),
        };
        if let Some((field, after)) = self.below_high(end) {
            return self.off_high(field, compared, quantity, (start, after));
        }
        let of_span = match self.word(end) {
            Some(Word::Today) => Some("change_pct"),
            Some(Word::Week) => Some("roc_5"),
            Some(Word::Month) => Some("roc_21"),
            Some(Word::Quarter) => Some("roc_63"),
            Some(Word::HalfYear) => Some("roc_126"),
            Some(Word::Year) => Some("roc_252"),
            _ => None,
        };
        end += usize::from(of_span.is_some());
        let name = of_span.unwrap_or("change_pct");
        if of_span.is_none() && self.is_unknown(end) && self.touch(end) {
            // Over some other time, or from some other price: not the move of the day.
            return self.mark_not_understood(start, end + 1);
        }
        let bound = if word == Word::Up {
            Bound::Compared(compared, quantity)
        } else {
            Bound::Compared(mirrored(compared), Quantity { number: -quantity.number, ..quantity })
        };
        match declared(name) {
            Some(field) => self.bounded_fields(&[field], false, &bound, (start, end)),
            None => self.mark_not_understood(start, end),
        }
    }

    /// `within 10% of the 52-week high`
    pub(super) fn within(&mut self) {
        let start = self.at;
        let after = start + 2 + usize::from(self.word(start + 2) == Some(Word::From));
        match (self.quantity(start + 1), self.field(after)) {
            (Some(quantity), Some(field)) if field.name == FROM_HIGH => {
                self.off_high(field, Word::Within, quantity, (start, after + 1));
            }
            _ => self.mark_not_understood(start, start + 1),
        }
    }

    /// `above the 50 and the 200-day average`
    pub(super) fn averages(&mut self, word: Word) {
        let start = self.at;
        let is = match word {
            Word::Above | Word::AtLeast => true,
            Word::Below | Word::AtMost => false,
            _ => return self.mark_not_understood(start, start + 2),
        };
        let (mut flags, mut any) = (Vec::new(), false);
        self.at += 1;
        while let Some(field) = self.average(self.at).or_else(|| self.counted_average(self.at)) {
            if self.fields.find(field.name).is_none() {
                self.at += 1;
                return self.missing(field, start, self.at);
            }
            flags.push(Filter::Flag { field: field.name.to_owned(), is });
            self.at += 1;
            let Some(joint) =
                self.word(self.at).filter(|word| matches!(word, Word::And | Word::Or | Word::Comma))
            else {
                break;
            };
            if self.average(self.at + 1).is_none() && self.counted_average(self.at + 1).is_none() {
                break;
            }
            any |= joint == Word::Or;
            self.at += 1;
        }
        self.conditions(flags, any);
    }

    /// The average that a number means before another one: `50 and 200 DMA`.
    pub(super) fn counted_average(&self, at: usize) -> Option<&'static Field> {
        let count = self.quantity(at)?.count()?;
        self.word(at + 1).filter(|word| matches!(word, Word::And | Word::Or | Word::Comma))?;
        let next = self.average(at + 2)?;
        let kind = next.name.trim_end_matches(|c: char| c.is_ascii_digit());
        declared(&format!("{kind}{count}"))
    }

    /// The distance from the high behind `below` or `from`, and the piece after it; `from highs` and `off peak` are one piece.
    pub(super) fn below_high(&self, at: usize) -> Option<(&'static Field, usize)> {
        let of_high = |at: usize| self.field(at).filter(|field| field.name == FROM_HIGH);
        let is_from = matches!(self.word(at), Some(Word::Below | Word::From | Word::Down));
        let is_high = || is_from && self.word(at + 1) == Some(Word::High) && self.field(at + 2).is_none();
        let named = of_high(at).map(|field| (field, at + 1));
        named
            .or_else(|| is_from.then(|| of_high(at + 1)).flatten().map(|field| (field, at + 2)))
            .or_else(|| is_high().then(|| declared(FROM_HIGH)).flatten().map(|field| (field, at + 2)))
    }

    /// A distance below the high: the figure is 0 at the high and negative below it.
    pub(super) fn off_high(
        &mut self,
        field: &'static Field,
        word: Word,
        quantity: Quantity,
        span: (usize, usize),
    ) {
        let (start, end) = span;
        self.at = end;
        let word = match word {
            // No farther below than this.
            Word::Within => Word::AtLeast,
            word => mirrored(word),
        };
        let below = Quantity { number: -quantity.number.abs(), ..quantity };
        if below.mark == Mark::Times {
            return self.unread(start, end);
        }
        self.bounded_fields(&[field], false, &Bound::Compared(word, below), (start, end));
    }
}

/// The flag of the 50-bar average above the 200-bar average.
const GOLDEN_CROSS: &str = "sma_50_above_200";
/// The field of the distance from the 52-week high.
const FROM_HIGH: &str = "pct_from_high";

/// The comparison for the negative of a number.
const fn mirrored(word: Word) -> Word {
    match word {
        Word::Above => Word::Below,
        Word::AtLeast | Word::OrMore => Word::AtMost,
        Word::Below => Word::Above,
        Word::AtMost | Word::OrLess => Word::AtLeast,
        word => word,
    }
}

//! Conditions on price levels and price moves: moving averages, the 52-week high and low, gains and losses.

use std::sync::Arc;

use super::conditions::{Bound, FROM_HIGH, mirror};
use super::crossings::crossing_condition;
use super::field::Field;
use super::filter::Filter;
use super::quantities::{NumberSuffix, Quantity};
use super::reader::SentenceReader;
use super::spans::field_over_span;
use super::word::{Word, is_span};

impl<'a> SentenceReader<'a> {
    /// Reads `within 3%` after the 52-week high or low. Returns false if the sentence has no such distance at this piece.
    pub(super) fn read_distance_below_extreme(&mut self, field: &'a Field, at: usize) -> bool {
        let quantity =
            self.quantity(at + 1).filter(|_| is_extreme(field) && self.word(at) == Some(Word::Within));
        if let Some(quantity) = quantity {
            self.add_distance_from_extreme(field, Word::Within, quantity, (self.position, at + 2));
        }
        quantity.is_some()
    }

    /// Reads a condition that begins with an average: `50-day average above the 200-day average`. An average alone has no meaning.
    pub(super) fn average_first(&mut self, field: &'a Field) {
        let start = self.position;
        if let Some(word @ (Word::AboveIt | Word::BelowIt)) = self.word(start + 1) {
            self.position = start + 2;
            let filter = Filter::Flag { field: field.name.clone(), is: word == Word::AboveIt };
            return match self.fields.find(&field.name) {
                Some(_) => self.add_condition(filter),
                None => self.note_missing_field(field, start, start + 2),
            };
        }
        let Some(second) = self.average(start + 2).filter(|_| self.is_comparison_at(start + 1)) else {
            return self.mark_not_understood(start, start + 1);
        };
        let is_above = match self.word(start + 1) {
            Some(Word::Above | Word::AtLeast | Word::CrossedAbove) => true,
            Some(Word::Below | Word::AtMost | Word::CrossedBelow) => false,
            _ => return self.mark_not_understood(start, start + 3),
        };
        let is_first = match (field.name.as_str(), second.name.as_str()) {
            ("above_sma_50", "above_sma_200") => is_above,
            ("above_sma_200", "above_sma_50") => !is_above,
            _ => return self.mark_not_understood(start, start + 3),
        };
        self.position = start + 3;
        let cross = self.fields.find(GOLDEN_CROSS).map(|cross| (cross.name.clone(), is_first));
        match cross.and_then(|cross| self.flag_conditions(self.word(start + 1), vec![cross])) {
            Some(filters) => self.add_conditions(filters, false),
            None => self.mark_unread(start, start + 3),
        }
    }

    /// Reads `up more than 5% today` and `down 20% from the 52-week high`.
    pub(super) fn read_move(&mut self, word: Word) {
        let start = self.position;
        let default_bound = || {
            let (daily_change, span) = self.fields.declared_field(CHANGE).zip(self.word(start + 1))?;
            field_over_span(daily_change, span, self.fields)
                .map(|_| (Bound::Compared(Word::Above, Quantity::ZERO), start + 1))
        };
        let Some((bound, mut end)) = self.bound(start + 1).or_else(default_bound) else {
            return self.mark_not_understood(start, start + 1);
        };
        let (compared, quantity) = match bound {
            Bound::Compared(compared, quantity) => (compared, quantity),
            Bound::Alone(quantity) => (Word::AtLeast, quantity),
            Bound::Range(..) => return self.mark_not_understood(start, end),
        };
        if let Some((field, after)) = self.extreme_at(end) {
            // A price cannot be up from its high or down from its low.
            if (word == Word::Up) != (field.name == FROM_LOW) {
                return self.mark_not_understood(start, after);
            }
            return self.add_distance_from_extreme(field, compared, quantity, (start, after));
        }
        let daily_change = self.fields.declared_field(CHANGE);
        let spanned_change = daily_change
            .zip(self.word(end))
            .and_then(|(field, span)| field_over_span(field, span, self.fields));
        end += usize::from(spanned_change.is_some());
        let is_of_other_period =
            self.is_unknown(end) && self.is_adjacent(end) || self.word(end).is_some_and(is_span);
        if spanned_change.is_none() && is_of_other_period {
            // A move over another period, or from another price, is not the move of the day.
            return self.mark_not_understood(start, end + 1);
        }
        let bound = if word == Word::Up {
            Bound::Compared(compared, quantity)
        } else {
            Bound::Compared(mirror(compared), Quantity { number: 0.0 - quantity.number, ..quantity })
        };
        match spanned_change.map(Arc::as_ref).or(daily_change) {
            Some(field) => self.bounded_fields(&[field], false, &bound, (start, end)),
            None => self.mark_not_understood(start, end),
        }
    }

    /// Reads `within 10% of the 52-week high`, or low.
    pub(super) fn read_within(&mut self) {
        let start = self.position;
        let after = start + 2 + usize::from(self.word(start + 2) == Some(Word::From));
        match (self.quantity(start + 1), self.field(after)) {
            (Some(quantity), Some(field)) if is_extreme(field) => {
                self.add_distance_from_extreme(field, Word::Within, quantity, (start, after + 1));
            }
            _ => self.mark_not_understood(start, start + 1),
        }
    }

    /// Reads `above the 50 and the 200-day average`.
    pub(super) fn add_averages(&mut self, word: Word) {
        let start = self.position;
        let is_above = match word {
            Word::Above | Word::AtLeast | Word::CrossedAbove => true,
            Word::Below | Word::AtMost | Word::CrossedBelow => false,
            _ => return self.mark_not_understood(start, start + 2),
        };
        let (mut flags, mut any) = (Vec::new(), false);
        self.position += 1;
        while let Some(field) = self.average(self.position).or_else(|| self.counted_average(self.position)) {
            if self.fields.find(&field.name).is_none() {
                self.position += 1;
                return self.note_missing_field(field, start, self.position);
            }
            flags.push((field.name.clone(), is_above));
            self.position += 1;
            let Some(joint) =
                self.word(self.position).filter(|word| matches!(word, Word::And | Word::Or | Word::Comma))
            else {
                break;
            };
            if self.average(self.position + 1).is_none() && self.counted_average(self.position + 1).is_none()
            {
                break;
            }
            any |= joint == Word::Or;
            self.position += 1;
        }
        match self.flag_conditions(Some(word), flags) {
            Some(filters) => self.add_conditions(filters, any),
            None => self.mark_unread(start, self.position),
        }
    }

    /// Turns flags and their values into conditions. After `crossed`, each flag must also have changed at the last bar; `None` if the
    /// screen lacks the flag at the bar before.
    fn flag_conditions(&mut self, word: Option<Word>, flags: Vec<(String, bool)>) -> Option<Vec<Filter>> {
        let flags = flags.into_iter().map(|(field, is)| Filter::Flag { field, is });
        if !matches!(word, Some(Word::CrossedAbove | Word::CrossedBelow)) {
            return Some(flags.collect());
        }
        let filters: Result<Vec<Filter>, String> =
            flags.map(|flag| crossing_condition(flag, self.fields)).collect();
        filters.map_err(|reason| self.add_note(reason)).ok()
    }

    /// Returns the average that a number before another average means, such as the 50-day average in `50 and 200 DMA`.
    pub(super) fn counted_average(&self, at: usize) -> Option<&'a Field> {
        let count = self.quantity(at)?.count()?;
        self.word(at + 1).filter(|word| matches!(word, Word::And | Word::Or | Word::Comma))?;
        let next = self.average(at + 2)?;
        let kind = next.name.trim_end_matches(|c: char| c.is_ascii_digit());
        self.fields.declared_field(&format!("{kind}{count}"))
    }

    /// Returns the field of a distance from the high (after `below` or `from`) or from the low (after `above` or `from`), and the index of
    /// the next piece. Phrases such as `from highs` and `off peak` are one piece.
    pub(super) fn extreme_at(&self, at: usize) -> Option<(&'a Field, usize)> {
        let side = match self.word(at) {
            Some(Word::Below | Word::Down) => Some(FROM_HIGH),
            Some(Word::Above | Word::Up) => Some(FROM_LOW),
            _ => None,
        };
        let is_from = side.is_some() || self.word(at) == Some(Word::From);
        let named = |at: usize| self.field(at).filter(|field| is_extreme(field));
        if let Some(field) = named(at) {
            return Some((field, at + 1));
        }
        let next_extreme = named(at + 1).filter(|field| side.is_none_or(|side| side == field.name));
        let is_high = side != Some(FROM_LOW) && self.word(at + 1) == Some(Word::High);
        let high =
            || self.fields.declared_field(FROM_HIGH).filter(|_| is_high && self.field(at + 2).is_none());
        next_extreme.or_else(high).filter(|_| is_from).map(|field| (field, at + 2))
    }

    /// Adds a distance below the high or above the low: the figure is 0 there, negative below the high and positive above the low.
    pub(super) fn add_distance_from_extreme(
        &mut self,
        field: &'a Field,
        word: Word,
        quantity: Quantity,
        span: (usize, usize),
    ) {
        let (start, end) = span;
        self.position = end;
        if quantity.suffix == NumberSuffix::Times {
            return self.mark_unread(start, end);
        }
        let distance = quantity.number.abs();
        let (word, number) = match (word, field.name == FROM_LOW) {
            (word, true) => (word, distance),
            // At most this far below.
            (Word::Within, false) => (Word::AtLeast, -distance),
            (word, false) => (mirror(word), -distance),
        };
        let bound = Bound::Compared(word, Quantity { number, ..quantity });
        self.bounded_fields(&[field], false, &bound, (start, end));
    }
}

/// Flag that the 50-bar average of the price is above its 200-bar average.
const GOLDEN_CROSS: &str = "sma_50_above_200";
/// Price change of the last session, in percent.
const CHANGE: &str = "change_pct";
/// Distance from the 52-week low: 0 at the low, positive above it.
const FROM_LOW: &str = "pct_from_low";

/// Returns true if a field is the distance from the 52-week high or low.
pub(super) fn is_extreme(field: &Field) -> bool {
    matches!(field.name.as_str(), FROM_HIGH | FROM_LOW)
}

//! Sizes of changes and numbers of days: `FII holding up by more than 1 point`, `debt falling by 20%`, `results due within 12 days`.

use super::conditions::{Bound, mirror};
use super::field::{Field, FieldKind, FieldUnit};
use super::filter::{Filter, Test};
use super::quantities::{NumberSuffix, Quantity};
use super::reader::SentenceReader;
use super::spans::field_over_span;
use super::word::{Word, is_span};
use super::wording;

impl<'a> SentenceReader<'a> {
    /// Returns the field of a rise or a fall, the bound on its size, and the index of the next piece. A fall is a change below zero, so its
    /// bound is mirrored. A size of at most a number is a range from zero, as otherwise a fall would be a small rise. Points always state
    /// the size of a change. Other numbers do so only after `by`, as the number in `rising holding above 20%` may limit the holding itself.
    pub(super) fn size_of_change(&self, filter: &Filter, at: usize) -> Option<(&'a Field, Bound, usize)> {
        let Filter::Number { field, test } = filter else { return None };
        let is_fall = match test {
            Test::Above(from) if *from == 0.0 => false,
            Test::Below(from) if *from == 0.0 => true,
            _ => return None,
        };
        let field = self.fields.declared_field(field)?;
        let is_by = self.word(at) == Some(Word::By);
        let (bound, end) = self.bound(at + usize::from(is_by))?;
        let is_size = match (&field.kind, bound.quantity().suffix) {
            (FieldKind::Number(FieldUnit::Points), NumberSuffix::Points) => true,
            (FieldKind::Number(FieldUnit::Points), NumberSuffix::Absent | NumberSuffix::Percent) => is_by,
            (FieldKind::Number(FieldUnit::Percent), NumberSuffix::Percent) => is_by || is_fall,
            _ => false,
        };
        if !is_size || self.starts_field(end) || self.extreme_at(end).is_some() {
            return None;
        }
        let (word, size) = match bound {
            Bound::Compared(word, size) => (word, size),
            Bound::Alone(size) => (Word::AtLeast, size),
            Bound::Range(..) => return None,
        };
        let change = if is_fall { Quantity { number: 0.0 - size.number, ..size } } else { size };
        let bound = match word {
            Word::Below | Word::AtMost | Word::OrLess => Bound::Range(change, Quantity::ZERO),
            word => Bound::Compared(if is_fall { mirror(word) } else { word }, change),
        };
        Some((field, bound, end + usize::from(self.is_span_of_field(field, end))))
    }

    /// Returns true if a piece is the span over which a field is measured, as `in the last quarter` is for a quarterly change.
    fn is_span_of_field(&self, field: &Field, at: usize) -> bool {
        let span = self.word(at).filter(|word| is_span(*word));
        let over = span.and_then(|span| field_over_span(field, span, self.fields));
        over.is_some_and(|over| over.name == field.name)
    }

    /// Reads the number of days after `results due within`. Without one, the words are not understood.
    pub(super) fn read_days_ahead(&mut self, filter: &Filter) {
        let start = self.position;
        let named = filter.field().zip(self.days(start + 1));
        let Some((field, days)) = named else { return self.mark_not_understood(start, start + 1) };
        let filter = Filter::number(field, Test::Between(0.0, f64::from(days)));
        self.note_meaning(start, start + 2, wording::filter_words(&filter, self.fields));
        self.position = start + 2;
        self.add_condition(filter);
    }
}

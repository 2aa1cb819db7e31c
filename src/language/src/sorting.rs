//! Parses sort orders and row counts: `strongest RS first`, `sort by market cap descending`, `top 10 by ROE`.

use std::sync::Arc;

use super::field::{Field, GoodSide};
use super::lexicon::PhraseMeaning;
use super::reader::SentenceReader;
use super::screen::{Direction, Sort};
use super::spans::field_over_span;
use super::vocabulary::{End, Superlative};
use super::word::{Word, is_comparison};

/// Maximum number of rows that a sentence may request.
pub(super) const MOST_ROWS: u32 = 50;

impl<'a> SentenceReader<'a> {
    /// Reads a superlative with the number of rows and the field that follow it.
    pub(super) fn read_superlative(&mut self, superlative: &'a Superlative) {
        let start = self.position;
        self.position += 1;
        if let Some(count) = self.quantity(self.position).and_then(|quantity| quantity.count()) {
            self.position += 1;
            self.set_row_count(count);
        }
        let superlative = match self.split_superlative(superlative) {
            Some(whole) => {
                self.position += 1;
                whole
            }
            None => superlative,
        };
        if let Some(field) = self.field(self.position).filter(|field| field.is_number()) {
            self.position += 1;
            return self.order_by(field, superlative.end, start);
        }
        self.order.end = Some(superlative.end);
        let default_field = superlative.default_fields.iter().find_map(|name| self.fields.find(name));
        let spanned_field = default_field
            .zip(self.word(self.position))
            .and_then(|(field, span)| self.fields.find(&field_over_span(field, span, self.fields)?.name));
        self.position += usize::from(spanned_field.is_some());
        match spanned_field.or(default_field) {
            Some(field) => {
                let direction = direction(field, superlative.end);
                self.order.fallback = Some(Sort { field: field.name.clone(), direction });
                if self.word(self.position) == Some(Word::First) || self.order.sort.is_none() {
                    self.order.sort.clone_from(&self.order.fallback);
                    self.note_assumed_order(superlative);
                }
            }
            // `highest first` in `ROE, highest first` is the direction of the order before it.
            None if self.word(self.position) == Some(Word::First) && self.set_direction(superlative.end) => {}
            None if self.word(self.position) == Some(Word::By) => {}
            None => self.mark_unread(start, self.position),
        }
    }

    /// Returns the superlative of two words that a number splits, as in `top 10 gainers`; the second word is at the current position.
    fn split_superlative(&self, first: &Superlative) -> Option<&'a Superlative> {
        let Some(PhraseMeaning::Adjective(second)) = self.meaning_at(self.position) else { return None };
        let has = |phrases: &[String], word: &str| phrases.iter().any(|phrase| phrase == word);
        let is_both = |(one, two)| has(&first.phrases, one) && has(&second.phrases, two);
        let superlatives = self.fields.vocabulary().superlatives.iter().map(Arc::as_ref);
        superlatives
            .into_iter()
            .find(|whole| whole.phrases.iter().filter_map(|phrase| phrase.split_once(' ')).any(is_both))
    }

    /// Reads the field of an order after `sort by` or `by`.
    pub(super) fn read_order(&mut self, word: Word) {
        let start = self.position;
        let named_end = self.superlative_at(start + 1).map(|superlative| superlative.end);
        let position = start + 1 + usize::from(named_end.is_some());
        let field = self.field(position).filter(|field| field.is_number());
        let is_condition = word == Word::By && self.bound(position + 1).is_some();
        let Some(field) = field.filter(|_| !is_condition) else {
            self.position += 1;
            return;
        };
        self.position = position + 1;
        self.order_by(field, named_end.or(self.order.end).unwrap_or_else(|| natural_end(field)), position);
    }

    /// Reads a field followed by an order: `RS descending`, `ROE highest first`. Returns false if no order follows.
    pub(super) fn order_after(&mut self, field: &'a Field, position: usize) -> bool {
        let end = match self.word(position + 1) {
            Some(Word::Ascending) => End::Smallest,
            Some(Word::Descending) => End::Largest,
            _ => match self.superlative_at(position + 1) {
                Some(superlative) if self.word(position + 2) == Some(Word::First) => superlative.end,
                _ => return false,
            },
        };
        self.position = position + 2;
        self.order_by(field, end, position);
        true
    }

    /// Reads `ascending` or `descending` without a field.
    pub(super) fn read_direction(&mut self, end: End) {
        if !self.set_direction(end) {
            self.mark_unread(self.position, self.position + 1);
        }
        self.position += 1;
    }

    /// Sets the number of rows.
    pub(super) fn set_row_count(&mut self, count: u32) {
        if count > MOST_ROWS {
            self.add_note(format!("{count} rows were requested; at most {MOST_ROWS} are given"));
        }
        self.limit = Some(count.min(MOST_ROWS));
    }

    fn order_by(&mut self, field: &'a Field, end: End, from: usize) {
        if self.fields.find(&field.name).is_none() {
            return self.note_missing_field(field, from, self.position);
        }
        let mut end = end;
        match self.word(self.position) {
            Some(Word::Ascending) => end = End::Smallest,
            Some(Word::Descending) => end = End::Largest,
            _ => self.position -= 1,
        }
        self.position += 1;
        self.order.sort = Some(Sort { field: field.name.clone(), direction: direction(field, end) });
        self.order.end = None;
    }

    /// Sets the direction of the order that was read before. Returns false if there is no order yet.
    fn set_direction(&mut self, end: End) -> bool {
        let Some(sort) = &mut self.order.sort else { return false };
        if let Some(field) = self.fields.find(&sort.field) {
            sort.direction = direction(field, end);
        }
        true
    }

    fn superlative_at(&self, at: usize) -> Option<&'a Superlative> {
        self.meaning_at(at).and_then(|meaning| match meaning {
            PhraseMeaning::Superlative(superlative) => Some(superlative.as_ref()),
            _ => None,
        })
    }

    /// Notes the field assumed for a vague superlative such as `best`, unless a later word names a field.
    fn note_assumed_order(&mut self, superlative: &'a Superlative) {
        let is_named_later = (self.position..self.pieces.len())
            .any(|at| matches!(self.word(at), Some(Word::By | Word::SortBy)) && self.field(at + 1).is_some());
        if superlative.is_vague
            && !is_named_later
            && let Some(field) = self.order.sort.as_ref().and_then(|sort| self.fields.find(&sort.field))
        {
            let phrase = superlative.phrases.first().map_or("", String::as_str);
            self.add_note(format!("`{phrase}` was taken as an order by {}", field.label));
        }
    }

    /// Returns true if a piece is a comparison.
    pub(super) fn is_comparison_at(&self, at: usize) -> bool {
        self.word(at).is_some_and(is_comparison)
    }
}

/// Returns the end that comes first by default: the good end, or the largest figures if no end is good.
fn natural_end(field: &Field) -> End {
    if field.better == GoodSide::Neither { End::Largest } else { End::Best }
}

fn direction(field: &Field, end: End) -> Direction {
    let best = if field.better == GoodSide::Lower { Direction::Asc } else { Direction::Desc };
    match end {
        End::Largest => Direction::Desc,
        End::Smallest => Direction::Asc,
        End::Best => best,
        End::Worst => best.opposite(),
    }
}

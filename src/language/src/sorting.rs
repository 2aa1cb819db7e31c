//! Parses sort orders and row counts: `strongest RS first`, `sort by market cap descending`, `top 10 by ROE`.

use std::sync::Arc;

use super::field::{Field, GoodSide};
use super::lexicon::PhraseMeaning;
use super::reader::SentenceReader;
use super::screen::{Direction, Sort};
use super::spans::field_over_span;
use super::vocabulary::{End, Superlative};
use super::word::{Word, is_comparison};

/// Maximum number of rows returned.
pub(super) const MOST_ROWS: u32 = 50;

impl<'a> SentenceReader<'a> {
    /// Reads a superlative with the number of rows and the field that follow it.
    pub(super) fn superlative(&mut self, superlative: &'a Superlative) {
        let start = self.at;
        self.at += 1;
        if let Some(count) = self.quantity(self.at).and_then(|quantity| quantity.count()) {
            self.at += 1;
            self.set_row_count(count);
        }
        let superlative = match self.split_superlative(superlative) {
            Some(whole) => {
                self.at += 1;
                whole
            }
            None => superlative,
        };
        if let Some(field) = self.field(self.at).filter(|field| field.is_number()) {
            self.at += 1;
            return self.order_by(field, superlative.end, start);
        }
        self.order.end = Some(superlative.end);
        let meant = superlative.by.iter().find_map(|name| self.fields.find(name));
        let of_span = meant
            .zip(self.word(self.at))
            .and_then(|(field, span)| self.fields.find(&field_over_span(field, span, self.fields)?.name));
        self.at += usize::from(of_span.is_some());
        match of_span.or(meant) {
            Some(field) => {
                let direction = direction(field, superlative.end);
                self.order.fallback = Some(Sort { field: field.name.clone(), direction });
                if self.word(self.at) == Some(Word::First) || self.order.sort.is_none() {
                    self.order.sort.clone_from(&self.order.fallback);
                    self.order_is_guess(superlative);
                }
            }
            // The phrase `ROE, highest first` reverses the order named before.
            None if self.word(self.at) == Some(Word::First) && self.reverse_order(superlative.end) => {}
            None if self.word(self.at) == Some(Word::By) => {}
            None => self.mark_unread(start, self.at),
        }
    }

    /// Returns the superlative of two words split by a number, with the second word here: `top 10 gainers`.
    fn split_superlative(&self, first: &Superlative) -> Option<&'a Superlative> {
        let Some(PhraseMeaning::Adjective(second)) = self.meaning_at(self.at) else { return None };
        let has = |phrases: &[String], word: &str| phrases.iter().any(|phrase| phrase == word);
        let is_both = |(one, two)| has(&first.phrases, one) && has(&second.phrases, two);
        let superlatives = self.fields.vocabulary().superlatives.iter().map(Arc::as_ref);
        superlatives
            .into_iter()
            .find(|whole| whole.phrases.iter().filter_map(|phrase| phrase.split_once(' ')).any(is_both))
    }

    /// Reads an order after `sort by` or `by`.
    pub(super) fn order(&mut self, word: Word) {
        let start = self.at;
        let named = self.superlative_at(start + 1).map(|superlative| superlative.end);
        let position = start + 1 + usize::from(named.is_some());
        let field = self.field(position).filter(|field| field.is_number());
        let is_condition = word == Word::By && self.bound(position + 1).is_some();
        let Some(field) = field.filter(|_| !is_condition) else {
            self.at += 1;
            return;
        };
        self.at = position + 1;
        self.order_by(field, named.or(self.order.end).unwrap_or_else(|| natural_end(field)), position);
    }

    /// Reads a field followed by an order: `RS descending`, `ROE highest first`. Returns true if there was one.
    pub(super) fn order_after(&mut self, field: &'a Field, position: usize) -> bool {
        let end = match self.word(position + 1) {
            Some(Word::Ascending) => End::Smallest,
            Some(Word::Descending) => End::Largest,
            _ => match self.superlative_at(position + 1) {
                Some(superlative) if self.word(position + 2) == Some(Word::First) => superlative.end,
                _ => return false,
            },
        };
        self.at = position + 2;
        self.order_by(field, end, position);
        true
    }

    /// Reads `ascending` or `descending` without a field.
    pub(super) fn direction(&mut self, end: End) {
        if !self.reverse_order(end) {
            self.mark_unread(self.at, self.at + 1);
        }
        self.at += 1;
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
            return self.note_missing_field(field, from, self.at);
        }
        let mut end = end;
        match self.word(self.at) {
            Some(Word::Ascending) => end = End::Smallest,
            Some(Word::Descending) => end = End::Largest,
            _ => self.at -= 1,
        }
        self.at += 1;
        self.order.sort = Some(Sort { field: field.name.clone(), direction: direction(field, end) });
        self.order.end = None;
    }

    /// Reverses the order that is known so far; returns true if there was one.
    fn reverse_order(&mut self, end: End) -> bool {
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

    /// Notes the field assumed for `best` and `top`, unless the sentence names one.
    fn order_is_guess(&mut self, superlative: &'a Superlative) {
        let says_later = (self.at..self.pieces.len())
            .any(|at| matches!(self.word(at), Some(Word::By | Word::SortBy)) && self.field(at + 1).is_some());
        if superlative.is_vague
            && !says_later
            && let Some(field) = self.order.sort.as_ref().and_then(|sort| self.fields.find(&sort.field))
        {
            let phrase = superlative.phrases.first().map_or("", String::as_str);
            self.add_note(format!("`{phrase}` was taken as an order by {}", field.label));
        }
    }

    /// Returns true if this piece is a comparison: after `by` it makes a condition of an apparent order.
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

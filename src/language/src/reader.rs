//! Reads pieces from left to right into conditions. Every piece ends up in the filter, in the sort order, or in the list of words that were
//! not understood.

use super::assembly::{Assembly, choice};
use super::conditions::{BoundConditionResult, BoundMismatch};
use super::field::Field;
use super::fields::Fields;
use super::filter::Filter;
use super::lexicon::PhraseMeaning;
use super::pieces::{PieceKind, SentencePiece};
use super::quantities::Quantity;
use super::requested_order::RequestedOrder;
use super::screen::Sort;
use super::vocabulary::End;
use super::word::{Word, is_comparison, is_level, is_span};

/// State of reading one sentence.
pub(super) struct SentenceReader<'a> {
    /// Fields of the snapshot.
    pub(super) fields: &'a Fields,
    pub(super) pieces: &'a [SentencePiece],
    /// Index of the next piece.
    pub(super) position: usize,
    pub(super) order: RequestedOrder,
    /// Number of requested rows.
    pub(super) limit: Option<u32>,
    /// The field of the groups that each get rows, `sector` or `industry`, and the index of its piece.
    per: Option<(&'static str, usize)>,
    /// Ranges of tokens that were not understood, each as (first, after the last).
    pub(super) not_understood: Vec<(usize, usize)>,
    /// Names of fields without a condition, with their ranges of tokens.
    lone_fields: Vec<(&'a str, (usize, usize))>,
    pub(super) notes: Vec<ReadingNote>,
    assembly: Assembly,
    /// True if the next condition follows `or`.
    is_after_or: bool,
    /// True if the next condition is negated.
    is_negated: bool,
}

/// A note for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadingNote {
    /// A complete sentence.
    Text(String),
    /// The first token, the token after the last, and the meaning that was assumed for these tokens.
    AssumedMeaning(usize, usize, String),
}

impl<'a> SentenceReader<'a> {
    /// Begins before the first piece.
    pub(super) fn new(pieces: &'a [SentencePiece], fields: &'a Fields) -> Self {
        Self {
            fields,
            pieces,
            position: 0,
            order: RequestedOrder::default(),
            limit: None,
            per: None,
            not_understood: Vec::new(),
            lone_fields: Vec::new(),
            notes: Vec::new(),
            assembly: Assembly::default(),
            is_after_or: false,
            is_negated: false,
        }
    }

    /// Reads all pieces. Each iteration consumes at least one.
    pub(super) fn read(&mut self) {
        while let Some(piece) = self.pieces.get(self.position) {
            let before = self.position;
            match &piece.part {
                PieceKind::Phrase(PhraseMeaning::Word(word)) => self.read_grammar_word(*word),
                PieceKind::Phrase(PhraseMeaning::Field(field)) => self.field_first(field),
                PieceKind::Phrase(PhraseMeaning::Adjective(_)) => self.adjective_first(),
                PieceKind::Phrase(PhraseMeaning::Superlative(superlative)) => {
                    self.read_superlative(superlative);
                }
                PieceKind::Phrase(PhraseMeaning::Categories(_)) => self.read_categories(),
                PieceKind::Quantity(quantity) => self.quantity_first(*quantity),
                PieceKind::Days(_) | PieceKind::Unknown => self.read_unknown_words(),
            }
            if self.position <= before {
                self.mark_not_understood(before, before + 1);
            }
        }
    }

    /// Returns the field of the groups that each get rows, `sector` or `industry`. `None` if the sentence requests no groups; also without
    /// an order, as a group then has no first stock.
    pub(super) fn row_group(&mut self) -> Option<&'static str> {
        let (group, at) = self.per?;
        if self.order.sort.is_none() && self.order.fallback.is_none() || self.fields.find(group).is_none() {
            self.mark_unread(at, at + 1);
            return None;
        }
        let most = *self.limit.get_or_insert(1);
        self.add_note(format!("of each {group} the first {most} of those that meet the conditions"));
        Some(group)
    }

    /// Returns the filter, the order, and the tokens that were not understood.
    pub(super) fn finish(self) -> (Filter, Option<Sort>, Vec<(usize, usize)>) {
        let filter = self.assembly.filter();
        let sort = self.order.sort();
        let is_read = |field: &str| {
            filter.leaves().iter().any(|leaf| leaf.field() == Some(field))
                || sort.as_ref().is_some_and(|sort| sort.field == field)
        };
        let lone = self.lone_fields.iter().filter(|(field, _)| !is_read(field)).map(|(_, tokens)| *tokens);
        let unread = self.not_understood.iter().copied().chain(lone).collect();
        (filter, sort, unread)
    }

    fn read_grammar_word(&mut self, word: Word) {
        match word {
            Word::Not => self.negate_next(),
            Word::Or => {
                self.is_after_or = true;
                if self.is_described_category(self.position + 1) {
                    self.assembly.begin_alternative();
                    self.is_after_or = false;
                }
            }
            Word::And | Word::Comma => self.is_after_or = false,
            Word::SortBy | Word::By => return self.read_order(word),
            Word::Ascending => return self.read_direction(End::Smallest),
            Word::Descending => return self.read_direction(End::Largest),
            Word::Request => return self.read_row_request(),
            Word::Up | Word::Down => return self.read_move(word),
            Word::Within => return self.read_within(),
            Word::EachSector => self.per = Some(("sector", self.position)),
            Word::EachIndustry => self.per = Some(("industry", self.position)),
            Word::Between | Word::From => return self.bound_first(),
            _ if is_level(word) => return self.level_first(word),
            // These words and spans mean nothing without their figure.
            Word::SectorMedian | Word::IndustryMedian | Word::AboveIt | Word::BelowIt => {
                return self.mark_not_understood(self.position, self.position + 1);
            }
            _ if is_span(word) => return self.mark_not_understood(self.position, self.position + 1),
            _ if is_comparison(word) => return self.comparison_first(word),
            _ => {}
        }
        self.position += 1;
    }

    /// Adds a complete condition: negates it after `not`, and joins it to the conditions before it.
    pub(super) fn add_condition(&mut self, filter: Filter) {
        let filter = if std::mem::take(&mut self.is_negated) { filter.negate() } else { filter };
        self.assembly.add(filter, std::mem::take(&mut self.is_after_or));
    }

    /// Negates the next condition; twice cancels out.
    pub(super) const fn negate_next(&mut self) {
        self.is_negated = !self.is_negated;
    }

    /// Returns true if the next condition is to be negated.
    pub(super) const fn is_negation_pending(&self) -> bool {
        self.is_negated
    }

    /// Adds a condition as if `or` were before it.
    pub(super) fn add_alternative(&mut self, filter: Filter) {
        self.is_after_or = true;
        self.add_condition(filter);
    }

    /// Returns the condition, or `None` after noting why there is none.
    pub(super) fn condition_or_note(
        &mut self,
        result: BoundConditionResult<'a>,
        from: usize,
        to: usize,
    ) -> Option<Filter> {
        match result {
            Ok((filter, note)) => {
                if let Some(note) = note {
                    self.note_meaning(from, to, note);
                }
                Some(filter)
            }
            Err(BoundMismatch::Missing(field)) => {
                self.note_missing_field(field, from, to);
                None
            }
            Err(BoundMismatch::Units(reason)) => {
                self.add_note(reason);
                self.mark_unread(from, to);
                None
            }
        }
    }

    /// Reads sectors and industries in a row, or exchanges, or indices, with their joints. Two of different kinds are alternatives only
    /// after `or`: a stock must meet both parts of `Nifty 50 banks`.
    fn read_categories(&mut self) {
        let mut categories = Vec::new();
        while let Some(PhraseMeaning::Categories(more)) = self.meaning_at(self.position) {
            categories.extend(more.iter().cloned());
            let joint = matches!(self.word(self.position + 1), Some(Word::And | Word::Or | Word::Comma));
            let after = self.position + 1 + usize::from(joint);
            // Matches `a, or b`.
            let after = after + usize::from(joint && matches!(self.word(after), Some(Word::And | Word::Or)));
            let is_or = after > 0 && self.word(after - 1) == Some(Word::Or);
            let goes_on = matches!(self.meaning_at(after), Some(PhraseMeaning::Categories(next)) if is_or || category_kind(next) == category_kind(more));
            if !goes_on {
                self.position += 1;
                break;
            }
            self.position = after;
        }
        let filters = choice(categories);
        if std::mem::take(&mut self.is_negated) {
            for filter in filters {
                self.assembly.add(filter.negate(), std::mem::take(&mut self.is_after_or));
            }
        } else {
            self.assembly.add_category(Filter::any(filters), std::mem::take(&mut self.is_after_or));
        }
    }

    /// Returns true if a sector, industry, exchange or index with adjectives before it begins at this piece: `midcap chemicals`.
    fn is_described_category(&self, at: usize) -> bool {
        let mut position = at;
        loop {
            match self.meaning_at(position) {
                Some(PhraseMeaning::Adjective(_)) => position += 1,
                Some(PhraseMeaning::Word(Word::High | Word::Low | Word::Good | Word::Poor))
                    if self.field(position + 1).is_some() =>
                {
                    position += 2;
                }
                Some(PhraseMeaning::Categories(_)) => return position > at,
                _ => return false,
            }
        }
    }

    /// Reads `show me 10`.
    fn read_row_request(&mut self) {
        self.position += 1;
        let count = self.quantity(self.position).and_then(|quantity| quantity.count());
        let is_bound = self.field(self.position + 1).is_some()
            || matches!(self.word(self.position + 1), Some(Word::OrMore | Word::OrLess | Word::Dash));
        if let Some(count) = count.filter(|_| !is_bound) {
            self.set_row_count(count);
            self.position += 1;
        }
    }

    /// Marks an unknown word as not understood, with its unknown neighbours and the bound that follows, unless a field follows the bound.
    fn read_unknown_words(&mut self) {
        let start = self.position;
        let mut end = start + 1;
        while self.is_unknown(end) && self.is_adjacent(end) {
            end += 1;
        }
        if let Some((_, after)) = self.bound(end).filter(|_| self.is_adjacent(end))
            && !self.starts_field(after)
        {
            end = after;
        }
        self.mark_not_understood(start, end);
    }

    /// Marks pieces as not understood and skips them.
    pub(super) fn mark_not_understood(&mut self, from: usize, to: usize) {
        self.mark_unread(from, to);
        self.position = to;
    }

    /// Marks pieces as not understood.
    pub(super) fn mark_unread(&mut self, from: usize, to: usize) {
        if let (Some(first), Some(last)) =
            (self.pieces.get(from), to.checked_sub(1).and_then(|at| self.pieces.get(at)))
        {
            self.not_understood.push((first.start, last.end));
        }
        self.assembly.interrupt();
        (self.is_after_or, self.is_negated) = (false, false);
    }

    /// Records a field without a condition. It counts as not understood unless a condition or the order uses it elsewhere.
    pub(super) fn record_lone_field(&mut self, field: &'a Field, at: usize) {
        if let Some(piece) = self.pieces.get(at) {
            self.lone_fields.push((&field.name, (piece.start, piece.end)));
        }
        self.assembly.interrupt();
        (self.is_after_or, self.is_negated) = (false, false);
    }

    /// Notes that the snapshot lacks a figure.
    pub(super) fn note_missing_field(&mut self, field: &'a Field, from: usize, to: usize) {
        self.add_note(format!("{} is known of no stock in this data", field.label));
        self.mark_unread(from, to);
    }

    /// Adds a note, unless there is an equal one.
    pub(super) fn add_note(&mut self, note: String) {
        let note = ReadingNote::Text(note);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes the meaning assumed for pieces.
    pub(super) fn note_meaning(&mut self, from: usize, to: usize, meaning: String) {
        if let (Some(first), Some(last)) =
            (self.pieces.get(from), to.checked_sub(1).and_then(|at| self.pieces.get(at)))
        {
            self.notes.push(ReadingNote::AssumedMeaning(first.start, last.end, meaning));
        }
    }

    /// Returns the meaning of a piece; `None` for a quantity or an unknown word.
    pub(super) fn meaning_at(&self, at: usize) -> Option<&'a PhraseMeaning> {
        match &self.pieces.get(at)?.part {
            PieceKind::Phrase(meaning) => Some(meaning),
            PieceKind::Quantity(_) | PieceKind::Days(_) | PieceKind::Unknown => None,
        }
    }

    /// Returns the grammar word of a piece.
    pub(super) fn word(&self, at: usize) -> Option<Word> {
        match self.meaning_at(at)? {
            PhraseMeaning::Word(word) => Some(*word),
            _ => None,
        }
    }

    /// Returns the field of a piece.
    pub(super) fn field(&self, at: usize) -> Option<&'a Field> {
        match self.meaning_at(at)? {
            PhraseMeaning::Field(field) => Some(field),
            _ => None,
        }
    }

    /// Returns the field of a piece if it compares the price with an average.
    pub(super) fn average(&self, at: usize) -> Option<&'a Field> {
        self.field(at).filter(|field| field.is_average())
    }

    /// Returns the quantity of a piece.
    pub(super) fn quantity(&self, at: usize) -> Option<Quantity> {
        match self.pieces.get(at)?.part {
            PieceKind::Quantity(quantity) => Some(quantity),
            _ => None,
        }
    }

    /// Returns the number of calendar days of a piece.
    pub(super) fn days(&self, at: usize) -> Option<u32> {
        match self.pieces.get(at)?.part {
            PieceKind::Days(days) => Some(days),
            _ => None,
        }
    }

    /// Returns true if a number before this piece belongs to it: the piece is a number field without a bound after it.
    pub(super) fn starts_field(&self, at: usize) -> bool {
        self.field(at).is_some_and(Field::is_number) && self.bound(at + 1).is_none()
    }

    /// Returns true if a piece is an unknown word or a number of days.
    pub(super) fn is_unknown(&self, at: usize) -> bool {
        self.pieces.get(at).is_some_and(|piece| matches!(piece.part, PieceKind::Days(_) | PieceKind::Unknown))
    }

    /// Returns true if a piece directly follows the one before it, without filler words between them.
    pub(super) fn is_adjacent(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.pieces.get(before));
        before.zip(self.pieces.get(at)).is_some_and(|(before, piece)| before.end == piece.start)
    }
}

/// Returns the kind of categories: their field, or `sector` for sectors and industries, which combine as one kind.
fn category_kind(categories: &[(String, String)]) -> &str {
    match categories.first() {
        Some((field, _)) if ["exchange", "indices"].contains(&field.as_str()) => field,
        _ => "sector",
    }
}

//! Figures that exist over several spans of time, and the words for these spans: `sales growth over 5 years`, `3 year profit growth`,
//! `sales growth above 15% for 5 years`.
//!
//! Words such as `last year` that are not the span of a figure are reported as not understood.

use std::sync::Arc;

use super::field::Field;
use super::fields::Fields;
use super::lexicon::PhraseMeaning;
use super::pieces::{PieceKind, SentencePiece};
use super::word::{Word, is_comparison, is_level, is_span};

/// Returns the same figure over another span, if there is one.
pub(super) fn field_over_span<'a>(field: &Field, span: Word, fields: &'a Fields) -> Option<&'a Arc<Field>> {
    let families = &fields.vocabulary().families;
    let family = families.iter().find(|family| family.over.values().any(|name| *name == field.name))?;
    family.over.get(&span).and_then(|name| fields.vocabulary().field(name))
}

/// Applies each span to the figures directly after it, else to the figures before it, possibly with a bound between them, and removes the
/// span. A span after `up 10%` stays, as it belongs to that move.
pub(super) fn apply_spans(pieces: &mut Vec<SentencePiece>, fields: &Fields) {
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let is_applied = match (span_word(piece), index_before_bound(pieces, at)) {
            (None, _) => false,
            (_, Some(before)) if matches!(word_at(pieces, before), Some(Word::Up | Word::Down)) => false,
            (Some(span), before) => {
                let is_adjacent = pieces.get(at + 1).is_some_and(|next_piece| next_piece.start == piece.end);
                is_adjacent && set_span(pieces, at + 1, 1, span, fields)
                    || before.is_some_and(|before| set_span(pieces, before, -1, span, fields))
            }
        };
        if is_applied { remove_span(pieces, at) } else { at += 1 }
    }
}

/// Replaces the figure at `from`, and the figures joined to it in the direction of `step`, by the same figures over a span. Returns false
/// if the piece at `from` is not a figure that exists over the span.
fn set_span(pieces: &mut [SentencePiece], from: usize, step: isize, span: Word, fields: &Fields) -> bool {
    let mut at = from;
    loop {
        let is_first = at == from;
        let spanned = field(pieces, at).and_then(|field| {
            field_over_span(field, span, fields).filter(|_| is_first || has_default_span(field, fields))
        });
        let (Some(spanned), Some(piece)) = (spanned, pieces.get_mut(at)) else { return !is_first };
        piece.part = PieceKind::Phrase(PhraseMeaning::Field(Arc::clone(spanned)));
        let joint = at.checked_add_signed(step).and_then(|joint| word_at(pieces, joint));
        let next = at.checked_add_signed(2 * step);
        match next.filter(|_| matches!(joint, Some(Word::And | Word::Or | Word::Comma))) {
            Some(next) => at = next,
            None => return true,
        }
    }
}

/// Returns true if a figure is the one of its family that applies when a sentence names no span.
fn has_default_span(field: &Field, fields: &Fields) -> bool {
    let families = &fields.vocabulary().families;
    families.iter().any(|family| family.over.get(&family.usual).is_some_and(|name| *name == field.name))
}

/// Returns the index of the last piece before `at` that is not part of a bound.
fn index_before_bound(pieces: &[SentencePiece], at: usize) -> Option<usize> {
    let is_amount =
        |at: usize| pieces.get(at).is_some_and(|piece| matches!(piece.part, PieceKind::Quantity(_)));
    let is_of_bound = |at: usize| match word_at(pieces, at) {
        Some(Word::And) => is_amount(at + 1),
        Some(Word::Between | Word::From | Word::To | Word::Dash | Word::OrMore | Word::OrLess) => true,
        Some(word) => is_comparison(word) || is_level(word),
        None => is_amount(at),
    };
    (0..at).rev().find(|at| !is_of_bound(*at))
}

/// Removes a span. Its tokens go to the piece directly before it, else to the piece directly after it.
fn remove_span(pieces: &mut Vec<SentencePiece>, at: usize) {
    let span = pieces.remove(at);
    match at.checked_sub(1).and_then(|before| pieces.get_mut(before)) {
        Some(before) if before.end == span.start => before.end = span.end,
        _ => {
            if let Some(next_piece) = pieces.get_mut(at).filter(|next_piece| next_piece.start == span.end) {
                next_piece.start = span.start;
            }
        }
    }
}

fn span_word(piece: &SentencePiece) -> Option<Word> {
    match piece.part {
        PieceKind::Phrase(PhraseMeaning::Word(word)) if is_span(word) => Some(word),
        _ => None,
    }
}

fn field(pieces: &[SentencePiece], at: usize) -> Option<&Field> {
    match &pieces.get(at)?.part {
        PieceKind::Phrase(PhraseMeaning::Field(field)) => Some(field),
        _ => None,
    }
}

fn word_at(pieces: &[SentencePiece], at: usize) -> Option<Word> {
    match pieces.get(at)?.part {
        PieceKind::Phrase(PhraseMeaning::Word(word)) => Some(word),
        _ => None,
    }
}

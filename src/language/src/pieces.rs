//! Groups tokens into pieces: known phrases, quantities, and unknown words.

use super::fields::Fields;
use super::lexer::Token;
use super::lexicon::{Lexicon, PhraseMeaning};
use super::quantities::{NumberSuffix, Quantity, days, is_time, quantity};
use super::word::{Word, is_comparison};

/// A part of the sentence with its range of tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SentencePiece {
    pub(super) part: PieceKind,
    /// Index of its first token.
    pub(super) start: usize,
    /// Index after its last token.
    pub(super) end: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PieceKind {
    Phrase(PhraseMeaning),
    /// A number with its units.
    Quantity(Quantity),
    /// A number of calendar days.
    Days(u32),
    /// An unknown word.
    Unknown,
}

/// Groups tokens into pieces, without filler words.
pub(super) fn pieces(tokens: &[Token], lexicon: &Lexicon, fields: &Fields) -> Vec<SentencePiece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (part, length) = piece(tokens, at, lexicon, fields);
        if !is_ignored(&part, length, pieces.last()) {
            pieces.push(SentencePiece { part, start: at, end: at + length });
        }
        at += length;
    }
    pieces
}

/// Returns true if a piece has no meaning at its position. The word `sector` alone has one only after a comparison or `1.5 times`.
fn is_ignored(part: &PieceKind, length: usize, before: Option<&SentencePiece>) -> bool {
    let is_compared = before.is_some_and(|before| match before.part {
        PieceKind::Phrase(PhraseMeaning::Word(word)) => is_comparison(word),
        PieceKind::Quantity(quantity) => quantity.suffix == NumberSuffix::Times,
        _ => false,
    });
    match part {
        PieceKind::Phrase(PhraseMeaning::Word(Word::Filler)) => true,
        PieceKind::Phrase(PhraseMeaning::Word(Word::SectorMedian | Word::IndustryMedian)) => {
            length == 1 && !is_compared
        }
        _ => false,
    }
}

fn piece(tokens: &[Token], at: usize, lexicon: &Lexicon, fields: &Fields) -> (PieceKind, usize) {
    let phrase = lexicon.phrase(tokens, at);
    let amount = quantity(tokens, at, fields);
    match (phrase, amount) {
        // `or above 40`, `and more than 40` and `and above the 200 day average` begin a comparison, `40 or above` ends one.
        (Some((PhraseMeaning::Word(Word::OrMore | Word::OrLess), length)), _)
            if length > 1 && is_compared_with(tokens, at + length, lexicon, fields) =>
        {
            let is_or = tokens.get(at).is_some_and(|token| token.text == "or");
            (PieceKind::Phrase(PhraseMeaning::Word(if is_or { Word::Or } else { Word::And })), 1)
        }
        (Some((meaning, length)), Some((_, amount))) if length > amount => {
            (PieceKind::Phrase(meaning), length)
        }
        // `5 days` within a phrase of two words is a span of time, not a count of days.
        (Some((meaning, length)), Some(_)) if length > 1 => (PieceKind::Phrase(meaning), length),
        (_, Some((quantity, length)))
            if tokens.get(at + length).is_some_and(|token| is_time(&token.text, fields)) =>
        {
            let unit = tokens.get(at + length).map_or("", |token| token.text.as_str());
            (days(&quantity, unit).map_or(PieceKind::Unknown, PieceKind::Days), length + 1)
        }
        (_, Some((quantity, length))) => (PieceKind::Quantity(quantity), length),
        (Some((PhraseMeaning::Word(Word::Unread), length)), None) => (PieceKind::Unknown, length),
        (Some((meaning, length)), None) => (PieceKind::Phrase(meaning), length),
        (None, None) => (PieceKind::Unknown, 1),
    }
}

/// Returns true if a number, an average or `than` follows, so that the words before `at` are a comparison.
fn is_compared_with(tokens: &[Token], at: usize, lexicon: &Lexicon, fields: &Fields) -> bool {
    let is_passed_over = |token: &&Token| fields.vocabulary().passed_over.contains(&token.text);
    let position = at + tokens.iter().skip(at).take_while(is_passed_over).count();
    let is_average = || matches!(lexicon.phrase(tokens, position), Some((PhraseMeaning::Field(field), _)) if field.is_average());
    quantity(tokens, at, fields).is_some()
        || tokens.get(at).is_some_and(|token| token.text == "than")
        || is_average()
}

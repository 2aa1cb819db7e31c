//! Tokens to pieces: phrases, quantities, and words that nothing is known of.

use super::lexer::Token;
use super::lexicon::{Lexicon, Meaning};
use super::quantities::{Quantity, is_time, quantity};
use super::word_list::Word;
use crate::operation::Market;

/// A phrase, a quantity or an unknown word, with the tokens that it is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// What it is.
    pub(super) part: Part,
    /// Its first token.
    pub(super) start: usize,
    /// The token after its last.
    pub(super) end: usize,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// A phrase with a meaning.
    Known(Meaning),
    /// A number with its units.
    Quantity(Quantity),
    /// A word that nothing is known of.
    Unknown,
}

/// The pieces of a sentence, without the words that say nothing by themselves.
pub(super) fn pieces(tokens: &[Token], lexicon: &Lexicon, market: Market) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (part, length) = piece(tokens, at, lexicon, market);
        if part != Part::Known(Meaning::Word(Word::Filler)) {
            pieces.push(Piece { part, start: at, end: at + length });
        }
        at += length;
    }
    pieces
}

fn piece(tokens: &[Token], at: usize, lexicon: &Lexicon, market: Market) -> (Part, usize) {
    let phrase = lexicon.phrase(tokens, at);
    let amount = quantity(tokens, at, market);
    match (phrase, amount) {
        // `or above 40` and `and more than 40` begin a comparison, `40 or above` ends one.
        (Some((Meaning::Word(Word::OrMore | Word::OrLess), length)), _)
            if length > 1
                && (quantity(tokens, at + length, market).is_some()
                    || tokens.get(at + length).is_some_and(|token| token.text == "than")) =>
        {
            let is_or = tokens.get(at).is_some_and(|token| token.text == "or");
            (Part::Known(Meaning::Word(if is_or { Word::Or } else { Word::And })), 1)
        }
        (Some((meaning, length)), Some((_, amount))) if length > amount => (Part::Known(meaning), length),
        // `5 days` within a phrase of two words is a span of time, not a count of days.
        (Some((meaning, length)), Some(_)) if length > 1 => (Part::Known(meaning), length),
        (_, Some((_, length))) if tokens.get(at + length).is_some_and(|token| is_time(&token.text)) => {
            (Part::Unknown, length + 1)
        }
        (_, Some((quantity, length))) => (Part::Quantity(quantity), length),
        (Some((meaning, length)), None) => (Part::Known(meaning), length),
        (None, None) => (Part::Unknown, 1),
    }
}

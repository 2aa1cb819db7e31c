//! The parts of a purpose: words by their roles, figures, and the signs between them.

use super::words::{PurposeWords, WordRole};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PurposePiece {
    Role(WordRole),
    Number(Number),
    Colon,
    /// Separator between two actions.
    Break,
    /// A word that is in no file.
    Unknown(String),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub value: f64,
    /// True for an amount of money: after `RS`, or before `/-`.
    pub is_money: bool,
    pub is_percent: bool,
}

enum PurposeToken {
    Word(String),
    /// The text of a figure; true if a point separates it from a word before it, as in `RS.10`.
    Number(String, bool),
    Money,
    Sign(char),
}

pub(super) fn pieces(purpose: &str, words: &PurposeWords) -> Vec<PurposePiece> {
    let tokens = tokens(&purpose.to_uppercase());
    let last = tokens.iter().rposition(|token| matches!(token, PurposeToken::Word(_)));
    let (mut pieces, mut run) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        if let PurposeToken::Word(word) = token {
            let parts = words.parts(word, Some(at) == last && at + 1 == tokens.len());
            run.extend(parts.unwrap_or_else(|| vec![word.clone()]));
            continue;
        }
        append_roles(&mut run, words, &mut pieces);
        match token {
            PurposeToken::Number(text, is_pointed) => {
                pieces.push(PurposePiece::Number(number(text, *is_pointed, pieces.last())));
            }
            PurposeToken::Money => edit_last(&mut pieces, |number| number.is_money = true),
            PurposeToken::Sign('%') => edit_last(&mut pieces, |number| number.is_percent = true),
            PurposeToken::Sign(':') => pieces.push(PurposePiece::Colon),
            PurposeToken::Sign(_) => pieces.push(PurposePiece::Break),
            PurposeToken::Word(_) => {}
        }
    }
    append_roles(&mut run, words, &mut pieces);
    pieces
}

/// Moves neighbouring words to the pieces as their roles.
fn append_roles(run: &mut Vec<String>, words: &PurposeWords, pieces: &mut Vec<PurposePiece>) {
    let run = std::mem::take(run);
    let mut rest: Vec<&str> = run.iter().map(String::as_str).collect();
    while let Some(first) = rest.first() {
        let length = match words.role(&rest) {
            Some((WordRole::Percent, length)) => {
                edit_last(pieces, |number| number.is_percent = true);
                length
            }
            Some((WordRole::Paise, length)) => {
                edit_last(pieces, |number| (number.value, number.is_money) = (number.value / 100.0, true));
                length
            }
            Some((role, length)) => {
                pieces.push(PurposePiece::Role(role));
                length
            }
            None => {
                pieces.push(PurposePiece::Unknown((*first).to_owned()));
                1
            }
        };
        rest.drain(..length);
    }
}

fn edit_last(pieces: &mut [PurposePiece], change: impl FnOnce(&mut Number)) {
    if let Some(PurposePiece::Number(number)) = pieces.last_mut() {
        change(number);
    }
}

/// Parses a figure after a piece. `RE.75` is 75 hundredths of a rupee, `RE.1` is one rupee, and `RS.75` are 75.
fn number(text: &str, is_pointed: bool, before: Option<&PurposePiece>) -> Number {
    let is_part = is_pointed
        && before == Some(&PurposePiece::Role(WordRole::Rupee))
        && !text.contains('.')
        && text != "1";
    let value = if is_part { format!("0.{text}").parse() } else { text.parse() };
    let is_money = matches!(before, Some(PurposePiece::Role(WordRole::Money | WordRole::Rupee)));
    Number { value: value.unwrap_or(f64::NAN), is_money, is_percent: false }
}

fn tokens(text: &str) -> Vec<PurposeToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() || (first == '.' && starts_with_digit(rest.get(1..))) {
            let (text, length) = figure(rest);
            let rest_after = rest.get(length..).unwrap_or_default();
            // Ordinals such as `1ST` are no figures.
            let is_ordinal = ["ST", "ND", "RD", "TH"].iter().any(|end| word(rest_after) == *end);
            if !is_ordinal {
                tokens.push(PurposeToken::Number(text, false));
            }
            length + if is_ordinal { 2 } else { 0 }
        } else if first.is_alphabetic() {
            let word = word(rest);
            tokens.push(PurposeToken::Word(word.to_owned()));
            let length = word.len();
            // A point that abbreviates the word, directly followed by a figure.
            match rest.get(length..).and_then(|rest_after| rest_after.strip_prefix('.')) {
                Some(rest_after) if starts_with_digit(Some(rest_after)) => {
                    let (text, digits) = figure(rest_after);
                    tokens.push(PurposeToken::Number(text, true));
                    length + 1 + digits
                }
                Some(_) => length + 1,
                None => length,
            }
        } else if "$€£".contains(first) {
            tokens.push(PurposeToken::Word(first.to_string()));
            first.len_utf8()
        } else if rest.starts_with("/-") {
            tokens.push(PurposeToken::Money);
            2
        } else {
            // A dash counts as a space, and so do quotes.
            if "/+&;,()@|".contains(first) {
                tokens.push(PurposeToken::Sign('/'));
            } else if ":%".contains(first) {
                tokens.push(PurposeToken::Sign(first));
            }
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

fn starts_with_digit(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the letters at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Returns the figure at the start of a text without its group commas, and its length in the text. A comma separates groups if two or three
/// digits follow before the next comma, and three in the last group.
fn figure(text: &str) -> (String, usize) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(text);
    let mut value = text.get(..end).unwrap_or_default().to_owned();
    let (mut grouped, mut at) = (value.clone(), end);
    while let Some(rest_after) =
        text.get(at..).and_then(|rest| rest.strip_prefix(',')).filter(|_| !value.is_empty())
    {
        let length = digits(rest_after);
        grouped.push_str(rest_after.get(..length).unwrap_or_default());
        at += 1 + length;
        let goes_on = rest_after
            .get(length..)
            .is_some_and(|rest| rest.starts_with(',') && starts_with_digit(rest.get(1..)));
        match length {
            3 if !goes_on => {
                (value, end) = (grouped, at);
                break;
            }
            2 | 3 if goes_on => {}
            _ => break,
        }
    }
    if let Some(rest_after) = text.get(end..).and_then(|rest| rest.strip_prefix('.'))
        && starts_with_digit(Some(rest_after))
    {
        let length = digits(rest_after);
        value.push('.');
        value.push_str(rest_after.get(..length).unwrap_or_default());
        end += 1 + length;
    }
    (if value.starts_with('.') { format!("0{value}") } else { value }, end)
}

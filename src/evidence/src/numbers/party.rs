//! Parties of a text: the company of the document, others, segments and places.

use std::collections::BTreeSet;

use super::measure::is_word_of_measure;
use super::parsed_text::ParsedText;
use super::parts::singular;
use super::stated_mark::StatedMark;
use super::statement_words::{PartyKind, WORDS};

/// Titles of persons. The point after one does not end a sentence.
const TITLES: [&str; 4] = ["mr", "ms", "mrs", "dr"];

/// A party at a position of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Party {
    /// Index of the party's token.
    pub(super) at: usize,
    pub(super) kind: PartyKind,
    /// Word of the party, in the singular.
    pub(super) word: String,
}

impl Party {
    /// Returns the parties of a text in order: the words of `statements.toml` for parties, and these names.
    pub(super) fn all(text: &ParsedText, names: &BTreeSet<String>, marks: &[StatedMark]) -> Vec<Self> {
        let is_mark = |at: usize| marks.binary_search_by_key(&at, |mark| mark.range.start).is_ok();
        let is_name = |at: usize, word: &str| {
            names.contains(word)
                && !WORDS.generic.contains(word)
                && !is_word_of_measure(word)
                && !is_mark(at)
                && WORDS.actions.longest_at(&text.tokens, at).is_none()
        };
        let words = text.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, token.word()?)));
        let parties = words.filter_map(|(at, word)| {
            let listed = WORDS.parties.longest_at(&text.tokens, at).map(|(_, kind)| *kind);
            let kind = listed.or_else(|| is_name(at, word).then_some(PartyKind::Name))?;
            Some(Self { at, kind, word: word.to_owned() })
        });
        parties.collect()
    }
}

/// Returns the words that the texts always write with a capital, in lower case and the singular. The first word of a sentence counts only
/// before another word with a capital, or with a capital within it.
pub(super) fn capital_words<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let (mut capital, mut small) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        let mut words = text.split_whitespace().peekable();
        let mut opens = true;
        while let Some(token) = words.next() {
            let is_before_capital = token.ends_with(char::is_alphabetic)
                && words.peek().is_some_and(|next| next.starts_with(char::is_uppercase));
            let is_word = |part: &&str| !part.is_empty() && !part.contains(char::is_numeric);
            for part in token.split(|c: char| !c.is_alphanumeric()).filter(is_word) {
                let is_name = !opens || is_before_capital || part.chars().skip(1).any(char::is_uppercase);
                let word = singular(&part.to_lowercase());
                if !part.contains(char::is_uppercase) {
                    small.insert(word);
                } else if is_name {
                    capital.insert(word);
                }
            }
            let is_title = TITLES.contains(&token.to_lowercase().trim_matches(|c: char| !c.is_alphabetic()));
            opens = token.ends_with(['.', '!', '?', ':']) && !is_title;
        }
    }
    capital.retain(|word| !small.contains(word));
    capital
}

//! Phrases of word lists, found in a text by their first words.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::parts::singular;
use super::text_token::TextToken;

/// Phrases with their meanings, by first word. Words are in the singular; the longest phrase of a first word is first.
#[derive(Debug)]
pub(super) struct PhraseIndex<T>(HashMap<String, Vec<(Vec<String>, T)>>);

impl<T> PhraseIndex<T> {
    pub(super) fn new<'a>(phrases: impl IntoIterator<Item = (&'a str, T)>) -> Self {
        let mut by_word: HashMap<String, Vec<(Vec<String>, T)>> = HashMap::new();
        for (phrase, meaning) in phrases {
            let words: Vec<String> = phrase.split(' ').map(singular).collect();
            if let Some(first) = words.first().cloned() {
                by_word.entry(first).or_default().push((words, meaning));
            }
        }
        for list in by_word.values_mut() {
            list.sort_by_key(|(words, _)| Reverse(words.len()));
        }
        Self(by_word)
    }

    /// Returns the number of words and the meaning of the longest phrase that begins at a token.
    pub(super) fn longest_at(&self, tokens: &[TextToken], start: usize) -> Option<(usize, &T)> {
        let is_word = |at: usize, word: &String| tokens.get(at).is_some_and(|token| token.is_word(word));
        let is_match = |words: &[String]| words.iter().zip(start..).all(|(word, at)| is_word(at, word));
        let list = self.0.get(tokens.get(start)?.word()?)?;
        list.iter().find(|(words, _)| is_match(words)).map(|(words, meaning)| (words.len(), meaning))
    }

    /// Returns the phrases of a text, which do not overlap, in their order.
    pub(super) fn all(&self, tokens: &[TextToken]) -> Vec<(Range<usize>, &T)> {
        let mut phrases = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let phrase = self.longest_at(tokens, at);
            let end = at + phrase.map_or(1, |(length, _)| length);
            phrases.extend(phrase.map(|(_, meaning)| (at..end, meaning)));
            at = end;
        }
        phrases
    }
}

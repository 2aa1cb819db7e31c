//! Words of a text that it denies: `dividend` in `did not declare a dividend`.

use std::collections::{BTreeMap, HashSet};

use super::mark_kind::MarkKind;
use super::stated_mark::StatedMark;
use super::statement_reader::StatementReader;
use super::statement_words::WORDS;
use super::text_token::{TextToken, TextTokenKind};

/// How texts use a word, over all its places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordUse {
    /// The word at its first place, in the singular.
    pub(super) word: String,
    is_denied: bool,
    is_stated: bool,
    /// True if a clause with the word has a word such as `not` or `unchanged`.
    is_near_denial: bool,
}

/// Letters by which words are compared.
const STEM_LETTERS: usize = 6;
/// Fewest letters of a compared word.
const LEAST_LETTERS: usize = 4;
/// Most words after a denial that it denies, and tokens among which they are, so that long texts take linear time.
const MOST_DENIED: usize = 3;
const TOKENS_AFTER: usize = 12;

/// Returns the stems of the words of a text with their use.
pub(super) fn word_uses(reader: &StatementReader<'_>) -> BTreeMap<String, WordUse> {
    let tokens = &reader.text.tokens;
    let clause = |at: usize| reader.positions.get(at).map(|position| position.clause);
    let denials = || reader.marks.iter().filter(|mark| mark.kind == MarkKind::Denial);
    let clauses: HashSet<Option<usize>> = denials().map(|mark| clause(mark.range.start)).collect();
    let denied_by = |mark: &StatedMark| match mark.value.as_str() {
        "following" | "noun" => denied_after(tokens, mark.range.end),
        "itself" => mark.range.clone().collect(),
        _ => Vec::new(),
    };
    let denied: HashSet<usize> = denials().flat_map(denied_by).collect();
    let mut uses: BTreeMap<String, WordUse> = BTreeMap::new();
    for (at, word) in tokens.iter().enumerate().filter_map(|(at, token)| Some((at, token.word()?))) {
        if word.chars().count() < LEAST_LETTERS || WORDS.is_function_word(word) {
            continue;
        }
        let one = uses.entry(word.chars().take(STEM_LETTERS).collect()).or_default();
        if one.word.is_empty() {
            word.clone_into(&mut one.word);
        }
        let is_denied = denied.contains(&at);
        one.is_denied |= is_denied;
        one.is_stated |= !is_denied;
        one.is_near_denial |= clauses.contains(&clause(at));
    }
    uses
}

/// Returns the positions of the words that a denial before this position denies: the next ones up to a preposition or another part.
fn denied_after(tokens: &[TextToken], end: usize) -> Vec<usize> {
    let mut denied = Vec::new();
    for (token, at) in tokens.iter().skip(end).zip(end..).take(TOKENS_AFTER) {
        if matches!(token.kind, TextTokenKind::Break(_) | TextTokenKind::Stop) || denied.len() == MOST_DENIED
        {
            break;
        }
        let Some(word) = token.word() else { continue };
        let is_end = WORDS.prepositions.contains(word) || WORDS.part_begins.at(tokens, at).is_some();
        if is_end && !denied.is_empty() {
            break;
        }
        if !is_end && !WORDS.is_function_word(word) {
            denied.push(at);
        }
    }
    denied
}

impl WordUse {
    pub(super) fn add(&mut self, other: &Self) {
        self.is_denied |= other.is_denied;
        self.is_stated |= other.is_stated;
        self.is_near_denial |= other.is_near_denial;
    }

    /// Returns true if passages that use a word as `self` support a sentence that uses it as `said`.
    pub(super) fn supports(&self, said: &Self) -> bool {
        let is_only_denied = said.is_denied && !self.is_denied && !self.is_near_denial;
        let is_only_stated = said.is_stated && !said.is_near_denial && !self.is_stated;
        !is_only_denied && !is_only_stated
    }
}

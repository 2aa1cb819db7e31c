//! Words of a text that it denies: `dividend` in `did not declare a dividend`.

use std::collections::{BTreeMap, HashSet};

use super::mark_kind::MarkKind;
use super::stated_mark::StatedMark;
use super::statement_reader::StatementReader;
use super::statement_words::WORDS;
use super::text_token::{TextToken, TextTokenKind};

/// Use of a word in texts, over all its occurrences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordUse {
    /// The word at its first occurrence, in the singular.
    pub(super) word: String,
    is_denied: bool,
    is_stated: bool,
    /// True if a clause with the word has a word such as `not` or `unchanged`.
    is_near_denial: bool,
}

/// Number of first letters by which words are compared.
const STEM_LETTERS: usize = 6;
/// Fewest letters of a compared word.
const LEAST_LETTERS: usize = 4;
/// Maximum number of words that a denial denies.
const MOST_DENIED: usize = 3;
/// Number of tokens after a denial in which these words are searched, so that long texts take linear time.
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
        let usage = uses.entry(word.chars().take(STEM_LETTERS).collect()).or_default();
        if usage.word.is_empty() {
            word.clone_into(&mut usage.word);
        }
        let is_denied = denied.contains(&at);
        usage.is_denied |= is_denied;
        usage.is_stated |= !is_denied;
        usage.is_near_denial |= clauses.contains(&clause(at));
    }
    uses
}

/// Returns the indices of the words that a denial denies: the words from `end` on, where it ends, up to a preposition or another part.
fn denied_after(tokens: &[TextToken], end: usize) -> Vec<usize> {
    let mut denied = Vec::new();
    for (token, at) in tokens.iter().skip(end).zip(end..).take(TOKENS_AFTER) {
        if matches!(token.kind, TextTokenKind::Break(_) | TextTokenKind::Stop) || denied.len() == MOST_DENIED
        {
            break;
        }
        let Some(word) = token.word() else { continue };
        let is_end = WORDS.prepositions.contains(word) || WORDS.part_begins.longest_at(tokens, at).is_some();
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

    /// Returns true if passages with this use of a word support a sentence with the use `claim` of it.
    pub(super) fn supports(&self, claim: &Self) -> bool {
        let is_only_denied = claim.is_denied && !self.is_denied && !self.is_near_denial;
        let is_only_stated = claim.is_stated && !claim.is_near_denial && !self.is_stated;
        !is_only_denied && !is_only_stated
    }
}

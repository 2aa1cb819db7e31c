//! The words of purposes, as files of `queries/purposes` list them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// Meaning of a word or phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WordRole {
    Split,
    /// A split or a dividend, depending on the figures after it.
    Special,
    Consolidation,
    Bonus,
    Rights,
    Buyback,
    Merger,
    /// Shareholders get shares of another company, and the price falls by their value.
    Demerger,
    Dividend,
    SpecialDividend,
    /// A dividend only if an amount follows.
    DividendIfPaid,
    Interest,
    Capital,
    Distribution,
    Meeting,
    Redemption,
    Money,
    Rupee,
    To,
    For,
    Percent,
    /// Hundredths of a rupee.
    Paise,
    Face,
    Share,
    Year,
    NoShares,
    /// Marks the following figure as a part of the amount before it.
    Within,
    /// Another currency.
    Foreign,
    Filler,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordsFile {
    #[serde(default)]
    actions: BTreeMap<WordRole, Vec<String>>,
    #[serde(default)]
    words: BTreeMap<WordRole, Vec<String>>,
}

/// The words of all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurposeWords {
    /// Roles by word or phrase; the words of a phrase have one space between them.
    roles: BTreeMap<String, WordRole>,
    /// Each word of the phrases.
    words: BTreeSet<String>,
    /// Maximum number of words in an entry of `roles`.
    longest: usize,
}

impl WordRole {
    /// Returns true if the word names an action.
    pub(super) const fn is_action(self) -> bool {
        (self as u8) <= (Self::Redemption as u8)
    }

    /// Returns true if the word names a dividend, or may name one.
    pub(super) const fn may_be_dividend(self) -> bool {
        matches!(self, Self::Dividend | Self::SpecialDividend | Self::DividendIfPaid | Self::Special)
    }
}

impl PurposeWords {
    /// Adds the words of a file; it replaces the roles of words that were added before.
    pub(crate) fn add(&mut self, file: &WordsFile) {
        for (role, phrases) in file.actions.iter().chain(&file.words) {
            for phrase in phrases {
                let words: Vec<String> = phrase.split_whitespace().map(str::to_uppercase).collect();
                self.longest = self.longest.max(words.len());
                self.roles.insert(words.join(" "), *role);
                self.words.extend(words);
            }
        }
    }

    /// Returns the role of the longest phrase at the start of `words`, and the number of words in the phrase.
    pub(super) fn role(&self, words: &[&str]) -> Option<(WordRole, usize)> {
        let lengths = (1..=self.longest.min(words.len())).rev();
        lengths
            .into_iter()
            .find_map(|length| Some((*self.roles.get(&words.get(..length)?.join(" "))?, length)))
    }

    /// Splits words that are written without spaces between them; if `may_be_cut`, the last one may be truncated. `None` if `word` does not
    /// consist of words in files.
    pub(super) fn parts(&self, word: &str, may_be_cut: bool) -> Option<Vec<String>> {
        /// The minimum number of letters of a word joined to another, and of one that was cut short.
        const FEWEST_LETTERS_JOINED: usize = 2;
        const FEWEST_LETTERS_CUT: usize = 3;
        if self.words.contains(word) {
            return Some(vec![word.to_owned()]);
        }
        // The split with the fewest words up to each letter.
        let mut best: Vec<Option<Vec<String>>> = vec![None; word.len() + 1];
        *best.first_mut()? = Some(Vec::new());
        for end in FEWEST_LETTERS_JOINED..=word.len() {
            for start in 0..=end - FEWEST_LETTERS_JOINED {
                let (Some(Some(before)), Some(part)) = (best.get(start), word.get(start..end)) else {
                    continue;
                };
                let is_cut = may_be_cut && end == word.len() && part.len() >= FEWEST_LETTERS_CUT;
                let known = match self.words.contains(part) {
                    true => Some(part),
                    false if is_cut => self.words.range(part.to_owned()..).next().map(String::as_str),
                    false => None,
                };
                let Some(known) = known.filter(|known| known.starts_with(part)) else { continue };
                let is_fewer = best.get(end).is_none_or(|current| {
                    current.as_ref().is_none_or(|current| current.len() > before.len() + 1)
                });
                if is_fewer {
                    let split = before.iter().cloned().chain([known.to_owned()]).collect();
                    if let Some(current) = best.get_mut(end) {
                        *current = Some(split);
                    }
                }
            }
        }
        best.pop().flatten()
    }
}

//! The words of purposes, as files of `queries/purposes` list them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// Meaning of a word or of several together.
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
    /// The roles of words and of several words with a space between.
    roles: BTreeMap<String, WordRole>,
    /// Each single word.
    words: BTreeSet<String>,
    /// Maximum number of words in an entry of `roles`.
    longest: usize,
}

impl WordRole {
    /// Returns true if it names an action.
    pub(super) const fn is_action(self) -> bool {
        (self as u8) <= (Self::Redemption as u8)
    }

    /// Returns true if it is a dividend, or may be one.
    pub(super) const fn pays(self) -> bool {
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

    /// Returns the role of the longest run of words at the start of a list that has one, and the number of its words.
    pub(super) fn role(&self, words: &[&str]) -> Option<(WordRole, usize)> {
        let lengths = (1..=self.longest.min(words.len())).rev();
        lengths
            .into_iter()
            .find_map(|length| Some((*self.roles.get(&words.get(..length)?.join(" "))?, length)))
    }

    /// Splits a word written without spaces into known words; the last one of a purpose may be cut short. `None` if it does not consist of
    /// known words.
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
                let is_fewer = best
                    .get(end)
                    .is_none_or(|there| there.as_ref().is_none_or(|there| there.len() > before.len() + 1));
                if is_fewer {
                    let made = before.iter().cloned().chain([known.to_owned()]).collect();
                    if let Some(there) = best.get_mut(end) {
                        *there = Some(made);
                    }
                }
            }
        }
        best.pop().flatten()
    }
}

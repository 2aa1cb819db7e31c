//! The words of purposes, as files of `queries/purposes` list them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// What a word or several together mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WordRole {
    Split,
    /// A split or a dividend, by the figures behind it.
    Special,
    Consolidation,
    Bonus,
    Rights,
    Buyback,
    Merger,
    /// Shareholders get shares of another company, and the price falls by what these are worth.
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
    /// What follows is a part of the amount before it.
    Within,
    /// Another currency.
    Foreign,
    Filler,
}

/// A file of words.
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
    /// Each word by itself.
    words: BTreeSet<String>,
    /// The most words that have a role together.
    longest: usize,
}

impl WordRole {
    /// Whether it says what is done.
    pub(super) const fn is_action(self) -> bool {
        (self as u8) <= (Self::Redemption as u8)
    }

    /// Whether it is a dividend, or may be one.
    pub(super) const fn pays(self) -> bool {
        matches!(self, Self::Dividend | Self::SpecialDividend | Self::DividendIfPaid | Self::Special)
    }
}

impl PurposeWords {
    /// Adds the words of a file; a word that is there already gets the role that this file gives it.
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

    /// The role of the most words at the start of a list that have one together, and how many they are.
    pub(super) fn role(&self, words: &[&str]) -> Option<(WordRole, usize)> {
        let lengths = (1..=self.longest.min(words.len())).rev();
        lengths
            .into_iter()
            .find_map(|length| Some((*self.roles.get(&words.get(..length)?.join(" "))?, length)))
    }

    /// The words of which one is made that was written without spaces; the last one of a purpose may be cut short. `None` where it is
    /// not made of known words.
    pub(super) fn parts(&self, word: &str, may_be_cut: bool) -> Option<Vec<String>> {
        /// The fewest letters of a word that is written together with another, and of one that was cut short.
        const TOGETHER: usize = 2;
        const CUT: usize = 3;
        if self.words.contains(word) {
            return Some(vec![word.to_owned()]);
        }
        // The fewest words up to each letter.
        let mut best: Vec<Option<Vec<String>>> = vec![None; word.len() + 1];
        *best.first_mut()? = Some(Vec::new());
        for end in TOGETHER..=word.len() {
            for start in 0..=end - TOGETHER {
                let (Some(Some(before)), Some(part)) = (best.get(start), word.get(start..end)) else {
                    continue;
                };
                let is_cut = may_be_cut && end == word.len() && part.len() >= CUT;
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

//! Suggestions for misspelled words: the nearest known words.
//!
//! A comparison takes time proportional to the product of both lengths and has no deadline. So only words of limited and similar lengths
//! are compared. Other words are not typing mistakes of each other.

/// Maximum characters of a compared word. No name of a parameter, tool, field, resource or symbol is longer.
pub const LONGEST_COMPARED: usize = 64;
/// Maximum difference of the lengths of similar words, in characters.
const MOST_LENGTH_DIFFERENCE: usize = 24;

/// A word with which other words are compared.
#[derive(Debug)]
pub struct Likeness<'a> {
    word: &'a str,
    length: usize,
}

impl<'a> Likeness<'a> {
    /// Builds the comparison with this word; `None` if it is too long.
    pub fn new_for(word: &'a str) -> Option<Self> {
        // A character has one to four bytes, so the characters of a very long text need not be counted.
        if word.len() > 4 * LONGEST_COMPARED {
            return None;
        }
        let length = word.chars().count();
        (length <= LONGEST_COMPARED).then_some(Self { word, length })
    }

    /// Returns the Jaro-Winkler similarity of another word, from 0 to 1; 0 if the words are not comparable.
    pub fn similarity_to(&self, other: &str) -> f64 {
        if self.is_comparable(other) { strsim::jaro_winkler(self.word, other) } else { 0.0 }
    }

    /// Returns true if another word is one typing mistake away: a letter inserted, deleted or replaced, or two swapped.
    fn is_a_typing_mistake(&self, other: &str) -> bool {
        self.word.len() > 2 && self.is_comparable(other) && strsim::osa_distance(self.word, other) == 1
    }

    fn is_comparable(&self, other: &str) -> bool {
        other.len() <= 4 * LONGEST_COMPARED
            && other.chars().count().abs_diff(self.length) <= MOST_LENGTH_DIFFERENCE
    }
}

/// Returns the known word nearest to `word`, if one is similar enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST_LIKENESS: f64 = 0.7;
    let likeness = Likeness::new_for(word)?;
    known
        .into_iter()
        .map(|candidate| {
            if candidate.eq_ignore_ascii_case(word) {
                return (1.0, candidate);
            }
            let near = likeness.similarity_to(candidate);
            // A single typing mistake is always similar enough, even in a short word.
            (if likeness.is_a_typing_mistake(candidate) { near.max(LEAST_LIKENESS) } else { near }, candidate)
        })
        .filter(|(near, _)| *near >= LEAST_LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Returns `; did you mean ...?` with the nearest known word; empty if none is similar enough.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Returns ` (did you mean ...?)` with the nearest known word; empty if none is similar enough.
pub fn bracketed_hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

/// Returns the known name that differs least from `word`, by at most two letters. A larger difference may mean another name, as names of
/// tools share words.
pub fn misspelt<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MOST_DIFFERENCES: usize = 2;
    let likeness = Likeness::new_for(word)?;
    let near = known.into_iter().filter(|name| likeness.is_comparable(name));
    let near = near.map(|name| (strsim::osa_distance(word, name), name));
    near.filter(|(letters, _)| *letters <= MOST_DIFFERENCES)
        .min_by_key(|(letters, _)| *letters)
        .map(|(_, name)| name)
}

/// Truncates a text for a message. Three dots replace the characters after the 64th.
pub fn truncate_for_message(text: &str) -> String {
    match text.char_indices().nth(LONGEST_COMPARED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_typing_mistake_is_found_and_what_is_far_is_not() {
        assert_eq!(nearest("symbl", ["symbol", "sector"]), Some("symbol"));
        assert_eq!(nearest("pee", ["pe", "pb"]), Some("pe"));
        assert_eq!(nearest("zzz", ["symbol", "sector"]), None);
        assert_eq!(nearest("", ["symbol"]), None);
        // Upper and lower case make no difference.
        assert_eq!(nearest("Stop", ["top", "stop", "step"]), Some("stop"));
        assert_eq!(nearest("FILL", ["hold", "fill"]), Some("fill"));
    }

    #[test]
    fn a_name_is_a_misspelling_only_where_it_is_nearly_the_same() {
        let known = ["get_ratios", "get_momentum", "get_circuit_stocks"];
        assert_eq!(misspelt("get_momentun", known), Some("get_momentum"));
        assert_eq!(misspelt("get_sector_rrg", known), None);
        assert_eq!(misspelt("get_status", known), None);
    }

    #[test]
    fn long_texts_are_not_compared() {
        let known: Vec<String> = (0..6_400).map(|number| format!("NAME{number}")).collect();
        let long = "NAME1".repeat(48_000);
        let began = Instant::now();
        assert_eq!(nearest(&long, known.iter().map(String::as_str)), None);
        assert_eq!(nearest("NAME12345678", [long.as_str()]), None);
        // The comparison of one such pair alone would take longer.
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        assert!(Likeness::new_for(&"\u{1F600}".repeat(64)).is_some());
        assert!(Likeness::new_for(&"a".repeat(65)).is_none());
    }

    #[test]
    fn messages_repeat_the_beginning_alone() {
        assert_eq!(truncate_for_message("short"), "short");
        assert_eq!(truncate_for_message(&"\u{e9}".repeat(65)), format!("{}...", "\u{e9}".repeat(64)));
    }
}

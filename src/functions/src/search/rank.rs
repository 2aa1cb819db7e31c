//! Ranks a company's symbol and name for a search.

use super::words::Words;

/// Shortest word that is searched inside other words.
const SHORTEST_INNER_WORD: usize = 3;

const SYMBOL: i64 = 0;
const SYMBOL_BUT_FOR_PUNCTUATION: i64 = 1;
const WHOLE_NAME: i64 = 2;
const BEGINNING: i64 = 3;
const ALL_WORDS: i64 = 4;
const WITHIN_WORDS: i64 = 5;

/// The text of a search with its words.
#[derive(Debug, Default)]
pub struct SearchText {
    /// The text as the user typed it.
    pub(super) text: String,
    /// The words without legal forms.
    words: Words,
    /// Letters that a matching symbol or name must all have.
    letters: u64,
}

impl SearchText {
    /// Reads the words of a search.
    pub fn parse(text: &str) -> Self {
        let mut all = Words::default();
        all.read(text);
        let words = all.without_legal_forms();
        // A final S is optional.
        let letters = words.iter().fold(0, |all, word| all | letter_bits(word.trim_end_matches('S')));
        Self { text: text.to_owned(), words, letters }
    }
}

/// Ranks companies in sequence and reuses its memory.
#[derive(Debug, Default)]
pub struct Ranker {
    symbol: Words,
    name: Words,
    /// True for words of the name that a word of the search has matched.
    is_matched: Vec<bool>,
}

impl Ranker {
    /// Returns the rank of a company; `None` without a match or for an empty search.
    pub fn rank(&mut self, requested: &SearchText, symbol: Option<&str>, name: Option<&str>) -> Option<i64> {
        if requested.words.joined.is_empty() {
            return None;
        }
        // Most companies lack a letter of the search. Testing that takes a tenth of the time that reading their words takes.
        let has_letters = |text: &&str| requested.letters & !letter_bits(text) == 0;
        let (symbol, name) = (symbol.filter(has_letters), name.filter(has_letters));
        let symbol_rank = symbol.and_then(|symbol| self.rank_symbol(requested, symbol));
        if matches!(symbol_rank, Some(SYMBOL | SYMBOL_BUT_FOR_PUNCTUATION)) {
            return symbol_rank;
        }
        let name_rank = name.and_then(|name| self.rank_name(requested, name));
        symbol_rank.into_iter().chain(name_rank).min()
    }

    fn rank_symbol(&mut self, requested: &SearchText, symbol: &str) -> Option<i64> {
        if symbol.eq_ignore_ascii_case(requested.text.trim()) {
            return Some(SYMBOL);
        }
        self.symbol.read(symbol);
        let (symbol, requested) = (&self.symbol.joined, &requested.words.joined);
        match symbol.find(requested) {
            Some(0) if symbol.len() == requested.len() => Some(SYMBOL_BUT_FOR_PUNCTUATION),
            Some(0) => Some(BEGINNING),
            Some(_) if requested.len() >= SHORTEST_INNER_WORD => Some(WITHIN_WORDS),
            _ => None,
        }
    }

    fn rank_name(&mut self, requested: &SearchText, name: &str) -> Option<i64> {
        self.name.read(name);
        let joined = &requested.words.joined;
        let mut from_words = self.name.tails();
        if from_words.next().is_some_and(|tail| tail.starts_with(joined)) {
            let is_whole = self.name.only_legal_forms_follow(joined.len());
            return Some(if is_whole { WHOLE_NAME } else { BEGINNING });
        }
        let is_from_a_word = from_words.any(|tail| tail.starts_with(joined));
        drop(from_words);
        if is_from_a_word { Some(ALL_WORDS) } else { self.rank_words(requested) }
    }

    /// Matches each word of the search with a different word of the name, in any order.
    fn rank_words(&mut self, requested: &SearchText) -> Option<i64> {
        let Self { name, is_matched, .. } = self;
        is_matched.clear();
        is_matched.resize(name.iter().count(), false);
        let mut rank = ALL_WORDS;
        for word in requested.words.iter() {
            let mut find = |is_found: &dyn Fn(&str) -> bool| {
                let mut free = name.iter().zip(is_matched.iter_mut()).filter(|(_, is_matched)| !**is_matched);
                free.find(|(name_word, _)| is_found(name_word))
                    .map(|(_, is_matched)| *is_matched = true)
                    .is_some()
            };
            // "Labs" is a prefix of laboratories except for its S, and "Arohi's" of Arohi.
            let stem = word.strip_suffix('S').filter(|stem| stem.len() >= SHORTEST_INNER_WORD);
            if find(&|name_word| name_word.starts_with(word))
                || stem.is_some_and(|stem| find(&|name_word| name_word.starts_with(stem)))
            {
                continue;
            }
            if word.len() < SHORTEST_INNER_WORD || !find(&|name_word| name_word.contains(word)) {
                return None;
            }
            rank = WITHIN_WORDS;
        }
        Some(rank)
    }
}

/// Returns the letters and digits of a text, one bit each.
fn letter_bits(text: &str) -> u64 {
    text.bytes().fold(0, |all, byte| match byte {
        b'a'..=b'z' => all | 1 << (byte - b'a'),
        b'A'..=b'Z' => all | 1 << (byte - b'A'),
        b'0'..=b'9' => all | 1 << (26 + byte - b'0'),
        _ => all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(text: &str, symbol: &str, name: &str) -> Option<i64> {
        Ranker::default().rank(&SearchText::parse(text), Some(symbol), Some(name))
    }

    #[test]
    fn a_symbol_is_found_whatever_stands_between_its_letters() {
        assert_eq!(rank("brk.b", "BRK.B", ""), Some(SYMBOL));
        for text in ["BRK-B", "BRK/B", "brk b", "BRKB"] {
            assert_eq!(rank(text, "BRK.B", ""), Some(SYMBOL_BUT_FOR_PUNCTUATION), "{text}");
        }
        assert_eq!(rank("A&B", "AB", "Arohi & Bela Limited"), Some(SYMBOL_BUT_FOR_PUNCTUATION));
        assert_eq!(rank("BRK", "BRK.B", ""), Some(BEGINNING));
    }

    #[test]
    fn a_name_is_found_by_its_words() {
        let of = |text| rank(text, "ABDR", "The Arohi & Bela Dairy-Road's Company Limited");
        for text in
            ["Arohi and Bela dairy roads", "the arohi bela dairy road's co. ltd.", "arohibeladairyroads"]
        {
            assert_eq!(of(text), Some(WHOLE_NAME), "{text}");
        }
        for text in ["arohi", "Arohi Bel", "the arohi"] {
            assert_eq!(of(text), Some(BEGINNING), "{text}");
        }
        for text in ["dairy arohi", "bela dai", "bel aro ltd", "roads, bela", "Bela's dairy"] {
            assert_eq!(of(text), Some(ALL_WORDS), "{text}");
        }
        assert_eq!(of("rohi bela"), Some(WITHIN_WORDS));
        for text in ["arohi arohi", "bela carbon", "oh", "-", "%", "&", ""] {
            assert_eq!(of(text), None, "{text:?}");
        }
    }
}

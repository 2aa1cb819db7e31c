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

/// A typed text.
#[derive(Debug, Default)]
pub struct SearchText {
    pub(super) text: String,
    words: Words,
    /// Letters that a matching symbol or name must all have.
    letters: u64,
}

impl SearchText {
    /// Reads the words of a search.
    pub fn parse(text: &str) -> Self {
        let mut all = Words::default();
        all.read(text);
        let words = all.without_law();
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
    taken: Vec<bool>,
}

impl Ranker {
    /// Returns the rank of a company; `None` without a match or for an empty search.
    pub fn rank(&mut self, requested: &SearchText, symbol: Option<&str>, name: Option<&str>) -> Option<i64> {
        if requested.words.joined.is_empty() {
            return None;
        }
        // Most companies lack a letter, and that check takes a tenth of the time of reading words.
        let has_letters = |text: &&str| requested.letters & !letter_bits(text) == 0;
        let (symbol, name) = (symbol.filter(has_letters), name.filter(has_letters));
        let of_symbol = symbol.and_then(|symbol| self.rank_symbol(requested, symbol));
        if matches!(of_symbol, Some(SYMBOL | SYMBOL_BUT_FOR_PUNCTUATION)) {
            return of_symbol;
        }
        let of_name = name.and_then(|name| self.rank_name(requested, name));
        of_symbol.into_iter().chain(of_name).min()
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
        if from_words.next().is_some_and(|whole| whole.starts_with(joined)) {
            let is_whole = self.name.only_legal_forms_follow(joined.len());
            return Some(if is_whole { WHOLE_NAME } else { BEGINNING });
        }
        let is_from_a_word = from_words.any(|rest| rest.starts_with(joined));
        drop(from_words);
        if is_from_a_word { Some(ALL_WORDS) } else { self.rank_words(requested) }
    }

    /// Matches each word of the search with a different word of the name, in any order.
    fn rank_words(&mut self, requested: &SearchText) -> Option<i64> {
        let Self { name, taken, .. } = self;
        taken.clear();
        taken.resize(name.iter().count(), false);
        let mut rank = ALL_WORDS;
        for word in requested.words.iter() {
            let mut find = |is_found: &dyn Fn(&str) -> bool| {
                let mut free = name.iter().zip(taken.iter_mut()).filter(|(_, taken)| !**taken);
                free.find(|(of_name, _)| is_found(of_name)).map(|(_, taken)| *taken = true).is_some()
            };
            // "Labs" is a prefix of laboratories except for its S, and "Arohi's" of Arohi.
            let stem = word.strip_suffix('S').filter(|stem| stem.len() >= SHORTEST_INNER_WORD);
            if find(&|of_name| of_name.starts_with(word))
                || stem.is_some_and(|stem| find(&|of_name| of_name.starts_with(stem)))
            {
                continue;
            }
            if word.len() < SHORTEST_INNER_WORD || !find(&|of_name| of_name.contains(word)) {
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

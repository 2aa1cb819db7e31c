//! Checks of texts that must be in a passage letter by letter: quotations, whole sentences, and words of a choice.

use crate::claim::comparison_form;

/// Words that negate a sentence; words that end in `n't` do too.
const DENIALS: [&str; 9] = ["not", "no", "never", "cannot", "without", "neither", "nor", "none", "unable"];
/// Abbreviations, whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 16] = [
    "rs.", "m/s.", "mr.", "mrs.", "ms.", "dr.", "no.", "vs.", "approx.", "st.", "i.e.", "e.g.", "u.s.",
    "inc.", "ltd.", "co.",
];

/// Returns true if a text is in one of the passages, as whole words and numbers.
pub(crate) fn is_verbatim(text: &str, passages: &[&str]) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let begins_with_digit = comparison_form(text).starts_with(|c: char| c.is_ascii_digit());
    surroundings(text, passages).iter().any(|(before, after)| {
        // The text must not begin or end within a number, such as 2,345 of 2,345.6.
        let (mut last, mut next) = (before.chars().rev(), after.chars());
        let (before, first) = (last.next(), next.next());
        let is_cut = |mark: Option<char>, digit: Option<char>| {
            matches!(mark, Some('.' | ',')) && digit.is_some_and(|c| c.is_ascii_digit())
        };
        let is_cut_before = begins_with_digit && is_cut(before, last.next());
        is_edge(before) && is_edge(first) && !is_cut_before && !is_cut(first, next.next())
    })
}

/// Returns true if a text is a whole sentence of one of the passages, so that no `not` before it is left out.
pub(crate) fn is_sentence(text: &str, passages: &[&str]) -> bool {
    let has_end_mark = text.ends_with(is_mark);
    surroundings(text, passages).iter().any(|(before, after)| {
        let after = after.trim_start();
        begins_sentence(before) && (has_end_mark || after.is_empty() || after.starts_with(is_mark))
    })
}

/// Returns true if a quotation has words that begin like these, without a negation among the three words before them in their clause.
pub(crate) fn states(quote: &str, words: &str) -> bool {
    /// Number of words before a word that may negate it.
    const WORDS_BEFORE: usize = 3;
    let is_denied = |clause: &[String], at: usize| {
        clause.iter().take(at).rev().take(WORDS_BEFORE).any(|word| is_denial(word))
    };
    clauses(quote).iter().any(|clause| positions_in(clause, words).any(|at| !is_denied(clause, at)))
}

/// Returns true if a quotation has words that begin like these.
pub(crate) fn mentions(quote: &str, words: &str) -> bool {
    clauses(quote).iter().any(|clause| positions_in(clause, words).next().is_some())
}

/// Returns the words of each clause of a quotation.
fn clauses(quote: &str) -> Vec<Vec<String>> {
    comparison_form(quote).split(['.', ',', ';', ':']).map(split_words).collect()
}

/// Returns the words of a text; a hyphen separates two words.
fn split_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the positions in a clause at which words begin like these.
fn positions_in(clause: &[String], words: &str) -> impl Iterator<Item = usize> {
    let begins = split_words(&words.to_lowercase());
    (0..clause.len()).filter(move |at| {
        let mut rest = clause.iter().skip(*at);
        begins.iter().all(|begin| rest.next().is_some_and(|word| word.starts_with(begin.as_str())))
    })
}

/// Returns true if a sentence may begin after this text. After a colon, an abbreviation or an opening quotation mark it may begin only if
/// no earlier word of the sentence is a negation.
fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end();
    let without_quotes = before.trim_end_matches(['"', ' ']);
    let is_end = |word: &str| {
        let word = word.trim_matches('"');
        word.ends_with(['.', '!', '?']) && !ABBREVIATIONS.contains(&word)
    };
    let Some(last) = without_quotes.split_whitespace().next_back() else { return true };
    let mut same_sentence = without_quotes.split_whitespace().rev().take_while(|word| !is_end(word));
    let is_behind_mark = last.ends_with(is_mark) || without_quotes.len() < before.len();
    is_end(last) || is_behind_mark && !same_sentence.any(is_denial)
}

/// Returns true for marks at which a sentence may end.
const fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ':' | ';' | '"')
}

fn is_denial(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    DENIALS.contains(&word) || word.ends_with("n't")
}

/// Returns the texts before and after each occurrence of a text in the passages, in [`comparison_form`].
fn surroundings(text: &str, passages: &[&str]) -> Vec<(String, String)> {
    let text = comparison_form(text);
    let mut texts = Vec::new();
    for passage in passages.iter().map(|passage| comparison_form(passage)).filter(|_| !text.is_empty()) {
        for (at, _) in passage.match_indices(text.as_str()) {
            let parts = (passage.get(..at), passage.get(at + text.len()..));
            texts.extend(parts.0.zip(parts.1).map(|(before, after)| (before.to_owned(), after.to_owned())));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_whole_and_not_the_part_that_is_denied() {
        let passage = "We do not expect that M/s. Alfa will grow in FY27. He never said \"we will double our capacity\". \
            There was no: growth of revenue in the year. Outlook: we expect growth in FY27. It was Rs. 5 crore for Alfa Inc. We are sure.";
        for (text, expected) in [
            ("We do not expect that M/s. Alfa will grow in FY27.", true),
            ("Alfa will grow in FY27.", false),
            ("we will double our capacity", false),
            ("growth of revenue in the year.", false),
            ("we expect growth in FY27.", true),
            ("We are sure.", true),
            ("expect growth in FY27.", false),
            ("Outlook: we expect growth", false),
        ] {
            assert_eq!(is_sentence(text, &[passage]), expected, "{text}");
        }
    }

    #[test]
    fn a_number_is_not_cut() {
        let passage = "Revenue was Rs. 2,345.6 crore.";
        for (text, expected) in [
            ("2,345.6 crore", true),
            ("345.6 crore", false),
            ("Rs. 2,345", false),
            ("6 crore", false),
            ("evenue was", false),
        ] {
            assert_eq!(is_verbatim(text, &[passage]), expected, "{text}");
        }
    }

    #[test]
    fn words_of_a_choice_begin_words_and_are_not_denied() {
        for (quote, words, expected) in [
            ("We raised our guidance", "rais", true),
            ("We praised our staff", "rais", false),
            ("We executed our plan", "cut", false),
            ("The press release follows", "lease", false),
            ("We are not raising our guidance", "rais", false),
            ("We didn\u{2019}t raise it", "rais", false),
            ("No change: we maintain what we said", "maintain", true),
            ("There is no doubt that we will have to raise it", "rais", true),
            ("a Share Purchase agreement", "share purchase", true),
            ("a share of the purchase price", "share purchase", false),
            ("a Non\u{2011}Banking Financial Company", "non-banking", true),
            ("banking, non-lending", "non-banking", false),
            ("", "rais", false),
        ] {
            assert_eq!(states(quote, words), expected, "{quote}: {words}");
        }
        assert!(
            mentions("There is no change in our guidance", "guid") && !mentions("a misguided plan", "guid")
        );
    }
}

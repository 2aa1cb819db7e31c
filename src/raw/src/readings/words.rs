//! A text as sentences and words. A plain word has no marks around it and no capitals.

/// Marks around words that are no part of them.
const MARKS: &str = "()[]\"'“”‘’,;:.?!";

/// Words whose point does not end a sentence.
const ABBREVIATIONS: [&str; 13] =
    ["rs.", "mr.", "ms.", "mrs.", "dr.", "inc.", "corp.", "ltd.", "co.", "no.", "approx.", "vs.", "cr."];

/// The words of a text.
#[derive(Debug)]
pub(super) struct SentenceWords<'a> {
    pub(super) written: Vec<&'a str>,
    pub(super) plain: Vec<String>,
    /// The plain words with blanks between and around them.
    joined: String,
}

impl<'a> SentenceWords<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let written: Vec<&str> = text.split_whitespace().collect();
        let plain: Vec<String> = written.iter().map(|word| plain(word)).collect();
        let joined = format!(" {} ", plain.join(" "));
        Self { written, plain, joined }
    }

    /// Returns true if the words of one of these phrases follow each other.
    pub(super) fn has_any(&self, phrases: &[impl AsRef<str>]) -> bool {
        phrases.iter().any(|phrase| self.mentions(phrase.as_ref()) > 0)
    }

    /// Returns how often the words of a phrase follow each other.
    pub(super) fn mentions(&self, phrase: &str) -> usize {
        self.joined.matches(&format!(" {phrase} ")).count()
    }

    /// Returns true if one of the plain words at these positions is among `known`.
    pub(super) fn any_of(&self, places: std::ops::Range<usize>, known: &[&str]) -> bool {
        self.plain.get(places).is_some_and(|words| words.iter().any(|word| known.contains(&word.as_str())))
    }
}

/// Returns a word without marks and capitals, and with straight apostrophes.
pub(super) fn plain(word: &str) -> String {
    word.trim_matches(|sign: char| MARKS.contains(sign)).to_lowercase().replace('’', "'")
}

/// Splits a paragraph into sentences.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, sign) in text.char_indices() {
        if !matches!(sign, '.' | '?' | '!') {
            continue;
        }
        let behind = text.get(at + 1..).and_then(|behind| behind.strip_prefix(' '));
        let Some(next) = behind.and_then(|behind| behind.chars().next()) else { continue };
        let begins = next.is_uppercase() || next.is_numeric() || "₹$“\"".contains(next);
        let sentence = text.get(start..=at).unwrap_or_default();
        let is_short = sign == '.' && is_short(sentence.rsplit(' ').next().unwrap_or_default());
        if begins && !is_short {
            parts.push(sentence);
            start = at + 2;
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// Returns true for a word such as `Inc.`, `U.S.` or `A.`, and false for a number.
fn is_short(word: &str) -> bool {
    let small = word.trim_start_matches(['(', '[', '"', '“']).to_lowercase();
    let length = small.chars().count();
    let is_initials = length == 2 || (length <= 4 && small.matches('.').count() > 1);
    ABBREVIATIONS.contains(&small.as_str()) || (is_initials && small.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_do() {
        let text = "Alfa Inc. won Rs. 5 crore. It paid 2.5 %! Did U.S. sales rise? yes. ₹7 more";
        assert_eq!(
            sentences(text),
            ["Alfa Inc. won Rs. 5 crore.", "It paid 2.5 %!", "Did U.S. sales rise? yes.", "₹7 more"]
        );
        let text = "Alfa (Rs. 5) grew 12 %. It grew by 5. It grew by 2.5. A. Rao said so.";
        let parts = ["Alfa (Rs. 5) grew 12 %.", "It grew by 5.", "It grew by 2.5.", "A. Rao said so."];
        assert_eq!(sentences(text), parts);
        assert_eq!(sentences(""), [""]);
    }

    #[test]
    fn phrases_are_whole_words() {
        let words = SentenceWords::new("(Net income) and net income; network incomes.");
        assert_eq!((words.mentions("net income"), words.mentions("work")), (2, 0));
        assert_eq!(SentenceWords::new("Weak? They don’t say!").plain, ["weak", "they", "don't", "say"]);
        assert!(
            words.has_any(&["x", "incomes"])
                && words.any_of(0..2, &["net"])
                && !words.any_of(0..99, &["net"])
        );
    }
}

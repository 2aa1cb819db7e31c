//! A text as sentences and words. A plain word is in lower case, without punctuation around it.

/// Punctuation that is removed from both ends of a word.
const PUNCTUATION: &str = "()[]\"'“”‘’,;:.?!";

/// Words whose point does not end a sentence.
const ABBREVIATIONS: [&str; 13] =
    ["rs.", "mr.", "ms.", "mrs.", "dr.", "inc.", "corp.", "ltd.", "co.", "no.", "approx.", "vs.", "cr."];

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

    /// Returns true if the text contains one of these phrases.
    pub(super) fn has_any(&self, phrases: &[impl AsRef<str>]) -> bool {
        phrases.iter().any(|phrase| self.mentions(phrase.as_ref()) > 0)
    }

    /// Returns how often the text contains a phrase.
    pub(super) fn mentions(&self, phrase: &str) -> usize {
        self.joined.matches(&format!(" {phrase} ")).count()
    }

    /// Returns true if one of the plain words at these positions is among `wanted`.
    pub(super) fn any_of(&self, positions: std::ops::Range<usize>, wanted: &[&str]) -> bool {
        self.plain
            .get(positions)
            .is_some_and(|words| words.iter().any(|word| wanted.contains(&word.as_str())))
    }
}

/// Returns a word in lower case, without punctuation around it, and with straight apostrophes.
pub(super) fn plain(word: &str) -> String {
    word.trim_matches(|sign: char| PUNCTUATION.contains(sign)).to_lowercase().replace('’', "'")
}

pub(super) fn sentences(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, sign) in text.char_indices() {
        if !matches!(sign, '.' | '?' | '!') {
            continue;
        }
        let rest = text.get(at + 1..).and_then(|rest| rest.strip_prefix(' '));
        let Some(next) = rest.and_then(|rest| rest.chars().next()) else { continue };
        let begins = next.is_uppercase() || next.is_numeric() || "₹$“\"".contains(next);
        let sentence = text.get(start..=at).unwrap_or_default();
        let is_abbreviation = sign == '.' && is_abbreviation(sentence.rsplit(' ').next().unwrap_or_default());
        if begins && !is_abbreviation {
            parts.push(sentence);
            start = at + 2;
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// Returns true for a word such as `Inc.`, `U.S.` or `A.`, and false for a number.
fn is_abbreviation(word: &str) -> bool {
    let lower = word.trim_start_matches(['(', '[', '"', '“']).to_lowercase();
    let length = lower.chars().count();
    let is_initials = length == 2 || (length <= 4 && lower.matches('.').count() > 1);
    ABBREVIATIONS.contains(&lower.as_str()) || (is_initials && lower.starts_with(char::is_alphabetic))
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

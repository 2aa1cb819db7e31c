//! Words of a sentence that state figures, periods or names without a digit, and their support by a passage: `two hundred crore`,
//! `doubled`, `first half`, `year-on-year`, `NTPC`.

use std::collections::BTreeSet;

use super::parts::{Letters, is_among, singular};
use parquote_catalogue::operation::period::MONTHS;

/// Numbers in words. Several in a row are one number, which must be in the passage in the same words.
const NUMBERS: &str = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand \
    lakh crore million billion trillion dozen half double doubled doubling twice twofold triple tripled \
    thrice threefold fourfold tenfold quadruple quadrupled halved halving zero nil first second third \
    fourth fifth sixth seventh eighth ninth tenth quadrupling tripling";
/// Words after a number in words that are part of it.
const UNITS: &str = "percent per percentage basis point month year quarter day week time fold rupee dollar crore lakh \
    million billion";
/// Classes of words: a sentence with a figure and a word of a class needs a passage with a word of that class.
const CLASSES: [&str; 5] = [
    "yoy",
    "qoq sequential sequentially",
    "quarter quarterly qoq",
    "year yearly annual annually annum yoy fy",
    "month monthly",
];
/// Words that negate a sentence; `t` is the end of words such as `isn't`. A sentence with such a word needs a passage with such a word or
/// one of [`DENIALS`].
const NEGATIONS: &str = "not no never without neither nor none cannot t minus";
const DENIALS: &str =
    "unable lack lacks lacked lacking fail fails failed absence nil zero free deny denies denied";
/// Words with a capital, or all in capitals, that are not names.
const NO_NAMES: &str = "i a the and it its we our in on for of to with management company revenue ebitda eps pat yoy qoq roe \
    roce opm capex ceo cfo us q rs inr usd bps";

/// The words of passages.
#[derive(Debug, Clone, Default)]
pub(super) struct PassageWords {
    /// Words in lower case.
    words: BTreeSet<String>,
    /// Numbers in words, with their unit.
    numbers: BTreeSet<String>,
    /// Words with digits that are neither numbers nor dates, such as `10-k`.
    names: BTreeSet<String>,
    /// Words of texts that support names alone, such as a title.
    heading: BTreeSet<String>,
}

impl PassageWords {
    /// Adds a text in which numbers and dates are masked.
    pub(super) fn add(&mut self, letters: &Letters, masked: &[bool]) {
        let text = normalize(&letters.folded.iter().collect::<String>());
        self.words.extend(split(&text).map(str::to_owned));
        self.numbers.extend(numbers_in_words(&text));
        self.names.extend(names_with_digits(letters, masked));
    }

    /// Adds a text for its names alone, such as the heading of the document.
    pub(super) fn add_names(&mut self, text: &str) {
        let folded: String = Letters::from_text(text).folded.iter().collect();
        self.heading.extend(split(&folded).map(str::to_owned));
    }

    /// Adds to `missing` the parts of a sentence that are not in the passages.
    pub(super) fn add_missing(&self, letters: &Letters, masked: &[bool], missing: &mut Vec<String>) {
        let text = normalize(&letters.folded.iter().collect::<String>());
        missing.extend(numbers_in_words(&text).filter(|number| !self.numbers.contains(number)));
        missing.extend(names_with_digits(letters, masked).filter(|name| !self.names.contains(name)));
        missing.extend(self.missing_names(letters));
        let has_figure =
            masked.iter().any(|is_masked| *is_masked) || numbers_in_words(&text).next().is_some();
        if has_figure {
            missing.extend(self.missing_class(&text));
        }
        if self.has_no_denial() && split(&text).any(|word| is_among(NEGATIONS, word)) {
            missing.push("that something is not so".to_owned());
        }
        if !self.shares_words(&text) {
            missing.push("hardly a word of it is in the passage".to_owned());
        }
    }

    /// Returns a word of each class that the sentence has and the passages lack.
    fn missing_class(&self, text: &str) -> impl Iterator<Item = String> {
        let has = |listed: &str| {
            // Fiscal years such as `fy27` are words of the class of years.
            self.words.contains(listed)
                || self.words.iter().any(|word| word.strip_suffix('s') == Some(listed))
                || listed == "fy" && self.words.iter().any(|word| word.starts_with(listed))
        };
        CLASSES.iter().filter_map(move |class| {
            let is_of_class =
                |word: &&str| is_among(class, word) || is_among(class, word.trim_end_matches('s'));
            let word = split(text).find(is_of_class)?;
            (!class.split(' ').any(has)).then(|| word.to_owned())
        })
    }

    /// Returns true if the passages have no word of `NEGATIONS` or `DENIALS`.
    fn has_no_denial(&self) -> bool {
        !self.words.iter().any(|word| is_among(NEGATIONS, word) || is_among(DENIALS, word))
    }

    /// Returns the names of a sentence that the passages lack: words with a capital, except the first word; months; and words all in
    /// capitals.
    fn missing_names(&self, letters: &Letters) -> impl Iterator<Item = String> {
        let text: String = letters.original_chars.iter().collect();
        let mut names = Vec::new();
        let mut starts = true;
        for word in text.split_whitespace() {
            let opens = starts;
            starts = word.ends_with(['.', '!', '?', ':']);
            // Words with digits are no names here: they are figures, periods or terms such as `10-k`, which have separate checks.
            let is_word = |part: &&str| !part.is_empty() && !part.contains(char::is_numeric);
            for part in word.split(|c: char| !c.is_alphanumeric() && c != '&').filter(is_word) {
                let is_capital = part.starts_with(char::is_uppercase);
                let is_all_capital =
                    part.chars().count() > 1 && part.chars().all(|c| c.is_uppercase() || c == '&');
                let folded = part.to_lowercase();
                let month = MONTHS.iter().find(|month| **month == folded);
                if !is_capital
                    || (opens
                        && !is_all_capital
                        && month.is_none_or(|month| matches!(*month, "may" | "march")))
                {
                    continue;
                }
                names.push(folded);
            }
        }
        names.into_iter().filter(|name| !self.has_name(name))
    }

    fn has_name(&self, name: &str) -> bool {
        let month = MONTHS.iter().find(|month| **month == name);
        let is_one = |word: &String| word.trim_end_matches('s') == name.trim_end_matches('s');
        let has = |words: &BTreeSet<String>| words.contains(name) || words.iter().any(is_one);
        is_among(NO_NAMES, name)
            || has(&self.words)
            || month.is_none() && has(&self.heading)
            || month.and_then(|month| month.get(..3)).is_some_and(|month| self.words.contains(month))
    }

    /// Returns true if a third of the longer words of a sentence begin like words of the passages. A sentence in another language, or about
    /// another subject, does not.
    fn shares_words(&self, text: &str) -> bool {
        /// Fewest letters of a longer word, and the number of letters that are compared.
        const LONG_WORD_LETTERS: usize = 4;
        let is_long =
            |word: &&str| word.chars().count() >= LONG_WORD_LETTERS && word.chars().all(char::is_alphabetic);
        let stem = |word: &str| word.chars().take(LONG_WORD_LETTERS).collect::<String>();
        let stems: BTreeSet<String> = self.words.iter().map(|word| stem(word)).collect();
        let words: Vec<&str> = split(text).filter(is_long).collect();
        let shared = words.iter().filter(|word| stems.contains(&stem(word))).count();
        // In a text without a longer word, such as `Rs 450 crore`, only the figures are checked.
        3 * shared >= words.len()
    }
}

/// Returns a text with one spelling of comparisons with the year or quarter before.
fn normalize(text: &str) -> String {
    let spellings = [
        ("year-on-year", "yoy"),
        ("year on year", "yoy"),
        ("year-over-year", "yoy"),
        ("year over year", "yoy"),
        ("y-o-y", "yoy"),
        ("quarter-on-quarter", "qoq"),
        ("quarter on quarter", "qoq"),
        ("quarter-over-quarter", "qoq"),
        ("quarter over quarter", "qoq"),
        ("q-o-q", "qoq"),
        ("year-ago quarter", "yoy"),
        ("same quarter last year", "yoy"),
        ("previous quarter", "qoq"),
        ("preceding quarter", "qoq"),
    ];
    spellings.iter().fold(text.to_owned(), |text, (long, short)| text.replace(long, short))
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '&').filter(|word| !word.is_empty())
}

/// Returns the numbers in words of a text in lower case, each with the unit after it.
fn numbers_in_words(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(singular).collect();
    let is_number = |word: &str| is_among(NUMBERS, word);
    let mut numbers = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        // `one` alone is no figure, as in `one of the largest`.
        let begins_number = word == "one" && (is_number(next) || next == "percent" || next == "per");
        if is_number(word) || begins_number {
            run.push(word);
            continue;
        }
        if !run.is_empty() {
            run.extend(is_among(UNITS, word).then_some(word.as_str()));
            numbers.push(run.join(" "));
            run.clear();
        }
    }
    if !run.is_empty() {
        numbers.push(run.join(" "));
    }
    // A scale alone is the unit of digits before it.
    let scales = ["thousand", "lakh", "crore", "million", "billion", "trillion", "hundred", "lakh crore"];
    let is_scale = move |number: &String| {
        let without_currency = number.trim_end_matches(" rupee").trim_end_matches(" dollar");
        scales.contains(&without_currency)
    };
    numbers.into_iter().filter(move |number| !is_scale(number))
}

/// Returns the words with a digit outside of numbers and dates, such as `10-k`.
fn names_with_digits(letters: &Letters, masked: &[bool]) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '/' | '&');
    let mut names = Vec::new();
    let mut index = 0;
    while index < letters.folded.len() {
        let end = letters.run_end(index, is_part);
        let is_free = |at: &usize| !masked.get(*at).copied().unwrap_or(false);
        let has_digit = (index..end).filter(is_free).any(|at| letters.char_at(at).is_numeric());
        if has_digit {
            names.push(letters.slice(index, end).trim_matches(['-', '.', '/']).to_owned());
        }
        index = end.max(index + 1);
    }
    names.into_iter()
}

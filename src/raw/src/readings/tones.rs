//! Tone, guidance and phrases of a document, by the words of `queries/tone/words.toml`.
//!
//! The score is 50 + 50 x (positive - negative - doubt) / (positive + negative + doubt + 5). A positive word after a negation counts as
//! negative, and a negative one is not counted. Doubt is half of the hedging words of a paragraph beyond its words of certainty.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::readings::words::{SentenceWords, sentences};
use parquote_catalogue::operation::built_in;

/// Added to the divisor of the score, so that few words make no extreme score.
const SMOOTHING: f64 = 5.0;
/// Number of words before a word in which a negation reverses it.
const NEGATION_REACH: usize = 3;
/// Maximum number of sentences of guidance that are quoted.
const MOST_QUOTED: usize = 5;
/// Longest sentence that is quoted, in characters.
const LONGEST_QUOTE: usize = 400;
/// Maximum number of phrases that count as the themes of a document.
const MOST_THEMES: usize = 3;
/// Counted words from which the reading is of high and of medium confidence.
const CONFIDENT_FROM: (f64, f64) = (60.0, 20.0);

/// The word lists of the program.
static WORDS: LazyLock<ToneWords> = LazyLock::new(|| built_in("tone/words.toml"));

/// Words with the version of their list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToneWords {
    version: u32,
    positive: WordList,
    negative: WordList,
    hedging: WordList,
    certain: WordList,
    negation: WordList,
    guidance: WordList,
    /// Words of a raised guidance.
    raised: WordList,
    /// Words of a lowered guidance.
    lowered: WordList,
    /// Words of an unchanged guidance.
    maintained: WordList,
    phrases: Vec<String>,
}

/// Words, and beginnings of words.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
struct WordList {
    whole: HashSet<String>,
    beginnings: Vec<String>,
}

/// Counts of the words of a text, by tone.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ToneCounts {
    positive: f64,
    negative: f64,
    doubt: f64,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct ToneReading {
    counts: ToneCounts,
    /// Sentences about the future.
    pub(super) guidance: Vec<String>,
    /// Change of the guidance; `None` if the words do not decide it.
    pub(super) guidance_change: Option<&'static str>,
    /// Phrases with the number of their mentions.
    pub(super) phrases: Vec<(&'static str, i64)>,
}

impl From<Vec<String>> for WordList {
    fn from(words: Vec<String>) -> Self {
        let (beginnings, whole): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.ends_with('*'));
        let beginnings = beginnings.iter().map(|word| word.trim_end_matches('*').to_owned()).collect();
        Self { whole: whole.into_iter().collect(), beginnings }
    }
}

impl WordList {
    fn has(&self, word: &str) -> bool {
        self.whole.contains(word)
            || self.beginnings.iter().any(|beginning| word.starts_with(beginning.as_str()))
    }

    fn has_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.has(word))
    }
}

/// Returns the name of the rules with their version.
pub(super) fn rules_and_version() -> String {
    format!("rule: tone {}", WORDS.version)
}

pub(super) fn counts(text: &str) -> ToneCounts {
    let (mut counts, mut hedging, mut certain) = (ToneCounts::default(), 0.0, 0.0);
    for sentence in sentences(text) {
        let words = SentenceWords::new(sentence);
        for (at, word) in words.plain.iter().enumerate() {
            let before = words.plain.get(at.saturating_sub(NEGATION_REACH)..at).unwrap_or_default();
            let is_negated = || WORDS.negation.has_any(before);
            if WORDS.positive.has(word) {
                *(if is_negated() { &mut counts.negative } else { &mut counts.positive }) += 1.0;
            } else if WORDS.negative.has(word) {
                counts.negative += if is_negated() { 0.0 } else { 1.0 };
            } else if WORDS.hedging.has(word) {
                hedging += 1.0;
            } else if WORDS.certain.has(word) {
                certain += 1.0;
            }
        }
    }
    counts.doubt = f64::max(hedging - certain, 0.0) / 2.0;
    counts
}

impl ToneCounts {
    fn add(&mut self, other: Self) {
        self.positive += other.positive;
        self.negative += other.negative;
        self.doubt += other.doubt;
    }

    /// Returns positive words less negative ones and doubt.
    pub(super) fn balance(&self) -> f64 {
        self.positive - self.negative - self.doubt
    }

    fn sum(&self) -> f64 {
        self.positive + self.negative + self.doubt
    }
}

impl ToneReading {
    pub(super) fn read<'a>(paragraphs: impl Iterator<Item = &'a str>) -> Self {
        let mut reading = Self::default();
        let mut mentions = vec![0; WORDS.phrases.len()];
        let (mut has_guidance, mut changes) = (false, HashSet::new());
        for text in paragraphs {
            reading.counts.add(counts(text));
            for sentence in sentences(text) {
                let words = SentenceWords::new(sentence);
                for (count, phrase) in mentions.iter_mut().zip(&WORDS.phrases) {
                    *count += words.mentions(phrase) as i64;
                }
                if !WORDS.guidance.has_any(&words.plain) || sentence.ends_with('?') {
                    continue;
                }
                has_guidance = true;
                if reading.guidance.len() < MOST_QUOTED && sentence.chars().count() <= LONGEST_QUOTE {
                    reading.guidance.push(sentence.to_owned());
                }
                changes.extend(stated_change(&words));
            }
        }
        let only_change = changes.iter().next().copied().filter(|_| changes.len() == 1);
        reading.guidance_change = if has_guidance { only_change } else { Some("none") };
        let counted = WORDS.phrases.iter().map(String::as_str).zip(mentions);
        reading.phrases = counted.filter(|(_, count)| *count > 0).collect();
        reading
    }

    /// Returns the score from 0 to 100.
    pub(super) fn score(&self) -> i64 {
        let share = self.counts.balance() / (self.counts.sum() + SMOOTHING);
        (50.0 + 50.0 * share).round() as i64
    }

    /// Returns the confidence in the score, by the number of words that it counts.
    pub(super) fn confidence(&self) -> &'static str {
        match self.counts.sum() {
            words if words >= CONFIDENT_FROM.0 => "high",
            words if words >= CONFIDENT_FROM.1 => "medium",
            _ => "low",
        }
    }

    /// Returns the phrases that are mentioned most.
    pub(super) fn themes(&self) -> Vec<String> {
        let mut phrases = self.phrases.clone();
        phrases.sort_by_key(|(phrase, count)| (std::cmp::Reverse(*count), *phrase));
        phrases.into_iter().take(MOST_THEMES).map(|(phrase, _)| phrase.to_owned()).collect()
    }
}

/// Returns the change of the guidance that a sentence states.
fn stated_change(words: &SentenceWords<'_>) -> Option<&'static str> {
    if !words.has_any(&["guidance", "outlook"]) {
        return None;
    }
    let changes = [(&WORDS.raised, "raised"), (&WORDS.lowered, "lowered"), (&WORDS.maintained, "maintained")];
    changes.into_iter().find(|(list, _)| list.has_any(&words.plain)).map(|(_, change)| change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_words_is_read() {
        assert!(WORDS.version > 0 && WORDS.positive.has("improved") && WORDS.negative.has("weak"));
        assert!(!WORDS.positive.has("improper") && !WORDS.phrases.is_empty());
        assert_eq!(rules_and_version(), format!("rule: tone {}", WORDS.version));
    }

    #[test]
    fn a_call_is_scored_by_its_formula() {
        let texts = [
            "Growth was strong. We might see some delays.",
            "We raised our guidance for the year. What is your outlook? Supply chain costs fell, and supply chain work is done.",
        ];
        let reading = ToneReading::read(texts.into_iter());
        // Positive: growth, strong; negative: delays, fell; doubt: half of `might`.
        assert_eq!(reading.counts, ToneCounts { positive: 2.0, negative: 2.0, doubt: 0.5 });
        assert_eq!((reading.score(), reading.confidence()), (47, "low"));
        assert_eq!(reading.guidance, ["We raised our guidance for the year."]);
        assert_eq!(reading.guidance_change, Some("raised"));
        assert_eq!(reading.phrases, [("supply chain", 2)]);
        assert_eq!(reading.themes(), ["supply chain"]);
    }

    #[test]
    fn without_words_the_score_is_even_and_there_is_no_guidance() {
        let reading = ToneReading::read(["Good evening."].into_iter().skip(1));
        assert_eq!((reading.score(), reading.guidance_change), (50, Some("none")));
    }
}

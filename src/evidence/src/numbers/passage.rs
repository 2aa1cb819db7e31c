//! Checks a sentence against the paragraphs that it names. Every figure, date, number in words and name of the sentence must be in them,
//! with value, unit, scale, currency and period. Nothing is rounded, and nothing is converted except the spelling of scales.
//!
//! A figure with a measure, such as revenue, must be one of that measure in them. Period, basis, party and direction of a figure, and what
//! is said to have risen, fallen or happened, are compared as [`StatedFacts`] do.

use std::collections::BTreeSet;

use super::agreement::StatedFacts;
use super::measure;
use super::parsed_text::ParsedText;
use super::party::capital_words;
use super::passage_words::PassageWords;
use super::period_mention::PeriodMention;
use super::stated::{MoneyUnit, StatedNumber, StatedUnit};

/// Figures, dates and words of passages.
#[derive(Debug, Clone, Default)]
pub struct PassageEvidence {
    numbers: Vec<StatedNumber>,
    /// Bare numbers of four digits that can be years.
    years: Vec<i32>,
    periods: Vec<PeriodMention>,
    /// Names of the measures that the passages mention.
    measures: BTreeSet<&'static str>,
    words: PassageWords,
    statements: StatedFacts,
}

impl StatedNumber {
    /// Returns the number of a text; `None` unless the text states exactly one.
    fn only(text: &str) -> Option<Self> {
        let [number] = <[Self; 1]>::try_from(ParsedText::new(text).numbers).ok()?;
        Some(number)
    }
}

impl PassageEvidence {
    /// Reads the passages that a sentence names.
    pub fn from_texts<'a>(passages: impl IntoIterator<Item = &'a str>) -> Self {
        let passages: Vec<&str> = passages.into_iter().collect();
        let statements = StatedFacts::new(capital_words(passages.iter().copied()));
        let mut evidence = Self { statements, ..Self::default() };
        for passage in passages {
            let parsed = ParsedText::new(passage);
            evidence.words.add(&parsed.letters, &parsed.masked);
            evidence.years.extend(parsed.years());
            evidence.measures.extend(parsed.measured.measure_names());
            evidence.statements.add(&parsed);
            evidence.numbers.extend(parsed.numbers);
            evidence.periods.extend(parsed.periods);
        }
        evidence
    }

    /// Adds a text that supports names but no figures, such as the name of the company.
    #[must_use]
    pub fn with_names(mut self, text: &str) -> Self {
        self.words.add_names(text);
        self
    }

    /// Adds a text with the name of the company, such as a title: what a passage says of this name it says of the company.
    #[must_use]
    pub fn with_company(mut self, text: &str) -> Self {
        self.statements.add_company(capital_words([text]));
        self
    }

    /// Returns the parts of a sentence that the passages do not state, in words; empty if the passages support it.
    pub fn missing(&self, sentence: &str) -> Vec<String> {
        let parsed = ParsedText::new(sentence);
        let mut missing = Vec::new();
        for period in &parsed.periods {
            if !self.periods.iter().any(|stated| stated.supports(period)) {
                missing.push(parsed.letters.original(period.start, period.end));
            }
        }
        for number in &parsed.numbers {
            let year = number.value as i32;
            let is_year = number.may_be_year
                && (self.years.contains(&year) || self.periods.iter().any(|it| it.is_in_year(year)));
            if is_year {
                continue;
            }
            let text = || parsed.letters.original(number.start, number.end);
            if !self.numbers.iter().any(|stated| stated.supports(number)) {
                missing.push(text());
            } else if number.is_quantity()
                && let Some(measure) = number.measures.iter().find(|name| !self.has_figure(number, name))
            {
                missing.push(format!("{} as {measure}", text()));
            }
        }
        self.words.add_missing(&parsed.letters, &parsed.masked, &mut missing);
        if missing.is_empty() {
            missing.extend(self.statements.missing(sentence, &parsed));
        }
        missing
    }

    /// Returns true if the passages state a number for a measure, or state it without any measure and name the measure elsewhere.
    fn has_figure(&self, number: &StatedNumber, measure: &str) -> bool {
        let is_one = |stated: &&str| measure::covers(stated, measure);
        self.numbers.iter().filter(|stated| stated.supports(number)).any(|stated| {
            let is_open = stated.measures.is_empty() && self.measures.iter().any(is_one);
            is_open || stated.measures.iter().any(is_one)
        })
    }

    /// Returns true if the passages state each number of a text as a level of a measure, and not as a change or a figure to compare with.
    pub fn has_level(&self, text: &str, measure: &str) -> bool {
        let levels =
            self.numbers.iter().filter(|stated| !stated.is_change_or_comparison()).cloned().collect();
        let levels = Self { numbers: levels, measures: self.measures.clone(), ..Self::default() };
        ParsedText::new(text).numbers.iter().all(|number| levels.has_figure(number, measure))
    }

    /// Returns true if figures can be checked for a measure of this name.
    pub fn has_measure(name: &str) -> bool {
        measure::is_measure(name)
    }

    /// Returns the amount in a text, in single units, with its currency or `None` if the text names no currency. Returns `None` unless the
    /// text states exactly one number, without a unit such as percent.
    pub fn amount(text: &str) -> Option<(f64, Option<MoneyUnit>)> {
        let number = StatedNumber::only(text)?;
        (number.unit == StatedUnit::None).then_some((number.value, number.currency))
    }

    /// Returns the percentage in a text, 12.0 for 12 %; `None` unless the text states exactly one number, a percentage.
    pub fn percent(text: &str) -> Option<f64> {
        StatedNumber::only(text)
            .filter(|number| number.unit == StatedUnit::Percent)
            .map(|number| number.value)
    }

    /// Returns the count of `things`, such as tonnes, in a text; `None` unless the text states exactly one number, followed by that word.
    pub fn count(text: &str, things: &str) -> Option<f64> {
        StatedNumber::only(text).filter(|number| number.is_count_of(things)).map(|number| number.value)
    }

    /// Returns the number of months in a text; `None` unless the text states exactly one number, of months or years.
    pub fn months(text: &str) -> Option<f64> {
        let number = StatedNumber::only(text)?;
        match &number.unit {
            StatedUnit::Time(word) if word == "month" => Some(number.value),
            StatedUnit::Time(word) if word == "year" => Some(12.0 * number.value),
            _ => None,
        }
    }
}

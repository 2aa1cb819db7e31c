//! Checks a sentence against the paragraphs that it names. Every figure, date, number in words and name of the sentence must be in them, with
//! value, unit, scale, currency and period. Nothing is rounded, and nothing is converted except the spelling of scales.
//!
//! A figure with a measure, such as revenue, must be one of that measure in them. Period, basis, party and direction of a figure, and what is
//! said to have risen, fallen or happened, are compared as [`StatedFacts`] do.

use std::collections::BTreeSet;

use super::agreement::StatedFacts;
use super::measure;
use super::party::capital_words;
use super::passage_words::PassageWords;
use super::period_mention::PeriodMention;
use super::read_text::ReadText;
use super::stated::{MoneyUnit, StatedNumber, StatedUnit};

/// Figures, dates and words of passages.
#[derive(Debug, Clone, Default)]
pub struct PassageEvidence {
    numbers: Vec<StatedNumber>,
    /// Bare numbers of four digits that can be years.
    years: Vec<i32>,
    periods: Vec<PeriodMention>,
    /// Names of the measures that they mention.
    measures: BTreeSet<&'static str>,
    words: PassageWords,
    statements: StatedFacts,
}

impl StatedNumber {
    /// Returns the number of a text that states exactly one.
    fn only(text: &str) -> Option<Self> {
        let [number] = <[Self; 1]>::try_from(ReadText::new(text).numbers).ok()?;
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
            let read = ReadText::new(passage);
            evidence.words.add(&read.letters, &read.masked);
            evidence.years.extend(read.years());
            evidence.measures.extend(read.measured.named());
            evidence.statements.add(&read);
            evidence.numbers.extend(read.numbers);
            evidence.periods.extend(read.periods);
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

    /// Returns the parts of a sentence that the passages do not state; none if they support it.
    pub fn missing(&self, sentence: &str) -> Vec<String> {
        let read = ReadText::new(sentence);
        let mut missing = Vec::new();
        for period in &read.periods {
            if !self.periods.iter().any(|known| known.supports(period)) {
                missing.push(read.letters.original(period.start, period.end));
            }
        }
        for number in &read.numbers {
            let year = number.value as i32;
            let is_year = number.may_be_year
                && (self.years.contains(&year) || self.periods.iter().any(|it| it.is_in_year(year)));
            if is_year {
                continue;
            }
            let text = || read.letters.original(number.start, number.end);
            if !self.numbers.iter().any(|known| known.supports(number)) {
                missing.push(text());
            } else if number.is_quantity()
                && let Some(measure) = number.measures.iter().find(|name| !self.has_figure(number, name))
            {
                missing.push(format!("{} as {measure}", text()));
            }
        }
        self.words.list_missing(&read.letters, &read.masked, &mut missing);
        if missing.is_empty() {
            missing.extend(self.statements.missing(sentence, &read));
        }
        missing
    }

    /// Returns true if the passages state a number as one of a measure, or state it without a measure and name the measure elsewhere.
    fn has_figure(&self, number: &StatedNumber, measure: &str) -> bool {
        let is_one = |known: &&str| measure::covers(known, measure);
        self.numbers.iter().filter(|known| known.supports(number)).any(|known| {
            let is_open = known.measures.is_empty() && self.measures.iter().any(is_one);
            is_open || known.measures.iter().any(is_one)
        })
    }

    /// Returns true if the passages state each number of a text as a level of a measure, and not as a change or a figure to compare with.
    pub fn has_level(&self, text: &str, measure: &str) -> bool {
        let levels = self.numbers.iter().filter(|known| !known.is_no_level()).cloned().collect();
        let levels = Self { numbers: levels, measures: self.measures.clone(), ..Self::default() };
        ReadText::new(text).numbers.iter().all(|number| levels.has_figure(number, measure))
    }

    /// Returns true if figures can be checked for a measure of this name.
    pub fn has_measure(name: &str) -> bool {
        measure::is_measure(name)
    }

    /// Returns the amount of money of a text in single units, if it states exactly one number and that is an amount.
    pub fn amount(text: &str) -> Option<(f64, Option<MoneyUnit>)> {
        let number = StatedNumber::only(text)?;
        (number.unit == StatedUnit::None).then_some((number.value, number.currency))
    }

    /// Returns the percentage of a text, if it states exactly one number and that is one.
    pub fn percent(text: &str) -> Option<f64> {
        StatedNumber::only(text)
            .filter(|number| number.unit == StatedUnit::Percent)
            .map(|number| number.value)
    }

    /// Returns the count of a text, if it states exactly one number and then the counted things, such as tonnes.
    pub fn count(text: &str, things: &str) -> Option<f64> {
        StatedNumber::only(text).filter(|number| number.is_count_of(things)).map(|number| number.value)
    }

    /// Returns the months of a text that states exactly one length of time, in months or years.
    pub fn months(text: &str) -> Option<f64> {
        let number = StatedNumber::only(text)?;
        match &number.unit {
            StatedUnit::Time(word) if word == "month" => Some(number.value),
            StatedUnit::Time(word) if word == "year" => Some(12.0 * number.value),
            _ => None,
        }
    }
}

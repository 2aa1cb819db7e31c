//! A number with all that a text states about it: value in single units, unit, currency and measure. There is no tolerance, unlike in the
//! evidence of a run: two numbers agree only if all of these are equal.

use super::parts::{Letters, is_among, singular};
use super::statement_words::is_direction;
use super::written::{NumberUnit, WrittenNumber};

/// A number as a text states it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedNumber {
    /// Value in single units, with the sign: 4,500,000,000 for `Rs 450 crore`.
    pub(super) value: f64,
    pub(super) unit: StatedUnit,
    pub(super) currency: Option<MoneyUnit>,
    /// The word before the number: `by 12%` is a change, `to 12%` a level.
    before: String,
    /// The next words after the number, four at most, in the singular.
    after: Vec<String>,
    /// Names of its measures, such as revenue; none if the text names none.
    pub(super) measures: Vec<&'static str>,
    /// True for four digits that may be a year.
    pub(super) may_be_year: bool,
    /// Position of the sign or first digit.
    pub(super) start: usize,
    /// End of the unit, or of the digits if no unit follows.
    pub(super) end: usize,
}

/// Unit of a stated number. Scales such as crore are part of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatedUnit {
    /// A bare number or an amount of money.
    None,
    Percent,
    PercentagePoints,
    BasisPoints,
    /// A multiple, such as `28x`.
    Times,
    /// A rank, such as `87th`.
    Ordinal,
    /// A length of time in units of this word, such as `month`.
    Time(String),
}

/// A currency as a text writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoneyUnit {
    /// Indian rupees.
    Rupee,
    /// US dollars.
    Dollar,
    /// Another currency, by its word or sign in lower case, such as `eur` or `€`.
    Other(String),
}

/// Units of measurement. If a passage has such a word after the number, a sentence must have the same word.
const MEASUREMENT_UNITS: &str = "mw gw kw mwh gwh kwh twh mwp gwp mva kv mt mtpa mmt tonne ton tpa tpd kg km mile metre meter feet \
    foot ft acre hectare sqft barrel bbl boe litre liter gallon mmscmd mbps gbps tb gb unit share";
/// Things that are counted. If a sentence has such a word directly after the number, the passage must have the same word near that number.
const COUNTED_THINGS: &str = "store customer client employee order contract site plant country city state branch vehicle aircraft \
    bus room bed train coach wagon user subscriber member people project well";

/// Words before a number that is a change, or the figure of another period.
const COMPARISONS: &str = "by from against versus vs than with";

impl StatedNumber {
    /// Returns the numbers of a text, in order, with all that it states about them except measures.
    pub(super) fn all(letters: &Letters, numbers: &[WrittenNumber]) -> Vec<Self> {
        let mut stated = Vec::with_capacity(numbers.len());
        // The last word of time, which ranges such as `12 to 18 months` share.
        let mut time = String::new();
        for number in numbers.iter().rev() {
            let effective = number.range_unit.unwrap_or(number.unit);
            let text = letters.slice(number.start, number.unit_end);
            let unit_text = unit_words(&text);
            if number.unit == NumberUnit::Duration {
                time = time_word(&unit_text);
            }
            let (scale, unit) = match effective {
                NumberUnit::Scale(scale) => (scale, StatedUnit::None),
                NumberUnit::Percent if unit_text.contains("point") || unit_text.starts_with("pp") => {
                    (1.0, StatedUnit::PercentagePoints)
                }
                NumberUnit::Percent => (1.0, StatedUnit::Percent),
                NumberUnit::BasisPoints => (1.0, StatedUnit::BasisPoints),
                NumberUnit::Times => (1.0, StatedUnit::Times),
                NumberUnit::Ordinal => (1.0, StatedUnit::Ordinal),
                NumberUnit::Duration => (1.0, StatedUnit::Time(time.clone())),
                NumberUnit::None => (1.0, StatedUnit::None),
            };
            stated.push(Self {
                value: number.value * scale,
                unit,
                currency: currency(letters, number),
                before: word_before(letters, number.start),
                after: words_after(letters, number.unit_end),
                measures: Vec::new(),
                may_be_year: number.may_be_year,
                start: number.start,
                end: number.unit_end,
            });
        }
        stated.reverse();
        stated
    }

    /// Returns true if a passage that states `self` supports the number of a sentence.
    pub(super) fn supports(&self, sentence: &Self) -> bool {
        let is_near = (self.value - sentence.value).abs() <= 1e-9 * self.value.abs().max(1.0);
        let is_same_money = sentence.currency.is_none() || sentence.currency == self.currency;
        let is_other_move =
            matches!((self.before.as_str(), sentence.before.as_str()), ("by", "to") | ("to", "by"));
        is_near
            && self.unit == sentence.unit
            && is_same_money
            && !is_other_move
            && self.counts_same_thing(sentence)
    }

    /// Returns true for a number that may be a figure of a measure: not a time, rank, bare whole number or count of things.
    pub(super) fn is_quantity(&self) -> bool {
        /// Value from which a number without currency has a scale.
        const LEAST_SCALED_VALUE: f64 = 1e5;
        let is_counted = self.has_measurement_unit()
            || self.after.first().is_some_and(|word| is_among(COUNTED_THINGS, word));
        match self.unit {
            StatedUnit::Time(_) | StatedUnit::Ordinal => false,
            StatedUnit::None if self.currency.is_none() => {
                !is_counted && (self.value.abs() >= LEAST_SCALED_VALUE || self.value.fract() != 0.0)
            }
            _ => true,
        }
    }

    /// Returns true for a number of which a text may say a period or limit: no year, time or rank.
    pub(super) fn is_figure(&self) -> bool {
        !self.may_be_year && !matches!(self.unit, StatedUnit::Time(_) | StatedUnit::Ordinal)
    }

    /// Returns true for a percentage or a number of points, which may be a change.
    pub(super) fn may_be_change(&self) -> bool {
        matches!(self.unit, StatedUnit::Percent | StatedUnit::PercentagePoints | StatedUnit::BasisPoints)
    }

    /// Returns true for a number with a unit such as tonnes after it.
    pub(super) fn has_measurement_unit(&self) -> bool {
        self.after.first().is_some_and(|word| is_among(MEASUREMENT_UNITS, word))
    }

    /// Returns true for a bare number followed by the word `things`, such as `tonnes`.
    pub(super) fn is_count_of(&self, things: &str) -> bool {
        let is_bare = self.unit == StatedUnit::None && self.currency.is_none();
        is_bare && self.after.first().is_some_and(|word| *word == singular(things))
    }

    /// Returns true if the word before the number makes it a change, or the figure of another period.
    pub(super) fn is_change_or_comparison(&self) -> bool {
        is_among(COMPARISONS, &self.before) || is_direction(&self.before)
    }

    /// Returns false if the number of the sentence lacks this number's unit of measurement, or if this number lacks the unit, the counted
    /// things or the unit after `per` of the sentence.
    fn counts_same_thing(&self, sentence: &Self) -> bool {
        let first_of =
            |words: &[String], list: &str| words.first().filter(|word| is_among(list, word)).cloned();
        let per = |words: &[String]| {
            let at = words.iter().position(|word| word == "per" || word == "a" || word == "each")?;
            words.get(at + 1).filter(|word| is_among(MEASUREMENT_UNITS, word)).cloned()
        };
        let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
        if let Some(stated) = first_of(&self.after, MEASUREMENT_UNITS)
            && !has(&sentence.after, &stated)
        {
            return false;
        }
        if let Some(claimed) =
            first_of(&sentence.after, MEASUREMENT_UNITS).or_else(|| first_of(&sentence.after, COUNTED_THINGS))
            && !has(&self.after, &claimed)
        {
            return false;
        }
        per(&sentence.after).is_none_or(|claimed| per(&self.after) == Some(claimed))
    }
}

/// Returns the word before a number, without its currency and words such as `about`.
fn word_before(letters: &Letters, start: usize) -> String {
    /// Number of characters before the number in which the word is searched.
    const MOST_DISTANCE: usize = 32;
    /// Words that may be between that word and the number.
    const WORDS_BETWEEN: &str = "rs inr usd us about around nearly almost approximately";
    let text = letters.slice(start.saturating_sub(MOST_DISTANCE), start);
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).rev();
    words.find(|word| !is_among(WORDS_BETWEEN, word)).unwrap_or_default().to_owned()
}

/// Returns the letters of a number's unit as written: the `months` of `24 months`.
fn unit_words(written: &str) -> String {
    written.trim_start_matches(|c: char| !c.is_alphabetic() || c == '-').trim().to_owned()
}

fn time_word(unit: &str) -> String {
    let word = unit.trim_end_matches('s');
    match word {
        "y" | "yr" => "year",
        "m" => "month",
        "w" => "week",
        "d" => "day",
        other => other,
    }
    .to_owned()
}

/// Returns up to four words after a position, in the singular, up to the end of the sentence part.
fn words_after(letters: &Letters, index: usize) -> Vec<String> {
    let text = letters.slice(index, index + 60);
    let part = text.split(['.', ';', '(', ')', '\n', ':']).next().unwrap_or_default();
    let words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(4).map(singular).collect()
}

/// Returns the currency of a number, from the signs and words directly before or after it.
fn currency(letters: &Letters, number: &WrittenNumber) -> Option<MoneyUnit> {
    let skip_back = |mut index: usize| {
        while matches!(letters.char_before(index), ' ' | '.' | '-' | '+' | '(') && index > 0 {
            index -= 1;
        }
        index
    };
    let index = skip_back(number.start);
    let symbol = letters.char_before(index);
    if matches!(symbol, '₹' | '€' | '£' | '¥' | '$') {
        let sign = index.saturating_sub(1);
        let word = letters.word_before(sign);
        return Some(match symbol {
            '₹' => MoneyUnit::Rupee,
            '$' if matches!(word.as_str(), "" | "us") => MoneyUnit::Dollar,
            sign => MoneyUnit::Other(format!("{word}{sign}")),
        });
    }
    let word = letters.word_before(index);
    let first = letters.slice(number.unit_end, number.unit_end + 24);
    let after: String =
        first.trim_start_matches([' ', '-']).chars().take_while(|c| c.is_alphabetic()).collect();
    money_word(&word).or_else(|| money_word(&after))
}

fn money_word(word: &str) -> Option<MoneyUnit> {
    match word {
        "rs" | "inr" | "re" | "rupee" | "rupees" => Some(MoneyUnit::Rupee),
        "usd" | "us" | "dollar" | "dollars" => Some(MoneyUnit::Dollar),
        "eur" | "euro" | "euros" | "gbp" | "pounds" | "jpy" | "yen" | "cny" | "yuan" | "sgd" | "aud"
        | "cad" | "chf" | "aed" => Some(MoneyUnit::Other(word.to_owned())),
        _ => None,
    }
}

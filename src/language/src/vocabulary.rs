//! All words of sentences with their meanings, as declared in the files of `queries/language`, independent of the snapshot.
//!
//! Words such as `low` and `high` next to a field are not adjectives: each field declares their bounds.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use super::field::Field;
use super::filter::Filter;
use super::word::Word;
use parquote_catalogue::operation::Market;

/// Words of both markets. Choices within phrases are already expanded.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Grammar words with their phrases.
    pub(super) words: Vec<(Word, Vec<String>)>,
    /// Fields: numbers, then texts, then flags.
    pub(super) fields: Vec<Arc<Field>>,
    pub(super) families: Vec<Family>,
    pub(super) adjectives: Vec<Arc<Adjective>>,
    pub(super) superlatives: Vec<Arc<Superlative>>,
    pub(super) categories: Vec<CategoryNames>,
    pub(super) shared_last_words: Vec<SharedLastWord>,
    /// Words that may occur within any phrase, such as `its` in `near its 52-week high`.
    pub(super) passed_over: Vec<String>,
    /// Numbers written as words.
    pub(super) numbers: HashMap<String, f64>,
    /// Words after a number that multiply it, such as `crore`, each with its multiplier and true if it is an Indian word.
    pub(super) scales: HashMap<String, (f64, bool)>,
    /// Words next to a number that name its unit.
    pub(super) units: HashMap<String, CountedUnit>,
}

/// Phrases that state a condition.
#[derive(Debug, PartialEq)]
pub(super) struct Adjective {
    /// The only market with this meaning; `None` for both.
    pub(super) market: Option<Market>,
    pub(super) phrases: Vec<String>,
    /// Possible conditions. The first one whose fields the snapshot has applies.
    pub(super) meanings: Vec<Filter>,
    /// True if a number of days, weeks or months must follow, which becomes the upper bound of a range from 0.
    pub(super) takes_days: bool,
}

/// Phrases that request an order, such as `cheapest`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Superlative {
    pub(super) phrases: Vec<String>,
    /// End of the order that comes first.
    pub(super) end: End,
    /// Fields to sort by if the sentence names none. The first one that the snapshot has applies.
    pub(super) default_fields: Vec<String>,
    /// True if the caller gets a note on the assumed field.
    pub(super) is_vague: bool,
}

/// End of an order that a superlative requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// The largest figures.
    Largest,
    /// The smallest figures.
    Smallest,
    /// Figures on the good side of the field.
    Best,
    /// Figures on the bad side.
    Worst,
}

/// A figure that exists for several spans, such as a return over a month and over a year.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    /// Span that is used if a sentence names none.
    pub(super) usual: Word,
    /// Field over each span.
    pub(super) over: HashMap<Word, String>,
}

/// Common names of a sector, an industry, an exchange or an index.
#[derive(Debug)]
pub(super) struct CategoryNames {
    /// The only market with this meaning; `None` for both.
    pub(super) market: Option<Market>,
    pub(super) names: Vec<String>,
    /// Field of the official names: `sector`, `industry`, `exchange` or `indices`.
    pub(super) field: &'static str,
    /// Official name in lower case, or a part of official names.
    pub(super) official: String,
    /// True if `official` is a part of official names.
    pub(super) is_part: bool,
}

/// First words that can share a last word, as in `mid and small caps`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SharedLastWord {
    pub(super) firsts: Vec<String>,
    pub(super) lasts: Vec<String>,
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CountedUnit {
    /// Indian rupees.
    Rupees,
    /// US dollars.
    Dollars,
    /// Hundredths.
    Percent,
    /// Points of a rating or of a percentage.
    Points,
    /// Multiples.
    Times,
    /// Spans of time; a number of them is not a bound.
    Time,
}

impl Vocabulary {
    pub(super) fn fields_of(&self, market: Market) -> impl Iterator<Item = &Arc<Field>> {
        self.fields.iter().filter(move |field| is_in(field.market, market))
    }

    pub(super) fn field(&self, name: &str) -> Option<&Arc<Field>> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the market whose currency a word names.
    pub(super) fn currency(&self, word: &str) -> Option<Market> {
        match self.units.get(word)? {
            CountedUnit::Rupees => Some(Market::India),
            CountedUnit::Dollars => Some(Market::Us),
            CountedUnit::Percent | CountedUnit::Points | CountedUnit::Times | CountedUnit::Time => None,
        }
    }

    /// Returns the words next to a number whose typing errors are corrected.
    pub(super) fn unit_words(&self) -> impl Iterator<Item = &String> {
        const SHORTEST_WORD: usize = 4;
        let words = self.scales.keys().chain(self.units.keys());
        words.filter(|word| word.len() >= SHORTEST_WORD && !word.ends_with('s')).chain(self.numbers.keys())
    }
}

/// Returns true if an entry for `only` one market, or for both with `None`, applies to `market`.
pub(super) fn is_in(only: Option<Market>, market: Market) -> bool {
    only.is_none_or(|only| only == market)
}

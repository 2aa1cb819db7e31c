//! Every word that a sentence may have, with its meaning: what the files of `queries/language` declare, whatever a snapshot has.
//!
//! Words such as `low` and `high` beside a field are no adjectives: their bounds stand with the field.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use super::field::Field;
use super::filter::Filter;
use super::word::Word;
use parquote_catalogue::operation::Market;

/// The words of both markets. Their phrases have no choices within them any more.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// The roles of the grammar with their phrases.
    pub(super) words: Vec<(Word, Vec<String>)>,
    /// The fields: numbers, then texts, then flags.
    pub(super) fields: Vec<Arc<Field>>,
    pub(super) families: Vec<Family>,
    pub(super) adjectives: Vec<Arc<Adjective>>,
    pub(super) superlatives: Vec<Arc<Superlative>>,
    pub(super) places: Vec<PlaceName>,
    pub(super) rows: Vec<SharedLast>,
    /// Words that may stand within any phrase.
    pub(super) passed_over: Vec<String>,
    /// Numbers that are written as words.
    pub(super) numbers: HashMap<String, f64>,
    /// What a word behind a number multiplies it by, and whether it is Indian.
    pub(super) scales: HashMap<String, (f64, bool)>,
    /// What a word says that a number counts.
    pub(super) units: HashMap<String, CountedUnit>,
}

/// Phrases that state a condition.
#[derive(Debug, PartialEq)]
pub(super) struct Adjective {
    /// The only market where they mean this; `None` for both.
    pub(super) market: Option<Market>,
    /// The phrases.
    pub(super) phrases: Vec<String>,
    /// What they mean; the first whose fields the snapshot has.
    pub(super) means: Vec<Filter>,
}

/// Phrases that ask for an order, such as `cheapest`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Superlative {
    /// The phrases.
    pub(super) phrases: Vec<String>,
    /// Which end they ask for.
    pub(super) end: End,
    /// By which fields, the first that the snapshot has, if none is named beside them.
    pub(super) by: Vec<String>,
    /// Whether the caller is told by what the order is.
    pub(super) is_vague: bool,
}

/// Which end of an order a superlative asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// The largest figures.
    Largest,
    /// The smallest figures.
    Smallest,
    /// The figures on the good side of the field.
    Best,
    /// Those on the bad side.
    Worst,
}

/// The same figure over several spans.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    /// The span that a sentence without one means.
    pub(super) usual: Word,
    /// The field over each span.
    pub(super) over: HashMap<Word, String>,
}

/// Names that people have for a sector, an industry, an exchange or an index.
#[derive(Debug)]
pub(super) struct PlaceName {
    /// The only market where they mean this; `None` for both.
    pub(super) market: Option<Market>,
    /// The names.
    pub(super) names: Vec<String>,
    /// The field whose text they mean.
    pub(super) field: &'static str,
    /// The official name in small letters, or a part of official names.
    pub(super) official: String,
    /// Whether it is a part.
    pub(super) is_part: bool,
}

/// First words that share a last one: `mid and small caps`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SharedLast {
    pub(super) firsts: Vec<String>,
    pub(super) lasts: Vec<String>,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CountedUnit {
    /// Money in India.
    Rupees,
    /// Money in the US.
    Dollars,
    /// Hundredths.
    Percent,
    /// Multiples.
    Times,
    /// Spans of time; a number of them is no bound.
    Time,
}

impl Vocabulary {
    /// The fields of a market.
    pub(super) fn fields_of(&self, market: Market) -> impl Iterator<Item = &Arc<Field>> {
        self.fields.iter().filter(move |field| is_in(field.market, market))
    }

    /// The field of this name.
    pub(super) fn field(&self, name: &str) -> Option<&Arc<Field>> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The market whose currency a word names.
    pub(super) fn currency(&self, word: &str) -> Option<Market> {
        match self.units.get(word)? {
            CountedUnit::Rupees => Some(Market::India),
            CountedUnit::Dollars => Some(Market::Us),
            CountedUnit::Percent | CountedUnit::Times | CountedUnit::Time => None,
        }
    }

    /// Words beside a number in which typing errors are found as well.
    pub(super) fn unit_words(&self) -> impl Iterator<Item = &String> {
        const SHORTEST: usize = 4;
        let words = self.scales.keys().chain(self.units.keys());
        words.filter(|word| word.len() >= SHORTEST && !word.ends_with('s')).chain(self.numbers.keys())
    }
}

/// Whether what one market has, or both, is in a market.
pub(super) fn is_in(only: Option<Market>, market: Market) -> bool {
    only.is_none_or(|only| only == market)
}

//! The tables of a file of `queries/language` as written, and their conversion into fields.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value as Json;
use toml::Spanned;

use super::field::{Field, FieldKind, FieldUnit, FlagSource, GoodSide, TextValues};
use super::vocabulary::{CountedUnit, End, Family, SharedLastWord};
use super::word::Word;
use parquote_catalogue::operation::Market;

pub(super) type Phrases = Vec<Spanned<String>>;
pub(super) type Entries<K, T> = BTreeMap<Spanned<K>, T>;

/// A file of `queries/language`, one field for each kind of table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct VocabularyFile {
    pub(super) market: Option<Market>,
    pub(super) passed_over: Vec<String>,
    pub(super) words: Entries<Word, Phrases>,
    pub(super) numbers: HashMap<String, f64>,
    pub(super) scales: HashMap<String, f64>,
    pub(super) indian_scales: HashMap<String, f64>,
    pub(super) units: HashMap<CountedUnit, Vec<String>>,
    pub(super) row: Vec<SharedLastWord>,
    pub(super) number: Entries<String, NumberTable>,
    pub(super) text: Entries<String, TextTable>,
    pub(super) flag: Entries<String, FlagTable>,
    pub(super) family: Vec<Spanned<Family>>,
    pub(super) adjective: Vec<AdjectiveTable>,
    pub(super) superlatives: Vec<SuperlativeTable>,
    pub(super) sectors: Entries<String, Phrases>,
    pub(super) industries: Entries<String, Phrases>,
    pub(super) exchanges: Entries<String, Phrases>,
    pub(super) indices: Entries<String, Phrases>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NumberTable {
    label: String,
    market: Option<Market>,
    unit: FieldUnit,
    #[serde(default)]
    better: GoodSide,
    bounds: Option<[f64; 2]>,
    #[serde(default)]
    phrases: Phrases,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextTable {
    label: String,
    market: Option<Market>,
    texts: TextValues,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlagTable {
    label: String,
    market: Option<Market>,
    above: Option<(String, String)>,
    #[serde(default)]
    phrases: Phrases,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdjectiveTable {
    pub(super) market: Option<Market>,
    pub(super) phrases: Phrases,
    pub(super) means: Spanned<Vec<Spanned<Json>>>,
    #[serde(default)]
    pub(super) days: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SuperlativeTable {
    pub(super) phrases: Phrases,
    pub(super) end: End,
    #[serde(default)]
    pub(super) by: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) is_vague: bool,
}

/// A field with its phrases.
pub(super) struct WrittenField {
    pub(super) field: Field,
    pub(super) phrases: Phrases,
}

impl From<NumberTable> for WrittenField {
    fn from(NumberTable { label, market, unit, better, bounds, phrases }: NumberTable) -> Self {
        let [low, high] = bounds.map_or([None; 2], |bounds| bounds.map(Some));
        let field = unnamed_field(label, FieldKind::Number(unit), market);
        Self { field: Field { better, low, high, ..field }, phrases }
    }
}

impl From<TextTable> for WrittenField {
    fn from(TextTable { label, market, texts }: TextTable) -> Self {
        Self { field: unnamed_field(label, FieldKind::Text(texts), market), phrases: Vec::new() }
    }
}

impl From<FlagTable> for WrittenField {
    fn from(FlagTable { label, market, above, phrases }: FlagTable) -> Self {
        let reads = above.map_or(FlagSource::Column, |(upper, lower)| FlagSource::Above(upper, lower));
        Self { field: unnamed_field(label, FieldKind::Flag(reads), market), phrases }
    }
}

/// Builds a field whose name is still empty.
fn unnamed_field(label: String, kind: FieldKind, market: Option<Market>) -> Field {
    let (name, better, phrases) = (String::new(), GoodSide::Neither, Vec::new());
    Field { name, label, kind, market, better, low: None, high: None, phrases }
}

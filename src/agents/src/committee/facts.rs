//! The figures of a symbol that the gates of a lens test.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use parquote_catalogue::operation::Market;

/// The value of a figure; null if it is unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum FactValue {
    /// Not known.
    #[default]
    Null,
    /// A number.
    Number(f64),
    /// A word, such as `safe`.
    Text(String),
}

/// The figures of a symbol, by field: those of the operations, and `sector_median_pe`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StockFacts {
    /// The symbol.
    pub symbol: String,
    /// The figures.
    pub fields: BTreeMap<String, FactValue>,
}

/// Gives the figures of symbols that [`LENSES`](super::LENSES) name, from the snapshot of a run.
#[async_trait]
pub trait FactSource: Send + Sync {
    /// The figures of a symbol in the snapshot of this id.
    ///
    /// # Errors
    /// Words for the caller, such as that there is no such symbol.
    async fn facts(&self, snapshot: &str, symbol: &str, market: Market) -> Result<StockFacts, String>;
}

impl FactValue {
    /// The figure as JSON; null where it is not known or not finite.
    pub fn json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Number(number) => Json::from(*number),
            Self::Text(text) => Json::from(text.as_str()),
        }
    }
}

impl StockFacts {
    /// A figure; null where there is none.
    pub fn get(&self, field: &str) -> FactValue {
        match self.fields.get(field) {
            Some(FactValue::Number(number)) if !number.is_finite() => FactValue::Null,
            Some(fact) => fact.clone(),
            None => FactValue::Null,
        }
    }

    /// All figures as an object, the symbol first.
    pub fn json(&self) -> Json {
        let mut object = Map::from_iter([("symbol".to_owned(), Json::from(self.symbol.as_str()))]);
        object.extend(self.fields.keys().map(|field| (field.clone(), self.get(field).json())));
        Json::Object(object)
    }
}

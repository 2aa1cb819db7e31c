//! Figures of a symbol that the gates test.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use parquote_catalogue::operation::Market;

/// Value of a figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum FactValue {
    /// An unknown figure.
    #[default]
    Null,
    /// A number.
    Number(f64),
    /// A word such as `safe`.
    Text(String),
}

/// Figures of a symbol: fields of operations, and `sector_median_pe`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StockFacts {
    /// The symbol.
    pub symbol: String,
    /// The figures, by field.
    pub fields: BTreeMap<String, FactValue>,
}

/// Source of the figures that [`LENSES`](super::LENSES) need, from the snapshot of a run.
#[async_trait]
pub trait FactSource: Send + Sync {
    /// Returns the figures of a symbol in a snapshot.
    ///
    /// # Errors
    /// A message for the caller, for example for an unknown symbol.
    async fn facts(&self, snapshot: &str, symbol: &str, market: Market) -> Result<StockFacts, String>;
}

impl FactValue {
    /// Returns the figure as JSON; null if it is unknown or not finite.
    pub fn json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Number(number) => Json::from(*number),
            Self::Text(text) => Json::from(text.as_str()),
        }
    }
}

impl StockFacts {
    /// Returns a figure; `Null` if it is missing or not finite.
    pub fn get(&self, field: &str) -> FactValue {
        match self.fields.get(field) {
            Some(FactValue::Number(number)) if !number.is_finite() => FactValue::Null,
            Some(fact) => fact.clone(),
            None => FactValue::Null,
        }
    }

    /// Returns all figures as an object, with the symbol first.
    pub fn json(&self) -> Json {
        let mut object = Map::from_iter([("symbol".to_owned(), Json::from(self.symbol.as_str()))]);
        object.extend(self.fields.keys().map(|field| (field.clone(), self.get(field).json())));
        Json::Object(object)
    }
}

//! A gate: one figure against a threshold.

use serde::Serialize;
use serde_json::Value as Json;

use super::facts::{FactValue, StockFacts};

/// One figure against a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LensGate {
    /// What it asks, in a word.
    pub name: &'static str,
    /// The figure.
    pub field: &'static str,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub threshold: Threshold,
    /// The figure with the number of rows that the market has of its table, where that may be none: then the gate is not counted.
    pub on_file: Option<&'static str>,
}

/// How a figure is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Op {
    /// At least.
    #[serde(rename = ">=")]
    AtLeast,
    /// At most.
    #[serde(rename = "<=")]
    AtMost,
    /// The same.
    #[serde(rename = "=")]
    Is,
}

/// With what a figure is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
    /// Another figure of the symbol, such as the median of its sector.
    Field(&'static str),
}

/// A gate on a symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateResult {
    /// The gate.
    pub name: String,
    /// The figure; null where it is not known.
    pub value: Json,
    /// What it is compared with; null where that is not known.
    pub threshold: Json,
    /// How.
    pub op: Op,
    /// Whether it passes; what is not known does not.
    pub pass: bool,
}

impl LensGate {
    /// Whether it is counted: the market has rows of its table.
    pub(super) fn is_counted(&self, facts: &StockFacts) -> bool {
        self.on_file.is_none_or(|rows| facts.get(rows) != FactValue::Number(0.0))
    }

    /// The gate on a symbol. A figure that is not known does not pass, nor does one whose threshold is not known.
    pub fn evaluate(&self, facts: &StockFacts) -> GateResult {
        let value = facts.get(self.field);
        let threshold = self.threshold.fact(facts);
        let pass = match (&value, &threshold) {
            (FactValue::Number(value), FactValue::Number(threshold)) => match self.op {
                Op::AtLeast => value >= threshold,
                Op::AtMost => value <= threshold,
                Op::Is => (value - threshold).abs() < f64::EPSILON,
            },
            (FactValue::Text(value), FactValue::Text(threshold)) => self.op == Op::Is && value == threshold,
            _ => false,
        };
        GateResult {
            name: self.name.to_owned(),
            value: value.json(),
            threshold: threshold.json(),
            op: self.op,
            pass,
        }
    }
}

impl GateResult {
    /// Whether figure and threshold are known.
    pub(super) fn is_known(&self) -> bool {
        !self.value.is_null() && !self.threshold.is_null()
    }
}

impl Threshold {
    fn fact(self, facts: &StockFacts) -> FactValue {
        match self {
            Self::Number(number) => FactValue::Number(number),
            Self::Word(word) => FactValue::Text(word.to_owned()),
            Self::Field(field) => facts.get(field),
        }
    }
}

//! A gate: the comparison of a figure with a threshold.

use serde::Serialize;
use serde_json::Value as Json;

use super::facts::{FactValue, StockFacts};

/// A comparison of a figure with a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LensGate {
    /// Short name of the condition.
    pub name: &'static str,
    /// Field of the figure.
    pub field: &'static str,
    /// Comparison operator.
    pub op: GateOperator,
    /// Threshold.
    pub threshold: Threshold,
    /// Field with the number of rows of the gate's table in the market: while it is 0, the gate is not counted. `None` for a gate that
    /// always counts.
    pub row_count_field: Option<&'static str>,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum GateOperator {
    /// The figure is at least the threshold.
    #[serde(rename = ">=")]
    AtLeast,
    /// The figure is at most the threshold.
    #[serde(rename = "<=")]
    AtMost,
    /// The figure equals the threshold.
    #[serde(rename = "=")]
    Is,
}

/// The threshold of a gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
    /// Another figure of the symbol, such as its sector's median.
    Field(&'static str),
}

/// The result of a gate for a symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateResult {
    /// Name of the gate.
    pub name: String,
    /// The figure; null if unknown.
    pub value: Json,
    /// The threshold; null if unknown.
    pub threshold: Json,
    /// Comparison operator.
    pub op: GateOperator,
    /// True if the figure passes; an unknown figure or threshold does not.
    pub pass: bool,
}

impl LensGate {
    /// Returns true if the gate is counted: the market has rows of its table.
    pub(super) fn is_counted(&self, facts: &StockFacts) -> bool {
        self.row_count_field.is_none_or(|rows| facts.get(rows) != FactValue::Number(0.0))
    }

    /// Evaluates the gate for a symbol. An unknown figure or threshold does not pass.
    pub fn evaluate(&self, facts: &StockFacts) -> GateResult {
        let value = facts.get(self.field);
        let threshold = self.threshold.fact(facts);
        let pass = match (&value, &threshold) {
            (FactValue::Number(value), FactValue::Number(threshold)) => match self.op {
                GateOperator::AtLeast => value >= threshold,
                GateOperator::AtMost => value <= threshold,
                GateOperator::Is => (value - threshold).abs() < f64::EPSILON,
            },
            (FactValue::Text(value), FactValue::Text(threshold)) => {
                self.op == GateOperator::Is && value == threshold
            }
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
    /// Returns true if figure and threshold are known.
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

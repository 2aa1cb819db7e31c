//! A gate: one figure against a threshold.

use serde::Serialize;

use super::facts::{Fact, Facts};
use super::fast_scan::GateResult;

/// One figure against a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// What it asks, in a word.
    pub name: &'static str,
    /// The figure.
    pub field: &'static str,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub threshold: Threshold,
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

impl Gate {
    /// The gate on a symbol. A figure that is not known does not pass, nor does one whose threshold is not known.
    pub fn evaluate(&self, facts: &Facts) -> GateResult {
        let value = facts.get(self.field);
        let threshold = self.threshold.fact(facts);
        let pass = match (&value, &threshold) {
            (Fact::Number(value), Fact::Number(threshold)) => match self.op {
                Op::AtLeast => value >= threshold,
                Op::AtMost => value <= threshold,
                Op::Is => (value - threshold).abs() < f64::EPSILON,
            },
            (Fact::Text(value), Fact::Text(threshold)) => self.op == Op::Is && value == threshold,
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

impl Threshold {
    fn fact(self, facts: &Facts) -> Fact {
        match self {
            Self::Number(number) => Fact::Number(number),
            Self::Word(word) => Fact::Text(word.to_owned()),
            Self::Field(field) => facts.get(field),
        }
    }
}

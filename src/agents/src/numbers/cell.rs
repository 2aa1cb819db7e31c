//! One figure that a run saw: where it came from, its value, and how it may be written.

use serde_json::Value as Json;

/// A figure that a run saw.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenFigure {
    /// The tool that gave it.
    pub operation: String,
    /// The symbol that it is of, where the answer or the call says so.
    pub symbol: Option<String>,
    /// The field that holds it.
    pub field: String,
    /// The value as the tool gave it.
    pub value: Json,
    /// The number in it; none where the value is a text.
    pub number: Option<f64>,
    /// What the number counts.
    pub kind: FigureKind,
}

/// The kind of a number, which decides the units in which it may be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FigureKind {
    /// Money in units of so many rupees or dollars, such as `market_cap_cr`.
    Money(f64),
    /// Percent, such as `opm_pct`.
    Percent,
    /// Anything else: a price, a ratio, a count, money in units that the field does not name.
    Other,
}

impl FigureKind {
    /// What the numbers of a field count, by the unit at its end.
    pub fn of_field(field: &str) -> Self {
        let unit = field.rsplit('_').next().unwrap_or_default();
        match unit {
            "cr" | "crore" => Self::Money(1e7),
            "lakh" => Self::Money(1e5),
            "b" | "bn" => Self::Money(1e9),
            "m" | "mn" | "musd" => Self::Money(1e6),
            "pct" => Self::Percent,
            _ => Self::Other,
        }
    }
}

//! A figure that a run saw: its origin, its value, and the units in which it may be written.

use serde_json::Value as Json;

/// A figure that a run saw.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenFigure {
    /// Name of the tool that returned the figure.
    pub operation: String,
    /// Symbol in capitals; `None` if neither the answer nor the call names one.
    pub symbol: Option<String>,
    /// Name of the field in the answer.
    pub field: String,
    /// Value as returned by the tool; null for a number within a text.
    pub value: Json,
    /// The figure as a number, in the unit of the field; `None` for a text.
    pub number: Option<f64>,
    /// Kind of the number; `Other` for a text.
    pub kind: FigureKind,
}

/// Kind of a number, which decides the units in which it may be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FigureKind {
    /// Money in units of so many rupees or dollars: 1e7 for `market_cap_cr`.
    Money(f64),
    /// Percent, such as `opm_pct`.
    Percent,
    /// Any other figure: a price, a ratio, a count, or an amount whose field does not name the unit.
    Other,
}

impl FigureKind {
    /// Returns the kind of a field's numbers, by the unit suffix of its name.
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

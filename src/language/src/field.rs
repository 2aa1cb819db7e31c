//! Figures, texts and flags by which stocks are screened. The fields themselves are declared in `queries/language`.

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// A figure, text or flag of a stock.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Name of its column, or a name of its own if it is computed from two columns.
    pub name: String,
    /// Name in text for readers, such as `price to earnings`.
    pub label: String,
    /// Type of its values.
    pub kind: FieldKind,
    /// The only market that has it; `None` if both have it.
    pub market: Option<Market>,
    /// Side that counts as good, for numbers without a comparison and for orders such as `best`.
    pub better: GoodSide,
    /// Upper bound that the word `low` means, in the field's unit; `None` if the word means nothing for the field.
    pub low: Option<f64>,
    /// Lower bound that the word `high` means, in the field's unit; `None` if the word means nothing for the field.
    pub high: Option<f64>,
    /// Phrases that mean the field.
    pub phrases: Vec<String>,
}

/// Type of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number(FieldUnit),
    /// A text from a known list.
    Text(TextValues),
    /// True or false.
    Flag(FlagSource),
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldUnit {
    /// Percent: 15 is 15 %.
    Percent,
    /// A quotient without a unit, such as 1.5.
    Ratio,
    /// Crores (10^7) of rupees.
    Crore,
    /// Billions (10^9) of dollars.
    BillionUsd,
    /// A share price in the market's currency.
    Price,
    /// A rating, score, stage or count: a bare number.
    Points,
    /// A number of shares.
    Shares,
}

/// Allowed texts of a text field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextValues {
    /// The snapshot's sectors.
    Sectors,
    /// The snapshot's industries.
    Industries,
    /// The snapshot's indices. A cell has the names of all indices with the stock as a member, separated by [`BETWEEN_NAMES`].
    Indices,
    /// A fixed list.
    Words(Vec<String>),
}

/// Source of a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagSource {
    /// A boolean column with the field's name.
    Column,
    /// True if the first column is above the second.
    Above(String, String),
}

/// Good side of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoodSide {
    /// More is better.
    #[default]
    Higher,
    /// Less is better.
    Lower,
    /// No side is better: the number is a label, such as a stage.
    Neither,
}

/// Separator of the names in a cell of [`TextValues::Indices`].
pub const BETWEEN_NAMES: &str = ", ";

/// Column of the last price.
pub(super) const PRICE: &str = "price_cmp";

impl Field {
    /// Returns the names of the columns that its value is computed from, one or two.
    pub fn columns(&self) -> Vec<&str> {
        match &self.kind {
            FieldKind::Flag(FlagSource::Above(upper, lower)) => vec![upper, lower],
            FieldKind::Number(_) | FieldKind::Text(_) | FieldKind::Flag(FlagSource::Column) => {
                vec![&self.name]
            }
        }
    }

    pub(super) const fn is_number(&self) -> bool {
        matches!(self.kind, FieldKind::Number(_))
    }

    /// Returns true if it is the flag that the price is above an average.
    pub(super) fn is_average(&self) -> bool {
        matches!(&self.kind, FieldKind::Flag(FlagSource::Above(upper, _)) if upper == PRICE)
    }

    /// Returns its type in one word.
    pub(super) const fn kind_word(&self) -> &'static str {
        match self.kind {
            FieldKind::Number(_) => "number",
            FieldKind::Text(_) => "text",
            FieldKind::Flag(_) => "flag",
        }
    }
}

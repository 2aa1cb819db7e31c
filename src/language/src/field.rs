//! A figure, text or flag that stocks can be screened by. Nothing here names one: they are declared under `queries/language`.

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// A figure, text or flag of a stock.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its column, or a name of its own where it is read from two columns.
    pub name: String,
    /// Its name in a sentence.
    pub label: String,
    /// What it holds.
    pub kind: FieldKind,
    /// The only market that has it; `None` for both.
    pub market: Option<Market>,
    /// Which way is better, for limits and orders that do not say it.
    pub better: Better,
    /// What `low` means at most.
    pub low: Option<f64>,
    /// What `high` means at least.
    pub high: Option<f64>,
    /// Phrases that mean it.
    pub phrases: Vec<String>,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number(FieldUnit),
    /// One of some known texts.
    Text(TextValues),
    /// Yes or no.
    Flag(Reads),
}

/// What a number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldUnit {
    /// Percent: 15 is 15 %.
    Percent,
    /// A quotient without a unit.
    Ratio,
    /// Ten million rupees.
    Crore,
    /// Thousand million dollars.
    BillionUsd,
    /// A share price in the market's currency.
    Price,
    /// A rating, score, stage or count: a bare number.
    Points,
    /// A number of shares.
    Shares,
}

/// The texts that a text field may have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextValues {
    /// The snapshot's sectors.
    Sectors,
    /// The snapshot's industries.
    Industries,
    /// The snapshot's indices; a cell names all of which the stock is a member.
    Indices,
    /// These.
    Words(Vec<String>),
}

/// From where a flag is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reads {
    /// A column of its own.
    Column,
    /// The first column is above the second.
    Above(String, String),
}

/// Which way of a number is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    #[default]
    Higher,
    /// Less is better.
    Lower,
    /// It names something, such as a stage.
    Neither,
}

/// What stands between the names in a cell of [`TextValues::Indices`].
pub const BETWEEN_NAMES: &str = ", ";

/// The column that prices are read from.
pub(super) const PRICE: &str = "price_cmp";

impl Field {
    /// The columns that it is read from.
    pub fn columns(&self) -> Vec<&str> {
        match &self.kind {
            FieldKind::Flag(Reads::Above(upper, lower)) => vec![upper, lower],
            FieldKind::Number(_) | FieldKind::Text(_) | FieldKind::Flag(Reads::Column) => vec![&self.name],
        }
    }

    /// Whether it is a number.
    pub(super) const fn is_number(&self) -> bool {
        matches!(self.kind, FieldKind::Number(_))
    }

    /// Whether it says that the price is above an average.
    pub(super) fn is_average(&self) -> bool {
        matches!(&self.kind, FieldKind::Flag(Reads::Above(upper, _)) if upper == PRICE)
    }

    /// What it is, in a word.
    pub(super) const fn kind_word(&self) -> &'static str {
        match self.kind {
            FieldKind::Number(_) => "number",
            FieldKind::Text(_) => "text",
            FieldKind::Flag(_) => "flag",
        }
    }
}

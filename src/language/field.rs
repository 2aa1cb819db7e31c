//! The declaration of a figure, text or flag that stocks can be screened by. Nothing here names one.

use crate::operation::Market;

/// A figure, text or flag of a stock.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its column, or a name of its own where it is read from two columns.
    pub name: &'static str,
    /// Its name in a sentence.
    pub label: &'static str,
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
    pub synonyms: &'static [&'static str],
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number(FieldUnit),
    /// One of some known texts.
    Text(TextValues),
    /// Yes or no.
    Flag(Reads),
}

/// What a number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextValues {
    /// The snapshot's sectors.
    Sectors,
    /// The snapshot's industries.
    Industries,
    /// The snapshot's indices; a cell names all of which the stock is a member.
    Indices,
    /// These.
    Words(&'static [&'static str]),
}

/// From where a flag is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// A column of its own.
    Column,
    /// The price is above this column, an average.
    PriceAbove(&'static str),
    /// The first column is above the second.
    Above(&'static str, &'static str),
}

/// Which way of a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better.
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
    pub fn columns(&self) -> Vec<&'static str> {
        match self.kind {
            FieldKind::Flag(Reads::PriceAbove(average)) => vec![PRICE, average],
            FieldKind::Flag(Reads::Above(upper, lower)) => vec![upper, lower],
            FieldKind::Number(_) | FieldKind::Text(_) | FieldKind::Flag(Reads::Column) => vec![self.name],
        }
    }
}

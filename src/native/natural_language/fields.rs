//! What a market's stocks can be screened by: the declaration of a figure, and the figures that a snapshot has.
//!
//! The list itself is `field_list`; nothing here names a figure.

use super::field_list::FIELDS;
use crate::operation::Market;

/// A figure, text or flag of a stock.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its column, or a name of its own where it is read from two columns.
    pub name: &'static str,
    /// Its name in a sentence.
    pub label: &'static str,
    /// What it holds.
    pub kind: Kind,
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
pub enum Kind {
    /// A number.
    Number(Unit),
    /// One of some known texts.
    Text(Values),
    /// Yes or no.
    Flag(Reads),
}

/// What a number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
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
pub enum Values {
    /// The snapshot's sectors.
    Sectors,
    /// The snapshot's industries.
    Industries,
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

/// What the snapshot has: its columns, and the texts of those that have a known list.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The columns of the screened table.
    pub columns: &'a [&'a str],
    /// The sectors.
    pub sectors: &'a [String],
    /// The industries; empty where the market has no list.
    pub industries: &'a [String],
}

/// The fields of one market in one snapshot.
#[derive(Debug, Clone)]
pub struct Fields {
    market: Market,
    present: Vec<&'static Field>,
    sectors: Vec<String>,
    industries: Vec<String>,
}

/// The column that prices are read from.
pub(super) const PRICE: &str = "price_cmp";

impl Fields {
    /// The fields of a market for which the snapshot has the columns.
    pub fn new(market: Market, known: Known<'_>) -> Self {
        let present = of_market(market)
            .filter(|field| field.columns().iter().all(|column| known.columns.contains(column)))
            .collect();
        Self { market, present, sectors: known.sectors.to_vec(), industries: known.industries.to_vec() }
    }

    /// The market.
    pub const fn market(&self) -> Market {
        self.market
    }

    /// The fields, in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = &'static Field> + '_ {
        self.present.iter().copied()
    }

    /// The field of this name.
    pub fn find(&self, name: &str) -> Option<&'static Field> {
        self.iter().find(|field| field.name == name)
    }

    /// The texts that a text field may have; none for other fields.
    pub fn texts(&self, field: &Field) -> Vec<&str> {
        match field.kind {
            Kind::Text(Values::Sectors) => self.sectors.iter().map(String::as_str).collect(),
            Kind::Text(Values::Industries) => self.industries.iter().map(String::as_str).collect(),
            Kind::Text(Values::Words(words)) => words.to_vec(),
            Kind::Number(_) | Kind::Flag(_) => Vec::new(),
        }
    }

    /// The field that holds the market capitalisation.
    pub(super) const fn market_cap(&self) -> &'static str {
        match self.market {
            Market::India => "market_cap_cr",
            Market::Us => "market_cap_b",
        }
    }
}

impl Field {
    /// The columns that it is read from.
    pub fn columns(&self) -> Vec<&'static str> {
        match self.kind {
            Kind::Flag(Reads::PriceAbove(average)) => vec![PRICE, average],
            Kind::Flag(Reads::Above(upper, lower)) => vec![upper, lower],
            Kind::Number(_) | Kind::Text(_) | Kind::Flag(Reads::Column) => vec![self.name],
        }
    }
}

/// Every declared field of a market, whatever a snapshot has.
pub(super) fn of_market(market: Market) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.market.is_none_or(|only| only == market))
}

/// The declared field of this name.
pub(super) fn declared(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

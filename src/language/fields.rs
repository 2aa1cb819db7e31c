//! What a market's stocks can be screened by: the declared figures that a snapshot has. All are in `field_list` and `field_flags`.

use super::field::{Field, FieldKind, TextValues};
use super::field_flags::FLAGS;
use super::field_list::FIELDS;
use crate::operation::Market;

/// What the snapshot has: its columns, and the texts of those that have a known list.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotWords<'a> {
    /// The columns of the screened table.
    pub columns: &'a [&'a str],
    /// The sectors.
    pub sectors: &'a [String],
    /// The industries; empty where the market has no list.
    pub industries: &'a [String],
    /// The indices of which there is a member list.
    pub indices: &'a [String],
}

/// The fields of one market in one snapshot.
#[derive(Debug, Clone)]
pub struct Fields {
    market: Market,
    present: Vec<&'static Field>,
    sectors: Vec<String>,
    industries: Vec<String>,
    indices: Vec<String>,
}

impl Fields {
    /// The fields of a market for which the snapshot has the columns.
    pub fn new(market: Market, known: SnapshotWords<'_>) -> Self {
        let present = of_market(market)
            .filter(|field| field.columns().iter().all(|column| known.columns.contains(column)))
            .collect();
        Self {
            market,
            present,
            sectors: known.sectors.to_vec(),
            industries: known.industries.to_vec(),
            indices: known.indices.to_vec(),
        }
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

    /// The names of what stocks can be screened by: labels of fields, sectors and industries.
    pub fn names(&self) -> impl Iterator<Item = &str> + '_ {
        let texts = self.sectors.iter().chain(&self.industries).map(String::as_str);
        self.iter().map(|field| field.label).chain(texts)
    }

    /// The sectors of a snapshot that has no industries.
    pub fn sectors_alone(&self) -> Option<&[String]> {
        (self.industries.is_empty() && !self.sectors.is_empty()).then_some(&*self.sectors)
    }

    /// The texts that a text field may have; none for other fields.
    pub fn texts(&self, field: &Field) -> Vec<&str> {
        match field.kind {
            FieldKind::Text(TextValues::Sectors) => self.sectors.iter().map(String::as_str).collect(),
            FieldKind::Text(TextValues::Industries) => self.industries.iter().map(String::as_str).collect(),
            FieldKind::Text(TextValues::Indices) => self.indices.iter().map(String::as_str).collect(),
            FieldKind::Text(TextValues::Words(words)) => words.to_vec(),
            FieldKind::Number(_) | FieldKind::Flag(_) => Vec::new(),
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

/// Every declared field of a market, whatever a snapshot has.
pub(super) fn of_market(market: Market) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().chain(FLAGS).filter(move |field| field.market.is_none_or(|only| only == market))
}

/// The declared field of this name.
pub(super) fn declared(name: &str) -> Option<&'static Field> {
    FIELDS.iter().chain(FLAGS).find(|field| field.name == name)
}

//! Fields by which a market's stocks can be screened: the figures of the vocabulary that a snapshot has.

use std::sync::Arc;

use super::field::{Field, FieldKind, TextValues};
use super::vocabulary::Vocabulary;
use parquote_catalogue::operation::Market;

/// The parts of a snapshot that a sentence can refer to: its columns, and its lists of names.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotWords<'a> {
    /// Names of the columns of the screened table.
    pub columns: &'a [&'a str],
    /// Names of the sectors.
    pub sectors: &'a [String],
    /// Names of the industries; empty if the market has no list.
    pub industries: &'a [String],
    /// Names of the indices with a list of members.
    pub indices: &'a [String],
}

/// Fields of one market in one snapshot.
#[derive(Debug, Clone)]
pub struct Fields {
    market: Market,
    vocabulary: Arc<Vocabulary>,
    present: Vec<Arc<Field>>,
    sectors: Vec<String>,
    industries: Vec<String>,
    indices: Vec<String>,
}

impl Fields {
    /// Selects the fields of a market for which the snapshot has the columns.
    pub fn new(market: Market, vocabulary: Arc<Vocabulary>, snapshot: SnapshotWords<'_>) -> Self {
        let present = vocabulary
            .fields_of(market)
            .filter(|field| field.columns().iter().all(|column| snapshot.columns.contains(column)))
            .cloned()
            .collect();
        Self {
            market,
            vocabulary,
            present,
            sectors: snapshot.sectors.to_vec(),
            industries: snapshot.industries.to_vec(),
            indices: snapshot.indices.to_vec(),
        }
    }

    /// Returns the market of the fields.
    pub const fn market(&self) -> Market {
        self.market
    }

    /// Returns all words, independent of the snapshot.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the fields in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Field> {
        self.present.iter().map(Arc::as_ref)
    }

    /// Returns the field of this name; `None` if the snapshot lacks it.
    pub fn find(&self, name: &str) -> Option<&Field> {
        self.iter().find(|field| field.name == name)
    }

    /// Returns the declared field of this name, even if the snapshot lacks it.
    pub(super) fn declared_field(&self, name: &str) -> Option<&Field> {
        self.vocabulary.field(name).map(Arc::as_ref)
    }

    /// Returns the names that a sentence can use: labels of fields, sectors and industries.
    pub fn names(&self) -> impl Iterator<Item = &str> + '_ {
        let texts = self.sectors.iter().chain(&self.industries).map(String::as_str);
        self.iter().map(|field| field.label.as_str()).chain(texts)
    }

    /// Returns the sectors if the snapshot has sectors and no industries.
    pub fn sectors_alone(&self) -> Option<&[String]> {
        (self.industries.is_empty() && !self.sectors.is_empty()).then_some(&*self.sectors)
    }

    /// Returns the allowed texts of a text field; none for other fields.
    pub fn texts<'a>(&'a self, field: &'a Field) -> &'a [String] {
        match &field.kind {
            FieldKind::Text(TextValues::Sectors) => &self.sectors,
            FieldKind::Text(TextValues::Industries) => &self.industries,
            FieldKind::Text(TextValues::Indices) => &self.indices,
            FieldKind::Text(TextValues::Words(words)) => words,
            FieldKind::Number(_) | FieldKind::Flag(_) => &[],
        }
    }

    /// Returns the name of the field with the market capitalisation.
    pub const fn market_cap(&self) -> &'static str {
        match self.market {
            Market::India => "market_cap_cr",
            Market::Us => "market_cap_b",
        }
    }
}

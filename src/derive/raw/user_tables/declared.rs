//! Formats that need no code: a file of `queries/raw` says whose rows the files of a format are, and under which names its columns stand.
//!
//! A declared format is looked for last, so that it never takes a file from a format that is known. What a cell may be, its table
//! declares; a declaration only names and scales it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::derive::raw::text::cells::HeaderLine;
use crate::operation::{Market, embedded_files};

/// The folder of declarations below `queries`.
const FOLDER: &str = "raw/";

/// The declaration of a format.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredFormat {
    /// The markets that have such files.
    markets: Vec<MarketWord>,
    /// The table, of those that users supply.
    table: String,
    /// The column of the table whose date the path of a file says.
    dated_by_path: Option<String>,
    /// By column of the table: where it stands.
    columns: BTreeMap<String, DeclaredColumn>,
}

/// A market by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MarketWord {
    India,
    Us,
}

/// Where a column stands, and its unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredColumn {
    /// The names that headers give it, in any case.
    names: Vec<String>,
    /// What brings its numbers into the unit of the table.
    #[serde(default = "one")]
    times: f64,
    /// Whether a file without it is none of the format, even where the table could do without.
    #[serde(default)]
    needed: bool,
}

const fn one() -> f64 {
    1.0
}

impl DeclaredFormat {
    /// The formats that this program carries. A test reads each of them; one that cannot be read is none.
    pub fn embedded() -> Vec<Self> {
        let declared = embedded_files().iter().filter(|(path, _)| path.starts_with(FOLDER));
        declared.filter_map(|(_, text)| Self::parse(text).ok()).collect()
    }

    /// The declaration in a file.
    ///
    /// # Errors
    /// A text that is no declaration, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut format: Self = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        for name in format.columns.values_mut().flat_map(|column| &mut column.names) {
            *name = name.to_uppercase();
        }
        Ok(format)
    }

    pub(super) fn table(&self) -> &str {
        &self.table
    }

    pub(super) fn is_of(&self, market: Market) -> bool {
        self.markets.iter().any(|word| match word {
            MarketWord::India => market == Market::India,
            MarketWord::Us => market == Market::Us,
        })
    }

    pub(super) fn dated_by_path(&self) -> Option<&str> {
        self.dated_by_path.as_deref()
    }

    /// Whether a header has every column that the format needs.
    pub(super) fn has_all(&self, header: &HeaderLine) -> bool {
        self.columns
            .iter()
            .filter(|(_, column)| column.needed)
            .all(|(name, _)| self.place(name, header).is_some())
    }

    /// The place of a column of the table in files with this header.
    pub(super) fn place(&self, column: &str, header: &HeaderLine) -> Option<usize> {
        let names: Vec<&str> = self.columns.get(column)?.names.iter().map(String::as_str).collect();
        header.column(&names)
    }

    /// What the numbers of a column are multiplied by.
    pub(super) fn times(&self, column: &str) -> f64 {
        self.columns.get(column).map_or(1.0, |column| column.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_declaration_can_be_read() {
        for (path, text) in embedded_files().iter().filter(|(path, _)| path.starts_with(FOLDER)) {
            assert!(DeclaredFormat::parse(text).is_ok(), "{path}");
        }
    }

    #[test]
    fn what_is_no_declaration_is_told() {
        for (text, why) in [
            ("table = \"calls\"", "missing field"),
            ("markets = [\"mars\"]\ntable = \"calls\"\n[columns]\n", "unknown variant"),
            ("markets = []\ntable = \"calls\"\nlogic = 1\n[columns]\n", "unknown field"),
        ] {
            let error = DeclaredFormat::parse(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}

//! A promise of a table's declaration that its files do not keep.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::operation::{Market, Table};

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The market.
    pub market: Market,
    /// The table.
    pub table: String,
    /// The file, where one is to blame.
    pub file: Option<String>,
    /// The column, where one is to blame.
    pub column: Option<String>,
    /// What is wrong, and what is expected.
    pub message: String,
    /// How many rows are concerned, where rows are.
    pub rows: u64,
    /// The first of them, by their keys.
    pub offenders: Vec<String>,
}

impl Problem {
    /// A problem of a whole table.
    pub(super) fn new(table: &Table, market: Market, message: String) -> Self {
        Self {
            market,
            table: table.name.clone(),
            file: None,
            column: None,
            message,
            rows: 0,
            offenders: Vec::new(),
        }
    }

    /// That a file could not be read through.
    pub fn unread(market: Market, table: &str, path: &std::path::Path, message: String) -> Self {
        Self {
            market,
            table: table.to_owned(),
            file: Some(path.display().to_string()),
            column: None,
            message,
            rows: 0,
            offenders: Vec::new(),
        }
    }

    /// The same, of a file.
    #[must_use]
    pub(super) fn in_file(self, file: &str) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// The same, of a column.
    #[must_use]
    pub(super) fn of_column(self, column: &str) -> Self {
        Self { column: Some(column.to_owned()), ..self }
    }

    /// The same, of some rows.
    #[must_use]
    pub(super) fn of_rows(self, rows: u64, offenders: Vec<String>) -> Self {
        Self { rows, offenders, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}: {}", self.message),
            None => write!(f, "{}.{}: {}", self.market, self.table, self.message),
        }
    }
}

//! Facts from a snapshot that the document includes in addition to declarations.

use std::borrow::Cow;

use chrono::NaiveDate;

use crate::served_symbols::with_served_symbols;
use parquote_catalogue::operation::{Market, Operation};
use parquote_engine::{ResultColumn, Snapshot};

/// Facts about answers, and about values that calls may name.
pub trait DocumentFacts {
    /// Returns the columns of each SELECT of an operation.
    fn columns(&self, operation: &Operation) -> &[Vec<ResultColumn>];
    /// Returns the values of the first column of a small table; empty if the table is missing.
    fn values(&self, market: Market, table: &str) -> Vec<String>;
    /// Returns the first and the last session of a market; `None` if it has no data.
    fn sessions(&self, market: Market) -> Option<(NaiveDate, NaiveDate)>;
    /// Returns an operation with example symbols that calls may name.
    fn with_examples<'a>(&self, operation: &'a Operation) -> Cow<'a, Operation> {
        Cow::Borrowed(operation)
    }
}

impl DocumentFacts for Snapshot {
    fn columns(&self, operation: &Operation) -> &[Vec<ResultColumn>] {
        Self::columns(self, operation)
    }

    fn values(&self, market: Market, table: &str) -> Vec<String> {
        Self::values(self, market, table)
    }

    fn sessions(&self, market: Market) -> Option<(NaiveDate, NaiveDate)> {
        Some((self.first_session(market)?, self.as_of(market)?))
    }

    fn with_examples<'a>(&self, operation: &'a Operation) -> Cow<'a, Operation> {
        with_served_symbols(operation, self)
    }
}

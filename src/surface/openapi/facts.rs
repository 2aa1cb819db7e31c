//! What the document says beyond declarations: what a snapshot knows.

use chrono::NaiveDate;

use crate::engine::{ResultColumn, Snapshot};
use crate::operation::Market;

/// What a snapshot knows of answers and of values that calls may name.
pub trait Facts {
    /// The columns of each statement of the operation at a place in the catalogue.
    fn columns(&self, index: usize) -> &[Vec<ResultColumn>];
    /// The values of the leading column of a small table; empty where it is not there.
    fn values(&self, market: Market, table: &str) -> Vec<String>;
    /// The first and the last session of a market.
    fn sessions(&self, market: Market) -> Option<(NaiveDate, NaiveDate)>;
}

impl Facts for Snapshot {
    fn columns(&self, index: usize) -> &[Vec<ResultColumn>] {
        Self::columns(self, index)
    }

    fn values(&self, market: Market, table: &str) -> Vec<String> {
        Self::values(self, market, table)
    }

    fn sessions(&self, market: Market) -> Option<(NaiveDate, NaiveDate)> {
        Some((self.first_session(market)?, self.as_of(market)?))
    }
}

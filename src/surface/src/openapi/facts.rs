//! What the document says beyond declarations: what a snapshot knows.

use chrono::NaiveDate;

use parquote_catalogue::operation::{Market, Operation};
use parquote_engine::{ResultColumn, Snapshot};

/// What a snapshot knows of answers and of values that calls may name.
pub trait DocumentFacts {
    /// The columns of each SELECT of an operation.
    fn columns(&self, operation: &Operation) -> &[Vec<ResultColumn>];
    /// The values of the leading column of a small table; empty where it is not there.
    fn values(&self, market: Market, table: &str) -> Vec<String>;
    /// The first and the last session of a market.
    fn sessions(&self, market: Market) -> Option<(NaiveDate, NaiveDate)>;
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
}

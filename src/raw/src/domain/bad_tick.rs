//! A misprinted price of a bar with its replacement.

use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

/// An open, high or low that is out of line with the previous close and with the bar's own close.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BadTick {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// Name of the price: `open`, `high` or `low`.
    pub price: &'static str,
    /// The price in the file, unadjusted.
    pub found: f64,
    /// Its replacement: the nearer of open and close.
    pub taken: f64,
    /// File and line.
    pub at: String,
}

impl fmt::Display for BadTick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { symbol, date, price, found, taken, at } = self;
        write!(f, "{date} {symbol}  {price} {found}, taken as {taken}; at {at}")
    }
}

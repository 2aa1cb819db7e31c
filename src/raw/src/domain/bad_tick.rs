//! A price of a bar that is a misprint, and what is taken for it.

use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

/// An open, high or low that is out of line with the close before and with the bar's own close.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BadTick {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// Which price: `open`, `high` or `low`.
    pub price: &'static str,
    /// As the file has it, unadjusted.
    pub found: f64,
    /// What stands for it: the nearest of open and close.
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

//! A date on which the market traded.

use chrono::NaiveDate;

/// A date on which the market traded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// The date.
    pub date: NaiveDate,
    /// Common stocks with a bar.
    pub stocks: u32,
}

//! Sessions of an exchange that the files lack.

use std::fmt;

use chrono::NaiveDate;
use parquote_catalogue::digits::counted;
use serde::Serialize;

/// Sessions of the exchange that the files lack between two that they have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSessions {
    /// The missing days; all days between if the calendar does not know them.
    pub days: Vec<NaiveDate>,
    /// The next session in the files, whose changes are affected.
    pub before: NaiveDate,
    /// Stocks whose previous close in that session is unknown, or differs from the close of their last bar.
    pub stocks: u32,
}

impl MissingSessions {
    /// Returns the days, such as `2024-11-18, 2024-11-19`.
    pub fn days_in_words(&self) -> String {
        self.days.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MissingSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stocks = counted(self.stocks, "stock", "stocks");
        write!(f, "{}, before {}: {stocks}", self.days_in_words(), self.before)
    }
}

//! Sessions of an exchange that the files lack.

use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

/// Sessions of the exchange that the files lack between two that they have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSessions {
    /// The days; where the calendar does not know them, all between.
    pub days: Vec<NaiveDate>,
    /// The session on file after them, whose changes are concerned.
    pub before: NaiveDate,
    /// Stocks whose close before that session is not that of their last bar, or is not known.
    pub stocks: u32,
}

impl MissingSessions {
    /// The days, such as `2024-11-18, 2024-11-19`.
    pub fn days_in_words(&self) -> String {
        self.days.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MissingSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, before {}: {} stocks", self.days_in_words(), self.before, self.stocks)
    }
}

//! The number of a company's shares according to a file.

use chrono::{Days, NaiveDate};

/// Days after which the count on a cover is too old: annual filers file within them.
const COVER_DAYS: u64 = 400;

/// A number of shares, and the date from which it was known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountedShares {
    pub(crate) known_on: NaiveDate,
    /// The day whose shares are counted: splits after it change them.
    pub(crate) day: NaiveDate,
    pub(crate) shares: f64,
    /// True for the count on the cover of a filing, false for one in a list.
    pub(crate) is_from_cover: bool,
}

impl CountedShares {
    /// Builds the count in a list that is dated `day`.
    pub(crate) fn from_list(day: NaiveDate, shares: f64) -> Self {
        Self { known_on: day, day, shares, is_from_cover: false }
    }

    /// Returns the first day on which the count is too old to use.
    pub(crate) fn ends_on(&self) -> NaiveDate {
        let end =
            if self.is_from_cover { self.known_on.checked_add_days(Days::new(COVER_DAYS + 1)) } else { None };
        end.unwrap_or(NaiveDate::MAX)
    }
}

//! How many shares a company has, as a file says it.

use chrono::{Days, NaiveDate};

/// Days after which the count on a cover says nothing of now: those who file once a year file within them.
const COVER_DAYS: u64 = 400;

/// So many shares, and from when that was known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountedShares {
    pub(crate) known_on: NaiveDate,
    /// The day whose shares are counted: splits after it change them.
    pub(crate) day: NaiveDate,
    pub(crate) shares: f64,
    /// Whether the cover of a filing says it; else a list does.
    pub(crate) is_of_cover: bool,
}

impl CountedShares {
    /// What a list of this day says.
    pub(crate) fn of_list(day: NaiveDate, shares: f64) -> Self {
        Self { known_on: day, day, shares, is_of_cover: false }
    }

    /// The first day on which the count is too old to hold.
    pub(crate) fn ends_on(&self) -> NaiveDate {
        let end =
            if self.is_of_cover { self.known_on.checked_add_days(Days::new(COVER_DAYS + 1)) } else { None };
        end.unwrap_or(NaiveDate::MAX)
    }
}

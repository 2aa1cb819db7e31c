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

#[cfg(test)]
impl Session {
    /// Two sessions at the end of 2024 and the first of 2025, with one stock each.
    pub(crate) fn over_new_year() -> Vec<Self> {
        [(2024, 12, 30), (2024, 12, 31), (2025, 1, 1)]
            .into_iter()
            .map(|(y, m, d)| Self { date: NaiveDate::from_ymd_opt(y, m, d).unwrap(), stocks: 1 })
            .collect()
    }
}

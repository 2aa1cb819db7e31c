//! A member of an index, from the date of its list.

use chrono::NaiveDate;

/// A member of an index on a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The index, such as `NIFTY500`.
    pub index: String,
    /// The date from which the list holds.
    pub list_date: NaiveDate,
    /// Symbol of the member.
    pub symbol: String,
    /// The company's name on the list.
    pub name: Option<String>,
}

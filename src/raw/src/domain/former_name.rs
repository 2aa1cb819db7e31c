//! A former name of a company.

use chrono::NaiveDate;

/// A former name of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormerName {
    pub(crate) symbol: String,
    pub(crate) name: String,
    /// The first day under another name.
    pub(crate) until: NaiveDate,
}

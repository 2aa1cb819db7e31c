//! A name that a company had before.

use chrono::NaiveDate;

/// A company gave up a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormerName {
    /// The symbol of the company.
    pub(crate) symbol: String,
    /// The name.
    pub(crate) name: String,
    /// The first day under another name.
    pub(crate) until: NaiveDate,
}

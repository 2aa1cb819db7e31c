//! A former name of a company.

use chrono::NaiveDate;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FormerName {
    pub(crate) symbol: String,
    pub(crate) name: String,
    /// The first day under another name.
    pub(crate) until: NaiveDate,
}

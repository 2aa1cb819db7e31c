//! Holdings of funds that hold all members of an index, from Form N-PORT.

use chrono::NaiveDate;
use serde::Deserialize;

/// A fund's holding of a member of its index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FundHolding {
    /// The index, such as `SP500`.
    pub(crate) index: String,
    /// True if the fund is a unit trust, which holds nothing but the members.
    pub(crate) is_trust: bool,
    /// CIK of a trust, or series of another fund.
    pub(crate) fund: String,
    /// Minimum number of members of a list of the index.
    pub(crate) least_members: usize,
    /// The day of the holdings.
    pub(crate) report_date: NaiveDate,
    /// The day of the filing, if it is known.
    pub(crate) filed_on: Option<NaiveDate>,
    pub(crate) is_amendment: bool,
    /// The issuer, as the filing writes it.
    pub(crate) name: String,
    /// The security, as the filing writes it.
    pub(crate) title: Option<String>,
    pub(crate) cusip: Option<String>,
    pub(crate) ticker: Option<String>,
}

impl FundHolding {
    /// Returns the issuer and the CUSIP, for messages.
    pub(crate) fn security(&self) -> String {
        format!("{},{}", self.name, self.cusip.as_deref().unwrap_or_default())
    }
}

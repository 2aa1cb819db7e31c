//! Facts on companies in lists.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::sectors::words;
use parquote_catalogue::operation::Market;

/// Facts on a company in lists; a list has only some of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ListedCompany {
    pub(crate) symbol: String,
    pub(crate) name: Option<String>,
    pub(crate) sector: Option<String>,
    pub(crate) industry: Option<String>,
    pub(crate) isin: Option<String>,
    pub(crate) exchange: Option<String>,
    pub(crate) since: Option<NaiveDate>,
    /// In the market's currency.
    pub(crate) market_cap: Option<f64>,
    /// The price of the market cap, if the list has one.
    pub(crate) price: Option<f64>,
    /// The series, if the list has one.
    pub(crate) series: Option<String>,
    /// The CIK, if the list has one.
    pub(crate) cik: Option<u64>,
}

impl ListedCompany {
    /// Returns the company with its sector in the words of the market; another sector remains as it is.
    #[must_use]
    pub(crate) fn with_market_sector(mut self, market: Market) -> Self {
        let known = self.sector.as_deref();
        let known = known.and_then(|word| words::of_market(market, word, self.industry.as_deref()));
        self.sector = known.or(self.sector);
        self
    }
}

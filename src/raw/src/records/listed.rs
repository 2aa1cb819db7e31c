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
    /// The day of listing.
    pub(crate) since: Option<NaiveDate>,
    /// In the market's currency.
    pub(crate) market_cap: Option<f64>,
    /// The price from which the market cap is computed.
    pub(crate) price: Option<f64>,
    pub(crate) series: Option<String>,
    pub(crate) cik: Option<u64>,
}

impl ListedCompany {
    /// Replaces the sector with the market's name for it; an unknown sector remains as it is.
    #[must_use]
    pub(crate) fn with_market_sector(mut self, market: Market) -> Self {
        let sector = self.sector.as_deref();
        let sector = sector.and_then(|word| words::market_sector(market, word, self.industry.as_deref()));
        self.sector = sector.or(self.sector);
        self
    }
}

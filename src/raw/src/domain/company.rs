//! A stock's facts other than its bars.

use chrono::NaiveDate;

use crate::domain::sector_source::SectorSource;

/// A stock's facts from lists of companies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Company {
    /// The symbol.
    pub symbol: String,
    /// The company's name.
    pub name: Option<String>,
    /// The sector; in India the column `Industry` of the exchange's lists.
    pub sector: Option<String>,
    /// Origin of the sector; `None` without a sector.
    pub sector_source: Option<SectorSource>,
    /// The level below the sector.
    pub industry: Option<String>,
    /// The ISIN.
    pub isin: Option<String>,
    /// The exchange.
    pub exchange: Option<String>,
    /// The day of listing.
    pub listed_on: Option<NaiveDate>,
    /// Symbol of the company's main class of shares, if the market cap of this class is that of the whole company.
    pub cap_counted_in_symbol: Option<String>,
}

//! What is known of a stock beside its bars.

use chrono::NaiveDate;

use crate::domain::sector_source::SectorSource;

/// What lists say of a stock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Company {
    /// The symbol.
    pub symbol: String,
    /// The company's name.
    pub name: Option<String>,
    /// India: the `Industry` of the lists.
    pub sector: Option<String>,
    /// Where the sector is from; none where there is none.
    pub sector_source: Option<SectorSource>,
    /// The level below the sector.
    pub industry: Option<String>,
    /// The ISIN.
    pub isin: Option<String>,
    /// The exchange.
    pub exchange: Option<String>,
    /// The day of listing.
    pub listed_on: Option<NaiveDate>,
    /// The main class of shares of the company, where the market cap of this class is that of the whole company.
    pub cap_counted_in: Option<String>,
}

//! Facts on companies in lists.

use chrono::NaiveDate;

use crate::declared::plain_row::PlainCell;
use crate::domain::reason::Reason;

/// Facts on a company in lists; a list has only some of them.
#[derive(Debug, Clone, Default, PartialEq)]
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

/// Reads a symbol as lists write it, perhaps after the exchange.
pub(crate) fn listed_symbol(cell: PlainCell<'_>) -> Result<String, Reason> {
    let symbol = cell.symbol()?;
    Ok(symbol.strip_prefix("NSE:").map(str::to_owned).unwrap_or(symbol))
}

/// Returns true if a series is one of common stock.
pub(crate) fn is_common_series(series: &str) -> bool {
    matches!(series, "EQ" | "BE" | "BZ")
}

//! What lists say of companies.

use chrono::NaiveDate;

use crate::declared::plain_row::PlainCell;
use crate::domain::reason::Reason;

/// What lists say of a company; a list has only some of it.
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
    /// The price that belongs to the market cap, where the list has one.
    pub(crate) price: Option<f64>,
    /// The series, where the list has one.
    pub(crate) series: Option<String>,
    /// The company's number with the SEC, where the list has one.
    pub(crate) cik: Option<u64>,
}

/// A symbol as lists write it, which may name the exchange before it.
pub(crate) fn listed_symbol(cell: PlainCell<'_>) -> Result<String, Reason> {
    let symbol = cell.symbol()?;
    Ok(symbol.strip_prefix("NSE:").map(str::to_owned).unwrap_or(symbol))
}

/// Whether a series is one of common stock.
pub(crate) fn is_common_series(series: &str) -> bool {
    matches!(series, "EQ" | "BE" | "BZ")
}

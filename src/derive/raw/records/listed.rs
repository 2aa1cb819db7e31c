//! What lists say of companies, and the columns of such lists.

use chrono::NaiveDate;

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::text::cells::CellRecord;
use crate::derive::raw::text::cik;

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
    /// The series, where the list has one.
    pub(crate) series: Option<String>,
    /// The company's number with the SEC, where the list has one.
    pub(crate) cik: Option<u64>,
}

/// The columns of a list: the symbol's, and those that may be missing.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListColumns {
    pub(crate) symbol: usize,
    pub(crate) name: Option<usize>,
    pub(crate) sector: Option<usize>,
    pub(crate) industry: Option<usize>,
    pub(crate) isin: Option<usize>,
    pub(crate) exchange: Option<usize>,
    pub(crate) series: Option<usize>,
    pub(crate) cik: Option<usize>,
}

impl ListColumns {
    /// Columns of a list with this symbol column; the caller adds what else there is.
    pub(crate) fn new(symbol: usize) -> Self {
        Self { symbol, ..Self::default() }
    }

    /// What a record says of its company.
    pub(crate) fn listed(&self, record: &CellRecord) -> Result<ListedCompany, Reason> {
        let text = |column: Option<usize>| column.and_then(|column| record.text(column)).map(str::to_owned);
        let symbol = record.text(self.symbol).ok_or(Reason::NoSymbol)?;
        Ok(ListedCompany {
            symbol: symbol.strip_prefix("NSE:").unwrap_or(symbol).to_uppercase(),
            name: text(self.name),
            sector: text(self.sector),
            industry: text(self.industry),
            isin: text(self.isin),
            exchange: text(self.exchange),
            since: None,
            market_cap: None,
            series: text(self.series),
            cik: self.cik.and_then(|column| cik::number(record.cell(column))),
        })
    }
}

/// Whether a series is one of common stock.
pub(crate) fn is_common_series(series: &str) -> bool {
    matches!(series, "EQ" | "BE" | "BZ")
}

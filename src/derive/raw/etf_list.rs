//! NSE's exchange-traded funds: the list of securities (`eq_etfseclist`) and the daily report (`etfDDMMYYYY`).
//!
//! Only the symbols are read. What is on such a list on any date is no common stock on all dates.

use super::cells::{Header, Record};
use super::fact::{Fact, FactFile};
use super::reason::Reason;

pub(crate) struct EtfList {
    fields: usize,
    symbol: usize,
}

impl EtfList {
    /// The list of securities.
    pub(crate) fn of(header: &Header) -> Option<Self> {
        header.column(&["SECURITYNAME", "SECURITY NAME"])?;
        Self::with_underlying(header)
    }

    /// The daily report.
    pub(crate) fn of_day(header: &Header) -> Option<Self> {
        header.column(&["SECURITY"])?;
        Self::with_underlying(header)
    }

    fn with_underlying(header: &Header) -> Option<Self> {
        header.column(&["UNDERLYING"])?;
        Some(Self { fields: header.len(), symbol: header.column(&["SYMBOL"])? })
    }
}

impl FactFile for EtfList {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let symbol = record.text(self.symbol).ok_or(Reason::NoSymbol)?;
        Ok(Fact::Fund { symbol: symbol.to_uppercase() })
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

//! NSE's exchange-traded funds: the list of securities (`eq_etfseclist`) and the daily report (`etfDDMMYYYY`).
//!
//! Only the symbols are read. What is on such a list on any date is no common stock on all dates.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};

/// A symbol is an exchange-traded fund.
struct ListedFund {
    symbol: String,
}

pub(crate) struct EtfList {
    symbol: usize,
}

impl EtfList {
    /// The list of securities.
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        header.column(&["SECURITYNAME", "SECURITY NAME"])?;
        Self::with_underlying(header)
    }

    /// The daily report.
    pub(crate) fn of_day(header: &HeaderLine) -> Option<Self> {
        header.column(&["SECURITY"])?;
        Self::with_underlying(header)
    }

    fn with_underlying(header: &HeaderLine) -> Option<Self> {
        header.column(&["UNDERLYING"])?;
        Some(Self { symbol: header.column(&["SYMBOL"])? })
    }
}

impl RecordFile for EtfList {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let symbol = record.text(self.symbol).ok_or(Reason::NoSymbol)?;
        Ok(Box::new(ListedFund { symbol: symbol.to_uppercase() }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for ListedFund {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.funds.insert(self.symbol);
    }
}

/// NSE's list of exchange-traded funds.
pub(super) static FUND_LIST: Format = Format {
    recognise: |head| Layout::records(EtfList::of(head.header)),
    ..Format::new("exchange-traded funds", INDIA)
};

/// NSE's daily report of exchange-traded funds.
pub(super) static FUND_DAY: Format = Format {
    recognise: |head| Layout::records(EtfList::of_day(head.header)),
    ..Format::new("exchange-traded funds, daily", INDIA)
};

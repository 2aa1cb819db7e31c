//! Lists of CIKs and symbols: the SEC's `company_tickers.json` or any file with the columns `cik` and `ticker`.

use crate::derive::raw::ciks::Filer;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::cik;

pub(crate) struct CikFile {
    cik: usize,
    symbol: usize,
    name: Option<usize>,
}

impl CikFile {
    /// Lists have nothing but these three columns, and perhaps the exchange; a CIK beside other figures is no list.
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        let cik = header.column(&["CIK", "CIK_STR"])?;
        let symbol = header.column(&["TICKER", "SYMBOL"])?;
        let name = header.column(&["TITLE", "NAME"]);
        let known = 2 + usize::from(name.is_some()) + usize::from(header.column(&["EXCHANGE"]).is_some());
        (header.len() == known).then_some(Self { cik, symbol, name })
    }
}

impl RecordFile for CikFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(Filer {
            cik: cik::number(record.cell(self.cik)).ok_or(Reason::BadNumber)?,
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            name: self.name.and_then(|column| record.words(column)),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for Filer {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.ciks.add(*self, at.file);
    }
}

/// CIKs of companies that file with the SEC.
pub(super) static CIKS: Format = Format {
    recognise: |head| Layout::records(CikFile::of(head.header)),
    ..Format::new("CIKs of companies", US)
};

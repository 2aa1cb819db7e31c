//! Lists of `cusip,symbol`: which symbol a security has.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};

/// A CUSIP is that of a symbol.
struct ListedCusip {
    cusip: String,
    symbol: String,
}

pub(crate) struct CusipFile {
    cusip: usize,
    symbol: usize,
}

impl CusipFile {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        let (cusip, symbol) = (header.column(&["CUSIP"])?, header.column(&["SYMBOL", "TICKER"])?);
        (header.len() <= 3).then_some(Self { cusip, symbol })
    }
}

impl RecordFile for CusipFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let cusip = record.text(self.cusip).ok_or(Reason::NoCusip)?;
        Ok(Box::new(ListedCusip {
            cusip: format!("{:0>9}", cusip.to_uppercase()),
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for ListedCusip {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.cusips.insert(self.cusip, self.symbol);
    }
}

/// CUSIPs of symbols.
pub(super) static CUSIPS: Format = Format {
    recognise: |head| Layout::records(CusipFile::of(head.header)),
    ..Format::new("CUSIPs of symbols", US)
};

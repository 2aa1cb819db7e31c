//! Symbols of securities by CUSIP.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

/// A CUSIP with its symbol.
pub(super) struct ListedCusip {
    cusip: String,
    symbol: String,
}

impl PlainRecord<2> for ListedCusip {
    const RECORD: &'static str = "cusip";
    const COLUMNS: [&'static str; 2] = ["symbol text", "cusip text"];

    fn from_cells([symbol, cusip]: [PlainCell<'_>; 2], _: &FileFacts) -> Result<Self, Reason> {
        let cusip = cusip.text().ok_or(Reason::NoCusip)?;
        Ok(Self { cusip: format!("{:0>9}", cusip.to_uppercase()), symbol: symbol.symbol()? })
    }
}

impl RawRecord for ListedCusip {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.cusips.insert(self.cusip, self.symbol);
    }
}

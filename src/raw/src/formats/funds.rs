//! Exchange-traded funds.
//!
//! Only the symbols are read. A symbol that is on such a list on any date is no common stock on all dates.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

/// The symbol of an exchange-traded fund.
pub(super) struct ListedFund {
    symbol: String,
}

impl PlainRecord<1> for ListedFund {
    const RECORD: &'static str = "fund";
    const COLUMNS: [&'static str; 1] = ["symbol text"];

    fn from_cells([symbol]: [PlainCell<'_>; 1], _: &FileFacts) -> Result<Self, Reason> {
        Ok(Self { symbol: symbol.symbol()? })
    }
}

impl RawRecord for ListedFund {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.funds.insert(self.symbol);
    }
}

//! SEC filers: the number of a company, and one of its symbols.

use crate::ciks::Filer;
use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

impl PlainRecord<3> for Filer {
    const RECORD: &'static str = "filer";
    const COLUMNS: [&'static str; 3] = ["symbol text", "cik text", "name text?"];

    fn from_cells([symbol, cik, name]: [PlainCell<'_>; 3], _: &FileFacts) -> Result<Self, Reason> {
        Ok(Self { cik: cik.cik().ok_or(Reason::BadNumber)?, symbol: symbol.symbol()?, name: name.words() })
    }
}

impl RawRecord for Filer {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.ciks.add(*self, at.file);
    }
}

//! NSE's `namechange`: former names of companies, each with the day on which it was given up.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::former_name::FormerName;
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

impl PlainRecord<3> for FormerName {
    const RECORD: &'static str = "former name";
    const COLUMNS: [&'static str; 3] = ["symbol text", "name text", "until date"];

    fn from_cells([symbol, name, until]: [PlainCell<'_>; 3], _: &FileFacts) -> Result<Self, Reason> {
        Ok(Self {
            symbol: symbol.symbol()?,
            name: name.words().unwrap_or_default(),
            until: until.date().ok_or(Reason::BadDate)?,
        })
    }
}

impl RawRecord for FormerName {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.former_names.push(*self);
    }
}

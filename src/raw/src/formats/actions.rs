//! Corporate actions.
//!
//! `factor` multiplies prices before the ex-date (a split 1:5 is 0.2); 1 marks a real move that is no action.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::records::placed::PositionedRow;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::{ReferenceData, WrittenAction};

impl PlainRecord<4> for WrittenAction {
    const RECORD: &'static str = "corporate action";
    const COLUMNS: [&'static str; 4] = ["symbol text", "ex_date date", "action text", "factor number"];

    fn from_cells(
        [symbol, ex_date, action, factor]: [PlainCell<'_>; 4],
        _: &FileFacts,
    ) -> Result<Self, Reason> {
        let factor = factor.number().ok_or(Reason::BadNumber)?;
        if factor <= 0.0 {
            return Err(Reason::BadFactor);
        }
        Ok(Self {
            symbol: symbol.symbol()?,
            ex_date: ex_date.date().ok_or(Reason::BadDate)?,
            words: action.owned().unwrap_or_default(),
            factor,
            source: Provenance::default(),
        })
    }
}

impl RawRecord for WrittenAction {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.ex_date)
    }

    fn is_announced(&self) -> bool {
        true
    }

    fn keep(mut self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.actions.push(PositionedRow { row: *self, file: at.file, line: at.line });
    }
}

//! Corporate actions: `symbol,ex_date,action,factor`.
//!
//! `factor` multiplies prices before the ex-date (a split 1:5 is 0.2); 1 marks a real move that is no action.

use chrono::NaiveDate;

use crate::derive::raw::domain::provenance::Provenance;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::placed::Placed;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{BOTH, Format, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::{ReferenceData, WrittenAction};
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

pub(crate) struct ActionFile {
    symbol: usize,
    ex_date: usize,
    action: usize,
    factor: usize,
}

impl ActionFile {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        Some(Self {
            symbol: header.column(&["SYMBOL"])?,
            ex_date: header.column(&["EX_DATE", "EX-DATE", "EX DATE"])?,
            action: header.column(&["ACTION"])?,
            factor: header.column(&["FACTOR"])?,
        })
    }
}

impl RecordFile for ActionFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let factor = cells::number(record.cell(self.factor)).ok_or(Reason::BadNumber)?;
        if factor <= 0.0 {
            return Err(Reason::BadFactor);
        }
        Ok(Box::new(WrittenAction {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            ex_date: dates::in_cell(record.cell(self.ex_date)).ok_or(Reason::BadDate)?,
            words: record.text(self.action).unwrap_or_default().to_owned(),
            factor,
            source: Provenance::default(),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for WrittenAction {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.ex_date)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.actions.push(Placed { row: *self, file: at.file, line: at.line });
    }
}

/// Corporate actions.
pub(super) static ACTIONS: Format = Format {
    recognise: |head| Layout::records(ActionFile::of(head.header)),
    ..Format::new("corporate actions", BOTH)
};

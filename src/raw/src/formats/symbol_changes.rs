//! NSE's `symbolchange`: the company's name, the old symbol, the new one and the first day under it.
//!
//! A file without a header line is recognised by its four columns, the last of which is a date.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::raw_format::{Format, INDIA, Layout};
use crate::records::record::{RawRecord, RecordFile};
use crate::reference_data::ReferenceData;
use crate::symbols::SymbolChange;
use parquote_encodings::text::cells::{CellRecord, HeaderLine};
use parquote_encodings::text::dates;

pub(crate) struct SymbolChangeFile;

impl SymbolChangeFile {
    /// Recognises a file without a header by its first line.
    pub(crate) fn from_first_line(first: &HeaderLine) -> Option<Self> {
        // The name may contain commas.
        let [_, .., old, new, date] = first.cells() else { return None };
        let is_symbol = |text: &str| !text.is_empty() && !text.contains(' ');
        dates::in_cell(date.as_bytes())?;
        (is_symbol(old) && is_symbol(new)).then_some(Self)
    }
}

impl RecordFile for SymbolChangeFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let symbol = |column| record.text(column).map(str::to_uppercase).ok_or(Reason::NoSymbol);
        let change = SymbolChange {
            date: dates::in_cell(record.cell(3)).ok_or(Reason::BadDate)?,
            old: symbol(1)?,
            new: symbol(2)?,
        };
        if change.old == change.new { Err(Reason::SameSymbol) } else { Ok(Box::new(change)) }
    }

    fn symbol(&self) -> usize {
        1
    }
}

/// The columns of a file without a header.
const COLUMNS: usize = 4;

impl PlainRecord<3> for SymbolChange {
    const RECORD: &'static str = "symbol change";
    const COLUMNS: [&'static str; 3] = ["old text", "new text", "date date"];

    fn from_cells([old, new, date]: [PlainCell<'_>; 3], _: &FileFacts) -> Result<Self, Reason> {
        let date = date.date().ok_or(Reason::BadDate)?;
        let change = Self { date, old: old.symbol()?, new: new.symbol()? };
        if change.old == change.new { Err(Reason::SameSymbol) } else { Ok(change) }
    }
}

impl RawRecord for SymbolChange {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.date)
    }

    fn is_announced(&self) -> bool {
        true
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.changes.push(*self);
    }
}

/// NSE's changes of symbols.
pub(super) static SYMBOL_CHANGES: Format = Format {
    recognise: |head| Layout::records(SymbolChangeFile::from_first_line(head.header)),
    headerless: Some(COLUMNS),
    ..Format::new("symbol changes", INDIA)
};

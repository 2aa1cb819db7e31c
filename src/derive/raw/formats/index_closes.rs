//! `ind_close_all_DDMMYYYY`: what all indices of NSE did in a session.
//!
//! A dash stands for a figure that an index does not have: one that is published at its close alone has no bar. The date is the
//! row's, with the day first.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::index_bar::IndexBar;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

pub(crate) struct IndexCloses {
    index: usize,
    date: usize,
    /// Open, high, low, close.
    prices: [usize; 4],
}

impl IndexCloses {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        let column = |name| header.column(&[name]);
        Some(Self {
            index: column("INDEX NAME")?,
            date: column("INDEX DATE")?,
            prices: [
                column("OPEN INDEX VALUE")?,
                column("HIGH INDEX VALUE")?,
                column("LOW INDEX VALUE")?,
                column("CLOSING INDEX VALUE")?,
            ],
        })
    }
}

impl RecordFile for IndexCloses {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let name = record.text(self.index).ok_or(Reason::NoSymbol)?;
        let date = dates::in_day_first_cell(record.cell(self.date));
        let cells = self.prices.map(|column| record.cell(column));
        Ok(Box::new(IndexBar::of(name, date, cells)?))
    }

    fn symbol(&self) -> usize {
        self.index
    }
}

/// NSE's closes of all indices. Where `pr` or `pd` has the same index and day, that one stands.
pub(super) static INDEX_CLOSES: Format = Format {
    recognise: |head| Layout::records(IndexCloses::of(head.header)),
    ..Format::new("index closes", INDIA)
};

//! NSE's `pr` and `pd`: the day's prices, of which the rows of indices are read.
//!
//! Their first column is `Y` for an index and something else for a security, whose prices the bhavcopy has. The date is in
//! the file's name.

use chrono::NaiveDate;

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::index_bar::IndexBar;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

pub(crate) struct IndexDay {
    market: usize,
    index: usize,
    /// Open, high, low, close.
    prices: [usize; 4],
    date: Option<NaiveDate>,
}

impl IndexDay {
    pub(crate) fn of(header: &HeaderLine, path: &str) -> Option<Self> {
        header.column(&["IND_SEC"])?;
        let column = |name| header.column(&[name]);
        Some(Self {
            market: column("MKT")?,
            index: column("SECURITY")?,
            prices: [
                column("OPEN_PRICE")?,
                column("HIGH_PRICE")?,
                column("LOW_PRICE")?,
                column("CLOSE_PRICE")?,
            ],
            date: dates::in_path(path),
        })
    }
}

impl RecordFile for IndexDay {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        if record.cell(self.market) != b"Y" {
            return Err(Reason::NotAnIndex);
        }
        let name = record.text(self.index).ok_or(Reason::NoSymbol)?;
        let cells = self.prices.map(|column| record.cell(column));
        Ok(Box::new(IndexBar::of(name, self.date, cells)?))
    }

    fn symbol(&self) -> usize {
        self.index
    }
}

/// The index rows of NSE's `pr` and `pd`.
pub(super) static INDEX_PRICES: Format = Format {
    recognise: |head| Layout::records(IndexDay::of(head.header, head.path)),
    ..Format::new("index prices", INDIA)
};

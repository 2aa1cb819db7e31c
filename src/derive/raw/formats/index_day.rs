//! NSE's `pr` and `pd`: the day's prices, of which the rows of indices are read.
//!
//! Their first column is `Y` for an index and something else for a security, whose prices the bhavcopy has. The date is in
//! the file's name.

use chrono::NaiveDate;

use crate::derive::raw::domain::bar::{Bar, Series};
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::price_columns;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

/// An index had these prices in a session; the bar has no file and line yet.
struct IndexBar {
    name: String,
    bar: Bar,
}

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
        let [open, high, low, close] = self.prices.map(|column| cells::number(record.cell(column)));
        let (Some(open), Some(high), Some(low), Some(close)) = (open, high, low, close) else {
            return Err(Reason::BadNumber);
        };
        let prices = [open, high, low, close];
        price_columns::check(prices)?;
        let date = self.date.ok_or(Reason::BadDate)?;
        let name = index_name(record.text(self.index).ok_or(Reason::NoSymbol)?);
        // The ledger gives the bar its file and line.
        let bar = Bar { date, file: 0, line: 0, series: Series::None, prices, volume: 0, delivered: -1 };
        Ok(Box::new(IndexBar { name, bar }))
    }

    fn symbol(&self) -> usize {
        self.index
    }
}

/// An index as the files of its members name it: letters and digits, in capitals.
fn index_name(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

impl RawRecord for IndexBar {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.bar.date)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        let bar = Bar { file: at.file, line: at.line, ..self.bar };
        into.indices.entry(self.name).or_default().push(bar);
    }
}

/// The index rows of NSE's `pr` and `pd`.
pub(super) static INDEX_PRICES: Format = Format {
    recognise: |head| Layout::records(IndexDay::of(head.header, head.path)),
    ..Format::new("index prices", INDIA)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_named_in_capitals_without_blanks() {
        assert_eq!(index_name("Nifty 50"), "NIFTY50");
        assert_eq!(index_name("Nifty Fin Services 25/50"), "NIFTYFINSERVICES2550");
    }
}

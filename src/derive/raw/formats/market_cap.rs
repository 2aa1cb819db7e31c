//! NSE's `mcap`: issue sizes by date.
//!
//! Only the issue size is read: the market cap beside it is that of the file's day, ours is made from the bar's close.

use chrono::NaiveDate;

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::listed::is_common_series;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

/// So many shares were issued on a day.
struct IssueSize {
    symbol: String,
    date: NaiveDate,
    shares: f64,
    name: Option<String>,
}

pub(crate) struct MarketCapFile {
    symbol: usize,
    date: usize,
    series: usize,
    size: usize,
    name: Option<usize>,
}

impl MarketCapFile {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        Some(Self {
            symbol: header.column(&["SYMBOL"])?,
            date: header.column(&["TRADE DATE"])?,
            series: header.column(&["SERIES"])?,
            size: header.column(&["ISSUE SIZE"])?,
            name: header.column(&["SECURITY NAME"]),
        })
    }
}

impl RecordFile for MarketCapFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        if !record.text(self.series).is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let shares =
            cells::number(record.cell(self.size)).filter(|size| *size > 0.0).ok_or(Reason::BadNumber)?;
        Ok(Box::new(IssueSize {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            date: dates::in_cell(record.cell(self.date)).ok_or(Reason::BadDate)?,
            shares,
            name: self.name.and_then(|column| record.text(column)).map(str::to_owned),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for IssueSize {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.date)
    }

    fn keep(self: Box<Self>, _: &RecordPlace<'_>, into: &mut ReferenceData) {
        let Self { symbol, date, shares, name } = *self;
        if let Some(name) = name {
            into.short_names.insert(symbol.clone(), name);
        }
        into.sizes.entry(symbol).or_default().push((date, shares));
    }
}

/// NSE `mcap`: issue sizes.
pub(super) static ISSUE_SIZES: Format = Format {
    recognise: |head| Layout::records(MarketCapFile::of(head.header)),
    ..Format::new("issue sizes", INDIA)
};

//! NSE's `mcap`: issue sizes by date.
//!
//! Only the issue size is read: the market cap beside it is that of the file's day, ours is made from the bar's close.

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile, is_common_series};
use super::reason::Reason;

pub(crate) struct MarketCapFile {
    fields: usize,
    symbol: usize,
    date: usize,
    series: usize,
    size: usize,
    name: Option<usize>,
}

impl MarketCapFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        Some(Self {
            fields: header.len(),
            symbol: header.column(&["SYMBOL"])?,
            date: header.column(&["TRADE DATE"])?,
            series: header.column(&["SERIES"])?,
            size: header.column(&["ISSUE SIZE"])?,
            name: header.column(&["SECURITY NAME"]),
        })
    }
}

impl FactFile for MarketCapFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        if !record.text(self.series).is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let shares =
            cells::number(record.cell(self.size)).filter(|size| *size > 0.0).ok_or(Reason::BadNumber)?;
        Ok(Fact::IssueSize {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            date: dates::in_cell(record.cell(self.date)).ok_or(Reason::BadDate)?,
            shares,
            name: self.name.and_then(|column| record.text(column)).map(str::to_owned),
        })
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

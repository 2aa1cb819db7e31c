//! NSE's price bands (`sec_list_DDMMYYYY`, `sec_list_priceband_*`): how far each security may move in a session.
//!
//! The date is in the file's path, not in its rows; a file without one is dated as lists are.

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile, is_common_series};
use super::reason::Reason;

/// The price band of a stock on a date.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The symbol.
    pub symbol: String,
    /// The date of the list.
    pub date: NaiveDate,
    /// The series that it is said of.
    pub series: String,
    /// Percent up or down of the previous close; none where the list says `No Band`.
    pub band_pct: Option<f64>,
    /// What the exchange remarks.
    pub remarks: Option<String>,
}

pub(crate) struct BandFile {
    fields: usize,
    symbol: usize,
    series: usize,
    band: usize,
    remarks: usize,
    /// The date in the path.
    date: Option<NaiveDate>,
}

impl BandFile {
    pub(crate) fn of(header: &Header, path: &str) -> Option<Self> {
        header.column(&["SECURITY NAME"])?;
        Some(Self {
            fields: header.len(),
            symbol: header.column(&["SYMBOL"])?,
            series: header.column(&["SERIES"])?,
            band: header.column(&["BAND"])?,
            remarks: header.column(&["REMARKS"])?,
            date: dates::in_path(path),
        })
    }
}

impl FactFile for BandFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let series = record.text(self.series).filter(|series| is_common_series(series));
        let band_pct = match record.cell(self.band) {
            cell if cell.eq_ignore_ascii_case(b"No Band") => None,
            cell => Some(cells::number(cell).filter(|band| *band > 0.0).ok_or(Reason::BadNumber)?),
        };
        Ok(Fact::Band(Band {
            series: series.ok_or(Reason::NotCommonSeries)?.to_owned(),
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            // Lists without a date get theirs when the sessions are known.
            date: self.date.unwrap_or(NaiveDate::MAX),
            band_pct,
            remarks: record.words(self.remarks),
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

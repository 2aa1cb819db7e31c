//! NSE's `bc`: corporate actions with their ex-dates and their purpose in words.
//!
//! All actions of common stock are read, dividends too; what a purpose means, [`super::purpose`] says.

use chrono::NaiveDate;

use super::cells::{Header, Record};
use super::dates;
use super::fact::{Fact, FactFile, is_common_series};
use super::provenance::Provenance;
use super::purpose::{self, EventKind};
use super::reason::Reason;

/// A corporate action as it is announced.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The symbol.
    pub symbol: String,
    /// The first session without the entitlement.
    pub ex_date: NaiveDate,
    /// The day on which shareholders are counted.
    pub record_date: Option<NaiveDate>,
    /// What it is.
    pub kind: EventKind,
    /// What it is, in the source's words.
    pub purpose: String,
    /// What a split or bonus multiplies earlier prices by.
    pub factor: Option<f64>,
    /// Where the row is from.
    pub source: Provenance,
}

pub(crate) struct EventFile {
    fields: usize,
    series: usize,
    symbol: usize,
    ex_date: usize,
    record_date: usize,
    purpose: usize,
}

impl EventFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        Some(Self {
            fields: header.len(),
            series: header.column(&["SERIES"])?,
            symbol: header.column(&["SYMBOL"])?,
            ex_date: header.column(&["EX_DT", "EX-DATE", "EX DATE"])?,
            record_date: header.column(&["RECORD_DT", "RECORD DATE"])?,
            purpose: header.column(&["PURPOSE"])?,
        })
    }
}

impl FactFile for EventFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        if !record.text(self.series).is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let purpose = record.text(self.purpose).unwrap_or_default();
        Ok(Fact::Event(Event {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            ex_date: dates::in_day_first_cell(record.cell(self.ex_date)).ok_or(Reason::BadDate)?,
            record_date: dates::in_day_first_cell(record.cell(self.record_date)),
            kind: purpose::kind(purpose),
            purpose: purpose.to_owned(),
            factor: purpose::factor(purpose),
            source: Provenance::default(),
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

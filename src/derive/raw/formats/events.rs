//! NSE's `bc`: corporate actions with their ex-dates and their purpose in words.
//!
//! All actions of common stock are read, dividends too; what a purpose means, [`crate::derive::raw::domain::event_kind`] says.

use chrono::NaiveDate;

use crate::derive::raw::domain::event_kind::{self, EventKind};
use crate::derive::raw::domain::provenance::Provenance;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::columns::NamedColumns;
use crate::derive::raw::records::keyed_record::{Duplicates, KeyedRecord};
use crate::derive::raw::records::listed::is_common_series;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Dating, Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::symbols::Symbols;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

/// A corporate action as it is announced.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// The symbol.
    pub(crate) symbol: String,
    /// The first session without the entitlement.
    pub(crate) ex_date: NaiveDate,
    /// The day on which shareholders are counted.
    pub(crate) record_date: Option<NaiveDate>,
    /// What it is.
    pub(crate) kind: EventKind,
    /// What it is, in the source's words.
    pub(crate) purpose: String,
    /// What a split or bonus multiplies earlier prices by.
    pub(crate) factor: Option<f64>,
    /// Where the row is from.
    pub(crate) source: Provenance,
}

pub(crate) struct EventFile {
    series: usize,
    symbol: usize,
    ex_date: usize,
    record_date: usize,
    purpose: usize,
}

impl EventFile {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        Some(Self {
            series: header.column(&["SERIES"])?,
            symbol: header.column(&["SYMBOL"])?,
            ex_date: header.column(&["EX_DT", "EX-DATE", "EX DATE"])?,
            record_date: header.column(&["RECORD_DT", "RECORD DATE"])?,
            purpose: header.column(&["PURPOSE"])?,
        })
    }
}

impl RecordFile for EventFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        if !record.text(self.series).is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let purpose = record.text(self.purpose).unwrap_or_default();
        Ok(Box::new(Event {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            ex_date: dates::in_day_first_cell(record.cell(self.ex_date)).ok_or(Reason::BadDate)?,
            record_date: dates::in_day_first_cell(record.cell(self.record_date)),
            kind: event_kind::kind(purpose),
            purpose: purpose.to_owned(),
            factor: event_kind::factor(purpose),
            source: Provenance::default(),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for Event {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.ex_date)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for Event {
    const TABLE: &'static str = "corporate_events";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |event| Some(&event.symbol))
            .date("ex_date", |event| Some(event.ex_date))
            .sequence("sequence", |event| (&event.symbol, event.ex_date))
            .date("record_date", |event| event.record_date)
            .text("action_type", |event| Some(event.kind.word()))
            .text("purpose", |event| Some(&event.purpose))
            .number("factor", |event| event.factor)
            .text("source", |event| event.source.words())
            .done()
    }
}

impl KeyedRecord for Event {
    const DUPLICATES: Duplicates = Duplicates::NewestStands;

    type Key<'a> = (&'a str, NaiveDate, EventKind, &'a str);

    fn key(&self) -> Self::Key<'_> {
        (&self.symbol, self.ex_date, self.kind, &self.purpose)
    }

    fn follow(&mut self, symbols: &Symbols, _: NaiveDate) {
        symbols.renew(&mut self.symbol, self.ex_date);
    }
}

/// NSE's `bc`. Its events are settled together with those that only lists of actions have.
pub(super) static EVENTS: Format = Format {
    recognise: |head| Layout::records(EventFile::of(head.header)),
    dating: Dating::Path,
    ..Format::new("official corporate actions", INDIA)
};

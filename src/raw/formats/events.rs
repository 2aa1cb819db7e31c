//! NSE's `bc`: corporate actions with their ex-dates and their purpose in words.
//!
//! All actions of common stock are read, dividends too; what a purpose means, [`crate::raw::domain::event_kind`] says.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::raw::declared::plain_row::{FileFacts, PlainCell};
use crate::raw::domain::event_kind::{self, EventKind};
use crate::raw::domain::provenance::Provenance;
use crate::raw::domain::reason::Reason;
use crate::raw::records::columns::NamedColumns;
use crate::raw::records::duplicates::{Duplicate, one_of_each};
use crate::raw::records::listed::is_common_series;
use crate::raw::records::placed::{Placed, RecordPlace};
use crate::raw::records::plain_record::PlainRecord;
use crate::raw::records::record::RawRecord;
use crate::raw::records::table_row::TableRecord;
use crate::raw::reference_data::ReferenceData;
use crate::raw::symbols::Symbols;

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

impl PlainRecord<5> for Event {
    const RECORD: &'static str = "corporate event";
    const COLUMNS: [&'static str; 5] =
        ["symbol text", "series text", "ex_date date", "record_date date", "purpose text"];

    fn of(cells: [PlainCell<'_>; 5], _: &FileFacts) -> Result<Self, Reason> {
        let [symbol, series, ex_date, record_date, purpose] = cells;
        if !series.text().is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let purpose = purpose.text().unwrap_or_default();
        Ok(Self {
            symbol: symbol.symbol()?,
            ex_date: ex_date.date().ok_or(Reason::BadDate)?,
            record_date: record_date.date(),
            kind: event_kind::kind(purpose),
            purpose: purpose.to_owned(),
            factor: event_kind::factor(purpose),
            source: Provenance::default(),
        })
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

/// Words of a purpose by which shareholders get shares of another company, and the price falls by what these are worth.
const SPIN_OFF: [&str; 4] = ["DEMERG", "SPIN OFF", "SPIN-OFF", "SPINOFF"];

/// By symbol: the ex-dates of demergers and spin-offs whose factor nobody says.
pub(crate) fn spin_offs(events: &[Event]) -> HashMap<String, Vec<NaiveDate>> {
    let mut dates: HashMap<String, Vec<NaiveDate>> = HashMap::new();
    for event in events.iter().filter(|event| event.factor.is_none()) {
        let purpose = event.purpose.to_uppercase();
        if SPIN_OFF.iter().any(|word| purpose.contains(word)) {
            dates.entry(event.symbol.clone()).or_default().push(event.ex_date);
        }
    }
    dates
}

/// Events under the symbols of now, each once, and the rows that are left out.
pub(crate) fn each_once(mut rows: Vec<Placed<Event>>, symbols: &Symbols) -> (Vec<Event>, Vec<Duplicate>) {
    fn key(event: &Event) -> (&str, NaiveDate, EventKind, &str) {
        (&event.symbol, event.ex_date, event.kind, &event.purpose)
    }
    for placed in &mut rows {
        symbols.renew(&mut placed.row.symbol, placed.row.ex_date);
    }
    one_of_each(rows, |a, b| key(a).cmp(&key(b)))
}

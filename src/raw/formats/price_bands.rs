//! NSE's price bands (`sec_list_DDMMYYYY`, `sec_list_priceband_*`): how far each security may move in a session.
//!
//! The date is in the file's path, not in its rows; a file without one is dated as lists are. The list of a day is published after
//! its close and holds for the session after it. So the list of 4 April 2025 has the bands that the exchange changes for the 7th:
//! AAREYDRUGS went to 49.04 on the 4th, its limit at 10 %, and was locked at 45.28 on the 7th, its limit at 5 %. The list of a
//! month holds from the month's first day.

use chrono::NaiveDate;

use crate::raw::declared::plain_row::{FileFacts, PlainCell};
use crate::raw::domain::reason::Reason;
use crate::raw::records::columns::NamedColumns;
use crate::raw::records::keyed_record::{Duplicates, KeyedRecord, KindOf, RecordKind};
use crate::raw::records::listed::is_common_series;
use crate::raw::records::placed::RecordPlace;
use crate::raw::records::plain_record::PlainRecord;
use crate::raw::records::record::RawRecord;
use crate::raw::records::table_row::TableRecord;
use crate::raw::reference_data::ReferenceData;
use crate::raw::symbols::Symbols;
use std::marker::PhantomData;

/// The price band of a stock from a day on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    /// The symbol.
    pub(crate) symbol: String,
    /// The first day on which it can hold.
    pub(crate) date: NaiveDate,
    /// The series that it is said of.
    pub(crate) series: String,
    /// Percent up or down of the previous close; none where the list says `No Band`.
    pub(crate) pct: Option<f64>,
    /// What the exchange remarks.
    pub(crate) remarks: Option<String>,
}

impl PlainRecord<4> for Band {
    const RECORD: &'static str = "price band";
    const COLUMNS: [&'static str; 4] = ["symbol text", "series text", "band number", "remarks text"];
    const KIND: Option<&'static dyn RecordKind> = Some(&KindOf::<Self>(PhantomData));

    fn of([symbol, series, band, remarks]: [PlainCell<'_>; 4], file: &FileFacts) -> Result<Self, Reason> {
        let pct = if band.bytes().eq_ignore_ascii_case(b"No Band") {
            None
        } else {
            Some(band.number().filter(|band| *band > 0.0).ok_or(Reason::BadNumber)?)
        };
        let series = series.text().filter(|series| is_common_series(series));
        Ok(Self {
            series: series.ok_or(Reason::NotCommonSeries)?.to_owned(),
            symbol: symbol.symbol()?,
            // Lists without a date get theirs when the sessions are known.
            date: file.date.unwrap_or(NaiveDate::MAX),
            pct,
            remarks: remarks.words(),
        })
    }
}

impl RawRecord for Band {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl TableRecord for Band {
    const TABLE: &'static str = "price_bands";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |band| Some(&band.symbol))
            .date("band_date", |band| Some(band.date))
            .number("band_pct", |band| band.pct)
            .text("remarks", |band| band.remarks.as_deref())
            .done()
    }
}

impl KeyedRecord for Band {
    const DUPLICATES: Duplicates = Duplicates::NewestStands;
    const IS_ALWAYS_THERE: bool = true;

    type Key<'a> = (&'a str, NaiveDate);

    fn key(&self) -> Self::Key<'_> {
        (&self.symbol, self.date)
    }

    fn follow(&mut self, symbols: &Symbols, assumed: NaiveDate) {
        self.date = if self.date == NaiveDate::MAX { assumed } else { self.date };
        symbols.renew(&mut self.symbol, self.date);
    }
}

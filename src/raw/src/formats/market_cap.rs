//! Issue sizes by date.
//!
//! A market cap in the same row is that of the file's day and not read: market caps are computed from the bar's close.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::listed::is_common_series;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

/// The number of shares issued by a day.
pub(super) struct IssueSize {
    symbol: String,
    date: NaiveDate,
    shares: f64,
    name: Option<String>,
}

impl PlainRecord<5> for IssueSize {
    const RECORD: &'static str = "issue size";
    const COLUMNS: [&'static str; 5] =
        ["symbol text", "date date", "series text", "shares number", "name text?"];

    fn from_cells(
        [symbol, date, series, shares, name]: [PlainCell<'_>; 5],
        file: &FileFacts,
    ) -> Result<Self, Reason> {
        if !series.text().is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let shares = shares.number().filter(|size| *size > 0.0).ok_or(Reason::BadNumber)?;
        let symbol = symbol.symbol()?;
        let date = date.date().ok_or(Reason::BadDate)?;
        if file.date.is_some_and(|named| named != date) {
            return Err(Reason::OtherDay);
        }
        Ok(Self { symbol, date, shares, name: name.owned() })
    }
}

impl RawRecord for IssueSize {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.date)
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { symbol, date, shares, name } = *self;
        if let Some(name) = name {
            into.short_names.insert(symbol.clone(), name);
        }
        into.sizes.entry(symbol).or_default().push((date, shares));
    }
}

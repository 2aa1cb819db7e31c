//! The prices of an index in a session, from any file.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::domain::bar::{Bar, Series};
use crate::records::positioned_row::RecordPosition;
use crate::reference_data::ReferenceData;

#[derive(Deserialize)]
pub(super) struct IndexBar {
    index: String,
    date: NaiveDate,
    /// The date in the row if its day and month are swapped; the date in the file's name is used.
    misdated: Option<NaiveDate>,
    open: f64,
    high: f64,
    low: f64,
    close: f64,
}

impl IndexBar {
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { index, date, misdated, open, high, low, close } = self;
        if let Some(written) = misdated {
            into.misdated.insert(at.path.to_owned(), (written, date));
        }
        let (prices, series, previous_close) = ([open, high, low, close], Series::None, 0.0);
        let (file, line) = (at.file, at.line);
        let bar = Bar { date, file, line, series, prices, volume: 0, delivered: -1, previous_close };
        into.indices.entry(index).or_default().push(bar);
    }
}

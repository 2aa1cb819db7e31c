//! The prices of an index in a session, from any file.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::bar::{Bar, Series};
use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::price_columns;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::dates;

/// The prices of an index in a session; the bar has no file and line yet.
pub(super) struct IndexBar {
    name: String,
    bar: Bar,
    /// The date in the row if its day and month are swapped; the date in the file's name is used.
    written: Option<NaiveDate>,
}

impl PlainRecord<7> for IndexBar {
    const RECORD: &'static str = "index prices";
    const COLUMNS: [&'static str; 7] = [
        "index text",
        "open number",
        "high number",
        "low number",
        "close number",
        "date date?",
        // `Y` for an index, another letter for a security, whose prices are in other files.
        "market text?",
    ];

    fn from_cells(cells: [PlainCell<'_>; 7], file: &FileFacts) -> Result<Self, Reason> {
        let [name, open, high, low, close, date, market] = cells;
        if market.is_there() && market.bytes() != b"Y" {
            return Err(Reason::NotAnIndex);
        }
        let name = name.text().ok_or(Reason::NoSymbol)?;
        let [open, high, low, close] = [open, high, low, close].map(|cell| cell.number());
        let (Some(open), Some(high), Some(low), Some(close)) = (open, high, low, close) else {
            return Err(Reason::BadNumber);
        };
        let prices = [open, high, low, close];
        price_columns::check(prices)?;
        let date = if date.is_there() { date.date() } else { file.date };
        let written = date.ok_or(Reason::BadDate)?;
        let named = file.date.filter(|named| *named != written && dates::swapped(written) == Some(*named));
        let date = named.unwrap_or(written);
        // The ledger gives the bar its file and line.
        let (series, previous_close) = (Series::None, 0.0);
        let bar = Bar { date, file: 0, line: 0, series, prices, volume: 0, delivered: -1, previous_close };
        Ok(Self { name: index_name(name), bar, written: named.map(|_| written) })
    }
}

/// Returns an index name in the form of member lists: letters and digits, in capitals.
fn index_name(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

impl RawRecord for IndexBar {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.bar.date)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let bar = Bar { file: at.file, line: at.line, ..self.bar };
        if let Some(written) = self.written {
            into.misdated.insert(at.path.to_owned(), (written, bar.date));
        }
        into.indices.entry(self.name).or_default().push(bar);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_named_in_capitals_without_blanks() {
        assert_eq!(index_name("Nifty 50"), "NIFTY50");
        assert_eq!(index_name("Nifty Fin Services 25/50"), "NIFTYFINSERVICES2550");
    }
}

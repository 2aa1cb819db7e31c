//! NSE's `pr` and `pd`: the day's prices, of which the rows of indices are read.
//!
//! Their first column is `Y` for an index and something else for a security, whose prices the bhavcopy has. The date is in
//! the file's name.

use chrono::NaiveDate;

use super::bar::{Bar, Series};
use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::price_row;
use super::reason::Reason;

pub(crate) struct IndexDay {
    fields: usize,
    market: usize,
    index: usize,
    /// Open, high, low, close.
    prices: [usize; 4],
    date: Option<NaiveDate>,
}

impl IndexDay {
    pub(crate) fn of(header: &Header, path: &str) -> Option<Self> {
        header.column(&["IND_SEC"])?;
        let column = |name| header.column(&[name]);
        Some(Self {
            fields: header.len(),
            market: column("MKT")?,
            index: column("SECURITY")?,
            prices: [
                column("OPEN_PRICE")?,
                column("HIGH_PRICE")?,
                column("LOW_PRICE")?,
                column("CLOSE_PRICE")?,
            ],
            date: dates::in_path(path),
        })
    }
}

impl FactFile for IndexDay {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        if record.cell(self.market) != b"Y" {
            return Err(Reason::NotAnIndex);
        }
        let [open, high, low, close] = self.prices.map(|column| cells::number(record.cell(column)));
        let (Some(open), Some(high), Some(low), Some(close)) = (open, high, low, close) else {
            return Err(Reason::BadNumber);
        };
        let prices = [open, high, low, close];
        price_row::check(prices)?;
        let date = self.date.ok_or(Reason::BadDate)?;
        let name = index_name(record.text(self.index).ok_or(Reason::NoSymbol)?);
        // The ledger gives the bar its file and line.
        let bar = Bar { date, file: 0, line: 0, series: Series::None, prices, volume: 0, delivered: -1 };
        Ok(Fact::Index { name, bar })
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.index
    }
}

/// An index as the files of its members name it: letters and digits, in capitals.
fn index_name(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
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

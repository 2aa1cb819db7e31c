//! A price row of any format: which columns hold it, what makes it a bar.
//!
//! A price format is a list of column names ([`PriceNames`]), nothing more. What is judged here is one row by itself;
//! whether its symbol is common stock and its date a session is judged later.

use chrono::NaiveDate;

use crate::derive::raw::domain::bar::Series;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::dates;

/// The names that the header of a price format gives to what a bar needs, and to what only some formats have.
pub(crate) struct PriceNames {
    pub(crate) symbol: &'static [&'static str],
    /// What a file's name says its symbol is, where a file without a symbol's column is of this format.
    pub(crate) symbol_in_name: fn(&str) -> Option<String>,
    /// Whether a symbol as it is written is one of a stock, in formats that tell it so.
    pub(crate) is_stock: Option<fn(&str) -> bool>,
    pub(crate) date: &'static [&'static str],
    /// Reads a date.
    pub(crate) day: fn(&[u8]) -> Result<NaiveDate, Reason>,
    /// Open, high, low, close.
    pub(crate) prices: [&'static str; 4],
    pub(crate) volume: &'static [&'static str],
    /// Reads a volume.
    pub(crate) count: fn(&[u8]) -> Option<i64>,
    /// The column of the length of a bar in formats that have bars of any length; a day is `D`.
    pub(crate) length: Option<&'static str>,
    pub(crate) series: Option<&'static str>,
    pub(crate) isin: Option<&'static str>,
    pub(crate) delivered: Option<&'static str>,
    /// The exchange and the kind of instrument, where one format serves several.
    pub(crate) source_and_kind: Option<(&'static str, &'static str)>,
    /// Whether files overlap in time, and a newer one may restate prices for a split.
    pub(crate) restates: bool,
}

/// Where a file holds what a bar needs.
#[derive(Debug, Clone)]
pub(crate) struct PriceColumns {
    fields: usize,
    symbol: SymbolPlace,
    is_stock: Option<fn(&str) -> bool>,
    pub(crate) date: usize,
    day: fn(&[u8]) -> Result<NaiveDate, Reason>,
    prices: [usize; 4],
    volume: usize,
    count: fn(&[u8]) -> Option<i64>,
    length: Option<usize>,
    series: Option<usize>,
    isin: Option<usize>,
    delivered: Option<usize>,
    source_and_kind: Option<(usize, usize)>,
    /// Whether a newer file may restate prices for a split.
    pub(crate) restates: bool,
}

/// Where the symbol of a row is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SymbolPlace {
    Column(usize),
    /// One symbol for the whole file.
    Name(String),
}

/// No file of the format is named after its symbol.
pub(crate) const fn no_symbol_in_name(_: &str) -> Option<String> {
    None
}

/// A row that holds a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriceRow<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) series: Series,
    /// Empty where the format has none.
    pub(crate) isin: &'a [u8],
    pub(crate) date: NaiveDate,
    /// Open, high, low, close.
    pub(crate) prices: [f64; 4],
    pub(crate) volume: i64,
    /// -1 where there is no figure.
    pub(crate) delivered: i64,
}

impl PriceNames {
    /// The columns of a file with this header, if it is of this format: every named column must be there. `name` is the
    /// file's own.
    pub(crate) fn columns(&self, header: &HeaderLine, name: &str) -> Option<PriceColumns> {
        let required = |name: &'static str| header.column(&[name]);
        // The outer Option says whether a named column is there, the inner whether the format names one.
        let optional = |name: Option<&'static str>| match name {
            Some(name) => required(name).map(Some),
            None => Some(None),
        };
        let [open, high, low, close] = self.prices;
        let symbol = match header.column(self.symbol) {
            Some(column) => SymbolPlace::Column(column),
            None => SymbolPlace::Name((self.symbol_in_name)(name)?),
        };
        Some(PriceColumns {
            fields: header.len(),
            symbol,
            is_stock: self.is_stock,
            date: header.column(self.date)?,
            day: self.day,
            prices: [required(open)?, required(high)?, required(low)?, required(close)?],
            volume: header.column(self.volume)?,
            count: self.count,
            length: self.length.and_then(required),
            series: optional(self.series)?,
            isin: optional(self.isin)?,
            delivered: optional(self.delivered)?,
            source_and_kind: match self.source_and_kind {
                Some((source, kind)) => Some((required(source)?, required(kind)?)),
                None => None,
            },
            restates: self.restates,
        })
    }
}

impl PriceColumns {
    /// Whether rows say the ISIN of their symbol, so that formats without one are judged by it.
    pub(crate) const fn has_isin(&self) -> bool {
        self.isin.is_some()
    }

    /// The bar in a record. `day` remembers the date cell last read, since a file mostly repeats it.
    pub(crate) fn row<'a>(
        &'a self,
        record: &'a CellRecord,
        day: &mut LastDay,
    ) -> Result<PriceRow<'a>, Reason> {
        if !record.fits(self.fields) {
            return Err(Reason::WrongFieldCount);
        }
        if let Some((source, kind)) = self.source_and_kind {
            match (record.cell(source), record.cell(kind)) {
                (b"NSE", b"STK") => {}
                (b"NSE", _) => return Err(Reason::NotAShare),
                _ => return Err(Reason::BseRow),
            }
        }
        if self.length.is_some_and(|column| record.cell(column) != b"D") {
            return Err(Reason::NotDaily);
        }
        let optional = |column: Option<usize>| column.map_or(&b""[..], |column| record.cell(column));
        let series = match self.series {
            Some(column) => Series::of(record.cell(column)).ok_or(Reason::NotCommonSeries)?,
            None => Series::None,
        };
        let symbol = match &self.symbol {
            SymbolPlace::Column(column) => record.text(*column).ok_or(Reason::NoSymbol)?,
            SymbolPlace::Name(symbol) => symbol,
        };
        if self.is_stock.is_some_and(|is_stock| !is_stock(symbol)) {
            return Err(Reason::NotCommonStock);
        }
        let row = PriceRow {
            symbol,
            series,
            isin: optional(self.isin),
            date: day.read(record.cell(self.date), self.day)?,
            prices: self.read_prices(record).ok_or(Reason::BadNumber)?,
            volume: (self.count)(record.cell(self.volume)).ok_or(Reason::BadNumber)?,
            delivered: delivered(optional(self.delivered)).ok_or(Reason::BadNumber)?,
        };
        check(row.prices)?;
        Ok(row)
    }

    fn read_prices(&self, record: &CellRecord) -> Option<[f64; 4]> {
        let [open, high, low, close] = self.prices.map(|column| cells::number(record.cell(column)));
        Some([open?, high?, low?, close?])
    }
}

/// The delivered quantity: an exchange that has no figure leaves the cell empty or writes a dash.
fn delivered(cell: &[u8]) -> Option<i64> {
    match cell {
        b"" | b"-" => Some(-1),
        _ => cells::count(cell),
    }
}

/// Whether four prices can be those of one day.
///
/// Open and close may leave the range by a thousandth and half a tick: sources that rescale or average round each figure
/// by itself. A larger distance is a wrong figure.
pub(crate) fn check([open, high, low, close]: [f64; 4]) -> Result<(), Reason> {
    if [open, high, low, close].iter().any(|price| *price <= 0.0) {
        return Err(Reason::NonPositivePrice);
    }
    let slack = 0.001 * high + 0.005;
    let within = |price: f64| price <= high + slack && price >= low - slack;
    if high < low || !within(open) || !within(close) {
        return Err(Reason::InconsistentPrices);
    }
    Ok(())
}

/// The date that a cell writes.
pub(crate) fn written_day(cell: &[u8]) -> Result<NaiveDate, Reason> {
    dates::in_cell(cell).ok_or(Reason::BadDate)
}

/// The date cell of a file that was last read, and what it is.
#[derive(Debug)]
pub(crate) struct LastDay {
    cell: Vec<u8>,
    date: Result<NaiveDate, Reason>,
}

impl Default for LastDay {
    /// An empty cell, which is no date in any format.
    fn default() -> Self {
        Self { cell: Vec::new(), date: Err(Reason::BadDate) }
    }
}

impl LastDay {
    fn read(
        &mut self,
        cell: &[u8],
        day: fn(&[u8]) -> Result<NaiveDate, Reason>,
    ) -> Result<NaiveDate, Reason> {
        if self.cell != cell {
            self.cell.clear();
            self.cell.extend_from_slice(cell);
            self.date = day(cell);
        }
        self.date
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_contradiction() {
        assert_eq!(check([10.0, 11.0, 9.0, 10.5]), Ok(()));
        assert_eq!(check([10.0, 11.0, 9.0, 11.01]), Ok(()));
        assert_eq!(check([10.0, 11.0, 9.0, 11.1]), Err(Reason::InconsistentPrices));
        assert_eq!(check([8.5, 11.0, 9.0, 10.0]), Err(Reason::InconsistentPrices));
        assert_eq!(check([10.0, 9.0, 11.0, 10.0]), Err(Reason::InconsistentPrices));
        assert_eq!(check([0.0, 11.0, 9.0, 10.0]), Err(Reason::NonPositivePrice));
    }
}

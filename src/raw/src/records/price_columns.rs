//! A price row of any format: its columns, and its validation.
//!
//! A price format only declares the positions of [`PRICE_COLUMNS`]. Each row is validated by itself here; later steps check symbols
//! and sessions.

use chrono::{DateTime, NaiveDate, NaiveTime};

use crate::declared::cell_form::CellForm;
use crate::declared::plain_row::DeclaredFile;
use crate::declared::target_column::TargetColumn;
use crate::domain::bar::Series;
use crate::domain::reason::Reason;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::{self, CellRecord};
use parquote_encodings::text::dates;

/// The columns of a row, named as in declarations. The kinds determine the allowed forms of the cells.
pub(crate) const PRICE_COLUMNS: [&str; 16] = [
    "date session", // Without it, the symbol is in the name of the file.
    "symbol ticker?", "open price", "high price", "low price", "close price", "volume volume",
    // The length of a bar in files that have bars of any length; a day is `D`.
    "length text?", "series text?", "isin text?", "delivered text?",
    // The exchange and the kind of instrument, if files have several.
    "exchange text?", "instrument text?",
    // Shares that one share became on the day, if prices are as traded.
    "split number?", // The close, adjusted for later splits and dividends.
    "adjusted_close number?",
    // The close of the previous session, according to the exchange's file of the day.
    "previous_close price?",
];

/// Positions of a bar's columns in a file.
#[derive(Debug, Clone)]
pub(crate) struct PriceColumns {
    fields: usize,
    symbol: SymbolLocation,
    /// True if a lower-case letter in a symbol marks a security other than a stock.
    requires_capitals: bool,
    pub(crate) date: usize,
    day: fn(&[u8]) -> Result<NaiveDate, Reason>,
    /// True if dates have their year first or their month in letters, unless the survey of the file finds otherwise.
    pub(crate) has_written_days: bool,
    prices: [usize; 4],
    volume: usize,
    count: fn(&[u8]) -> Option<i64>,
    length: Option<usize>,
    series: Option<usize>,
    isin: Option<usize>,
    delivered: Option<usize>,
    exchange_and_instrument: Option<(usize, usize)>,
    split: Option<usize>,
    adjusted: Option<usize>,
    previous_close: Option<usize>,
    /// True if a newer file may restate prices for a split.
    pub(crate) restates: bool,
}

/// Location of the symbol of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SymbolLocation {
    Column(usize),
    /// One symbol for the whole file.
    Name(String),
}

/// A row with a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriceRow<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) series: Series,
    /// Empty if the format has none.
    pub(crate) isin: &'a [u8],
    pub(crate) date: NaiveDate,
    /// Open, high, low, close.
    pub(crate) prices: [f64; 4],
    pub(crate) volume: i64,
    /// -1 if there is no figure.
    pub(crate) delivered: i64,
    /// Shares that one share became on the day, if the row has the figure.
    pub(crate) split: Option<f64>,
    /// The adjusted close over the close.
    pub(crate) adjusted: Option<f64>,
    /// The close of the previous session; 0 if the file lacks it.
    pub(crate) previous_close: f64,
}

impl PriceColumns {
    /// Locates the columns of a file, whose `columns` are in the order of [`PRICE_COLUMNS`]; `None` if one is missing.
    pub(crate) fn from_declared(file: DeclaredFile) -> Option<Self> {
        let DeclaredFile { fields, columns, facts, restates } = file;
        let column = |name: &str| {
            let mut located = PRICE_COLUMNS.iter().zip(&columns);
            located
                .find(|(declared, _)| TargetColumn::parse(declared).name == name)
                .map(|(_, column)| *column)
        };
        let position = |name: &str| column(name)?.position;
        let (day, ticker, volume) = (column("date")?, column("symbol")?, column("volume")?);
        Some(Self {
            fields,
            symbol: match ticker.position {
                Some(column) => SymbolLocation::Column(column),
                None => SymbolLocation::Name(facts.word?.to_string()),
            },
            requires_capitals: ticker.form == CellForm::Capitals,
            date: day.position?,
            day: if day.form == CellForm::Nanoseconds { new_york_day } else { written_day },
            has_written_days: day.form != CellForm::Nanoseconds,
            prices: [position("open")?, position("high")?, position("low")?, position("close")?],
            volume: volume.position?,
            count: if volume.form == CellForm::Rounded { cells::printed_count } else { cells::count },
            length: position("length"),
            series: position("series"),
            isin: position("isin"),
            delivered: position("delivered"),
            exchange_and_instrument: position("exchange").zip(position("instrument")),
            split: position("split"),
            adjusted: position("adjusted_close"),
            previous_close: position("previous_close"),
            restates,
        })
    }

    /// Returns true if all rows are of the symbol in the file's name.
    pub(crate) fn is_of_one_symbol(&self) -> bool {
        matches!(self.symbol, SymbolLocation::Name(_))
    }

    /// Replaces the parser of date cells.
    pub(crate) fn with_days(&self, day: fn(&[u8]) -> Result<NaiveDate, Reason>) -> Self {
        Self { day, ..self.clone() }
    }

    /// Returns true if rows have ISINs. Files with ISINs are read first; their ISINs also decide which rows of the other files are of
    /// stocks.
    pub(crate) const fn has_isin(&self) -> bool {
        self.isin.is_some()
    }

    /// Parses the bar in a record. `day` caches the last date cell, since a file mostly repeats it.
    pub(crate) fn row<'a>(
        &'a self,
        record: &'a CellRecord,
        day: &mut LastDay,
    ) -> Result<PriceRow<'a>, Reason> {
        if !record.fits(self.fields) {
            return Err(Reason::WrongFieldCount);
        }
        if let Some((exchange, instrument)) = self.exchange_and_instrument {
            match (record.cell(exchange), record.cell(instrument)) {
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
            Some(column) => Series::from_cell(record.cell(column)).ok_or(Reason::NotCommonSeries)?,
            None => Series::None,
        };
        let symbol = match &self.symbol {
            SymbolLocation::Column(column) => record.text(*column).ok_or(Reason::NoSymbol)?,
            SymbolLocation::Name(symbol) => symbol,
        };
        if self.requires_capitals && symbol.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return Err(Reason::NotCommonStock);
        }
        if is_company_name(symbol) {
            return Err(Reason::NoSymbol);
        }
        let date = day.read(record.cell(self.date), self.day)?;
        let prices = self.read_prices(record).ok_or(Reason::BadNumber)?;
        let figure = |column: Option<usize>| column.and_then(|column| cells::number(record.cell(column)));
        let row = PriceRow {
            symbol,
            series,
            isin: optional(self.isin),
            date,
            prices,
            volume: (self.count)(record.cell(self.volume)).ok_or(Reason::BadNumber)?,
            delivered: parse_delivered(optional(self.delivered)).ok_or(Reason::BadNumber)?,
            split: figure(self.split).filter(|shares| *shares > 0.0 && (shares - 1.0).abs() > f64::EPSILON),
            adjusted: figure(self.adjusted).map(|adjusted| adjusted / prices[3]).filter(|it| *it > 0.0),
            // A new listing has no previous close: its cell is empty, a dash or 0.
            previous_close: cells::number(optional(self.previous_close)).unwrap_or_default().max(0.0),
        };
        check_prices(row.prices)
            .or_else(|reason| if has_one_misprint(row.prices) { Ok(()) } else { Err(reason) })?;
        Ok(row)
    }

    fn read_prices(&self, record: &CellRecord) -> Option<[f64; 4]> {
        let [open, high, low, close] = self.prices.map(|column| cells::parse_printed(record.cell(column)));
        Some([open?, high?, low?, close?])
    }
}

/// Returns true if a text is a company's name of several words, not a symbol.
fn is_company_name(text: &str) -> bool {
    text.contains(' ') && text.contains(|c: char| c.is_ascii_lowercase())
}

/// Parses the delivered quantity: an exchange without the figure leaves the cell empty or writes a dash.
fn parse_delivered(cell: &[u8]) -> Option<i64> {
    match cell {
        b"" | b"-" => Some(-1),
        _ => cells::count(cell),
    }
}

/// Checks that four prices can be those of one day.
///
/// Open and close may leave the range by a thousandth and half a tick: sources that rescale or average round each figure by itself. A
/// larger distance is a wrong figure.
pub(crate) fn check_prices([open, high, low, close]: [f64; 4]) -> Result<(), Reason> {
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

/// Returns true if exactly one price is so far from the close that it is a misprint, and the others are consistent. The steps correct it.
fn has_one_misprint([open, high, low, close]: [f64; 4]) -> bool {
    const ONE_DAY_RATIOS: std::ops::RangeInclusive<f64> = 0.55..=1.9;
    let far = [open, high, low].map(|price| !ONE_DAY_RATIOS.contains(&(price / close)));
    let others = match far {
        [true, false, false] => [close, high, low, close],
        [false, true, false] => [open, open.max(close), low, close],
        [false, false, true] => [open, high, open.min(close), close],
        _ => return false,
    };
    check_prices(others).is_ok()
}

/// Converts nanoseconds to the day in New York that begins then.
fn new_york_day(cell: &[u8]) -> Result<NaiveDate, Reason> {
    let nanoseconds = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
    let start = DateTime::from_timestamp_nanos(nanoseconds.ok_or(Reason::BadDate)?)
        .with_timezone(&Market::Us.time_zone());
    if start.time() == NaiveTime::MIN { Ok(start.date_naive()) } else { Err(Reason::NotDaily) }
}

/// Parses a date with its year first or its month in letters.
pub(crate) fn written_day(cell: &[u8]) -> Result<NaiveDate, Reason> {
    dates::in_cell(cell).ok_or(Reason::BadDate)
}

/// The last date cell of a file, with its parsed date.
#[derive(Debug)]
pub(crate) struct LastDay {
    cell: Vec<u8>,
    date: Result<NaiveDate, Reason>,
}

impl Default for LastDay {
    /// Starts with an empty cell, which is no date in any format.
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
        assert_eq!(check_prices([10.0, 11.0, 9.0, 10.5]), Ok(()));
        assert_eq!(check_prices([10.0, 11.0, 9.0, 11.01]), Ok(()));
        assert_eq!(check_prices([10.0, 11.0, 9.0, 11.1]), Err(Reason::InconsistentPrices));
        assert_eq!(check_prices([8.5, 11.0, 9.0, 10.0]), Err(Reason::InconsistentPrices));
        assert_eq!(check_prices([10.0, 9.0, 11.0, 10.0]), Err(Reason::InconsistentPrices));
        assert_eq!(check_prices([0.0, 11.0, 9.0, 10.0]), Err(Reason::NonPositivePrice));
    }

    #[test]
    fn one_price_may_be_a_misprint() {
        let misprinted = [
            [5.0, 11.0, 9.0, 10.0],
            [100.0, 11.0, 9.0, 10.0],
            [10.0, 1.1, 9.0, 10.0],
            [10.0, 11.0, 90.0, 10.0],
        ];
        assert_eq!(misprinted.map(has_one_misprint), [true; 4]);
        // Too close to tell; two misprints; a wrong close; high below low.
        let wrong = [
            [8.5, 11.0, 9.0, 10.0],
            [5.0, 1.1, 9.0, 10.0],
            [10.0, 11.0, 9.0, 100.0],
            [10.0, 9.0, 11.0, 10.0],
        ];
        assert_eq!(wrong.map(has_one_misprint), [false; 4]);
    }

    #[test]
    fn a_day_begins_at_midnight_in_new_york() {
        let day = |y, m, d| Ok(NaiveDate::from_ymd_opt(y, m, d).unwrap());
        // 04:00 UTC in summer, 05:00 in winter: 1744776000 is 2025-04-16T04:00:00Z, 1736312400 is 2025-01-08T05:00:00Z.
        assert_eq!(new_york_day(b"1744776000000000000"), day(2025, 4, 16));
        assert_eq!(new_york_day(b"1736312400000000000"), day(2025, 1, 8));
        assert_eq!(new_york_day(b"1744792500000000000"), Err(Reason::NotDaily), "a minute");
        for cell in [&b""[..], b"2025-04-16", b"1e18", b"99999999999999999999"] {
            assert_eq!(new_york_day(cell), Err(Reason::BadDate));
        }
    }
}

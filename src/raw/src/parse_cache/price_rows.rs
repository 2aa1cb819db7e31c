//! Parsed rows of a price file, and their form in the parse cache.
//!
//! Every parsed row is cached with the reason for which it is not used, if there is one; if the instrument filter or the as-of date would
//! now decide differently, the file is parsed again for the texts of its refused rows.

use chrono::NaiveDate;
use datafusion::arrow::array::{Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Date32Type, Float64Type, Int64Type, UInt8Type, UInt32Type};
use datafusion::arrow::error::ArrowError;

use crate::domain::bar::{Bar, Series};
use crate::domain::reason::Reason;
use crate::parse_cache::piece_batch::{PieceAccount, PieceBatch, PieceValues};
use parquote_functions::arrow_types::{date, days};

/// The names of the columns of prices: open, high, low, close.
const PRICES: [&str; 4] = ["open", "high", "low", "close"];

/// A parsed row with a bar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParsedPrice {
    /// The position of its symbol in the piece.
    pub(crate) symbol: u32,
    pub(crate) bar: Bar,
    pub(crate) isin: RowIsin,
    /// Reason for which the row is not used.
    pub(crate) unused: Option<Reason>,
}

/// The ISIN of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RowIsin {
    /// The row has none.
    #[default]
    None,
    Isin([u8; 12]),
    /// A text of another length; `is_ine` is true if it starts like the ISIN of an Indian share.
    Other {
        is_ine: bool,
    },
}

impl RowIsin {
    pub(crate) fn from_cell(cell: &[u8]) -> Self {
        match <[u8; 12]>::try_from(cell) {
            Ok(isin) => Self::Isin(isin),
            Err(_) if cell.is_empty() => Self::None,
            Err(_) => Self::Other { is_ine: cell.starts_with(b"INE") },
        }
    }

    /// Returns true for the ISIN of an Indian share; `None` if the row has none.
    pub(crate) fn is_ine(&self) -> Option<bool> {
        match self {
            Self::None => None,
            Self::Isin(isin) => Some(isin.starts_with(b"INE")),
            Self::Other { is_ine } => Some(*is_ine),
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::None => b"",
            Self::Isin(isin) => isin,
            Self::Other { is_ine: true } => b"INE",
            Self::Other { is_ine: false } => b"-",
        }
    }
}

/// A split that a price file states, or that its adjusted closes imply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriceSplit {
    /// The position of its symbol in the piece.
    pub(crate) symbol: u32,
    pub(crate) line: u32,
    pub(crate) ex_date: NaiveDate,
    /// Factor that multiplies earlier prices.
    pub(crate) factor: f64,
}

pub(crate) fn batch(
    symbols: &[String],
    rows: &[ParsedPrice],
    splits: &[PriceSplit],
    account: &PieceAccount,
) -> Result<RecordBatch, ArrowError> {
    let bars = || rows.iter().map(|row| &row.bar);
    let has_isins = rows.iter().any(|row| row.isin != RowIsin::None);
    let mut piece = PieceBatch::default()
        .account(account)
        .texts("symbols", symbols.iter().map(String::as_str))
        .texts("reasons", Reason::UNUSED_BARS.iter().map(|reason| reason.label()))
        .values::<UInt32Type>("symbol", rows.iter().map(|row| row.symbol))
        .values::<Date32Type>("date", bars().map(|bar| days(bar.date)))
        .values::<UInt32Type>("line", bars().map(|bar| bar.line))
        .values::<UInt8Type>("series", bars().map(|bar| bar.series as u8))
        .values::<Int64Type>("volume", bars().map(|bar| bar.volume))
        .values::<Int64Type>("delivered", bars().map(|bar| bar.delivered))
        .values::<Float64Type>("previous_close", bars().map(|bar| bar.previous_close))
        .values::<UInt8Type>("unused", rows.iter().map(|row| code(row.unused)))
        .values::<UInt32Type>("split_symbol", splits.iter().map(|split| split.symbol))
        .values::<UInt32Type>("split_line", splits.iter().map(|split| split.line))
        .values::<Date32Type>("split_date", splits.iter().map(|split| days(split.ex_date)))
        .values::<Float64Type>("split_factor", splits.iter().map(|split| split.factor))
        .bytes("isin", rows.iter().filter(|_| has_isins).map(|row| row.isin.as_bytes()));
    for (at, name) in PRICES.into_iter().enumerate() {
        let prices = bars().filter_map(|bar| bar.prices.get(at).copied());
        piece = piece.values::<Float64Type>(name, prices);
    }
    piece.batch()
}

/// Reads the symbols and the rows in a batch; `file` is the rank of its file. `None` if the batch is invalid.
pub(crate) fn rows_of_batch(batch: &RecordBatch, file: u32) -> Option<(StringArray, Vec<ParsedPrice>)> {
    let values = PieceValues(batch);
    let symbols = values.texts("symbols")?;
    let (symbol, line) = (values.values::<UInt32Type>("symbol")?, values.values::<UInt32Type>("line")?);
    let (days, series) = (values.values::<Date32Type>("date")?, values.values::<UInt8Type>("series")?);
    let (volume, delivered) =
        (values.values::<Int64Type>("volume")?, values.values::<Int64Type>("delivered")?);
    let previous_closes = values.values::<Float64Type>("previous_close")?;
    let (unused, isins) = (values.values::<UInt8Type>("unused")?, values.bytes("isin")?);
    let [open, high, low, close] = PRICES.map(|name| values.values::<Float64Type>(name));
    let prices = [open?, high?, low?, close?];
    let [open, high, low, close] = prices.each_ref().map(|prices| prices.values().iter());
    let prices =
        open.zip(high).zip(low).zip(close).map(|(((open, high), low), close)| [*open, *high, *low, *close]);
    // The last date is cached, as most pieces are of one day.
    let mut day = (i32::MIN, NaiveDate::MIN);
    let mut date_of = |number: i32| {
        if number != day.0 {
            day = (number, date(number).unwrap_or_default());
        }
        day.1
    };
    let numbers = symbol.values().iter().zip(line.values()).zip(days.values()).zip(series.values());
    let figures = prices
        .zip(volume.values())
        .zip(delivered.values())
        .zip(previous_closes.values())
        .zip(unused.values());
    let rows = numbers.zip(figures).enumerate().map(|(at, of_row)| {
        let ((((symbol, line), day), series), ((((prices, volume), delivered), previous_close), unused)) =
            of_row;
        let (date, line, series) = (date_of(*day), *line, Series::from_discriminant(*series));
        let (volume, delivered, previous_close) = (*volume, *delivered, *previous_close);
        ParsedPrice {
            symbol: *symbol,
            bar: Bar { date, file, line, series, prices, volume, delivered, previous_close },
            isin: if isins.is_empty() { RowIsin::None } else { RowIsin::from_cell(isins.value(at)) },
            unused: reason(*unused),
        }
    });
    Some((symbols, rows.collect()))
}

pub(crate) fn splits(batch: &RecordBatch) -> Option<Vec<PriceSplit>> {
    let values = PieceValues(batch);
    let (symbols, lines) =
        (values.values::<UInt32Type>("split_symbol")?, values.values::<UInt32Type>("split_line")?);
    let (dates, factors) =
        (values.values::<Date32Type>("split_date")?, values.values::<Float64Type>("split_factor")?);
    let keys = symbols.values().iter().zip(lines.values());
    let split = |((symbol, line), (day, factor)): ((&u32, &u32), (&i32, &f64))| {
        Some(PriceSplit { symbol: *symbol, line: *line, ex_date: date(*day)?, factor: *factor })
    };
    keys.zip(dates.values().iter().zip(factors.values())).map(split).collect()
}

/// Returns the position of a reason in [`Reason::UNUSED_BARS`], from 1; 0 for none.
fn code(reason: Option<Reason>) -> u8 {
    let position = |reason: Reason| Reason::UNUSED_BARS.iter().position(|known| *known == reason);
    reason.and_then(position).map_or(0, |position| position as u8 + 1)
}

fn reason(code: u8) -> Option<Reason> {
    Reason::UNUSED_BARS.get(usize::from(code).checked_sub(1)?).copied()
}

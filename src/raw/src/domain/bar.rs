//! A bar while the files are read, and the finished bars of a symbol.
//!
//! The first is a row of 72 bytes with its file and line; the second has columns, sorted by session, without file and line.

use chrono::{Datelike as _, NaiveDate};
use serde::Serialize;

use crate::spool::{SpooledBytes, SpooledRows};

parquote_catalogue::word_enum! {
    /// The NSE series of a bar; a US bar has none. If a symbol has several on a day, the earlier variant wins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "UPPERCASE")]
    #[repr(u8)]
    pub enum Series {
        /// Rolling settlement.
        Eq = "EQ",
        /// Trade for trade.
        Be = "BE",
        /// Trade for trade, for companies that do not comply with the exchange's rules.
        Bz = "BZ",
        /// The market has no series.
        None = "",
    }
    const ALL "All series, the preferred ones first.";
    fn word "Returns the series in letters; empty for `None`.";
}

impl Series {
    /// Converts a discriminant; an unknown one becomes `Series::None`.
    pub(crate) fn from_discriminant(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::None)
    }

    /// Parses a cell; `None` for a series that is not common stock.
    pub(crate) fn from_cell(cell: &[u8]) -> Option<Self> {
        match cell {
            b"EQ" => Some(Self::Eq),
            b"BE" => Some(Self::Be),
            b"BZ" => Some(Self::Bz),
            _ => None,
        }
    }
}

/// A bar, read from a row of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bar {
    pub(crate) date: NaiveDate,
    /// The rank of the file: a higher one is newer.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) series: Series,
    /// Open, high, low, close.
    pub(crate) prices: [f64; 4],
    pub(crate) volume: i64,
    /// Shares delivered; -1 without a figure.
    pub(crate) delivered: i64,
    /// The previous session's close according to this row, unadjusted; 0 if it has none.
    pub(crate) previous_close: f64,
}

impl Bar {
    pub(crate) fn close(&self) -> f64 {
        self.prices[3]
    }

    /// Returns true if two bars of a day agree. If one of them lacks a delivery figure, they still agree.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let delivered = self.delivered == other.delivered || self.delivered.min(other.delivered) < 0;
        let same = |(a, b): (&f64, &f64)| a.total_cmp(b).is_eq();
        self.prices.iter().zip(&other.prices).all(same) && self.volume == other.volume && delivered
    }

    /// Formats the prices and the volume for reports of refused and contradicting bars.
    pub(crate) fn prices_and_volume(&self) -> String {
        let [open, high, low, close] = self.prices;
        format!("{open},{high},{low},{close},{}", self.volume)
    }
}

impl SpooledRows for Vec<Bar> {
    fn bytes(&self) -> u64 {
        (self.capacity() * size_of::<Bar>()) as u64
    }

    fn write(&self, to: &mut SpooledBytes) {
        to.write_column(self.iter().map(|bar| bar.date.num_days_from_ce().to_ne_bytes()));
        to.write_column(self.iter().map(|bar| bar.file.to_ne_bytes()));
        to.write_column(self.iter().map(|bar| bar.line.to_ne_bytes()));
        to.write_column(self.iter().map(|bar| [bar.series as u8]));
        to.write_column(
            self.iter().flat_map(|bar| bar.prices).map(f64::to_ne_bytes).collect::<Vec<_>>().into_iter(),
        );
        to.write_column(self.iter().map(|bar| bar.volume.to_ne_bytes()));
        to.write_column(self.iter().map(|bar| bar.delivered.to_ne_bytes()));
        to.write_column(self.iter().map(|bar| bar.previous_close.to_ne_bytes()));
    }

    fn read(from: &mut SpooledBytes) -> Option<Self> {
        let dates = from.column(i32::from_ne_bytes)?;
        let (files, lines) = (from.column(u32::from_ne_bytes)?, from.column(u32::from_ne_bytes)?);
        let (series, prices) =
            (from.column(|[number]| Series::from_discriminant(number))?, from.column(f64::from_ne_bytes)?);
        let (volumes, delivered) = (from.column(i64::from_ne_bytes)?, from.column(i64::from_ne_bytes)?);
        let keys = dates.into_iter().zip(files).zip(lines).zip(series);
        let figures =
            prices.as_chunks().0.iter().zip(volumes).zip(delivered).zip(from.column(f64::from_ne_bytes)?);
        let bars = keys.zip(figures).map(
            |((((date, file), line), series), (((prices, volume), delivered), previous_close))| {
                let date = NaiveDate::from_num_days_from_ce_opt(date)?;
                Some(Bar { date, file, line, series, prices: *prices, volume, delivered, previous_close })
            },
        );
        bars.collect()
    }
}

/// The bars of one symbol: equally long columns, in the order of sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SymbolBars {
    /// The symbol, in capitals.
    pub symbol: String,
    /// Positions in [`crate::RawMarket::sessions`], ascending.
    pub session: Vec<u32>,
    /// The series of each bar.
    pub series: Vec<Series>,
    /// Unadjusted open, in the market's currency.
    pub open: Vec<f64>,
    /// Unadjusted high, in the market's currency.
    pub high: Vec<f64>,
    /// Unadjusted low, in the market's currency.
    pub low: Vec<f64>,
    /// Unadjusted close, in the market's currency.
    pub close: Vec<f64>,
    /// Unadjusted, in shares.
    pub volume: Vec<i64>,
    /// Unadjusted, in shares; -1 where there is no figure.
    pub delivered: Vec<i64>,
    /// Shares that one share of the first bar has become by splits and bonuses: multiplies the bar's prices (and divides its volumes) to
    /// make them those of the first share.
    pub cumulative_split_factor: Vec<f64>,
    /// The factor at the market's last session: `cumulative_split_factor` divided by it adjusts to today's shares.
    pub cumulative_split_factor_now: f64,
    /// Shares outstanding on the day; NaN where unknown.
    pub shares: Vec<f64>,
    /// True if `shares` was published only after the session, or is too old.
    pub shares_assumed: Vec<bool>,
    /// Values of `shares` and `shares_assumed` at the market's last session.
    pub shares_now: (f64, bool),
    /// Number of unexplained jumps up to the bar; no figure spans two price segments.
    pub price_segment: Vec<u32>,
    /// Base of the day's change, adjusted to the shares of the bar: the close of the exchange's previous session; NaN if it is unknown.
    pub previous_close: Vec<f64>,
}

impl SymbolBars {
    /// Returns the number of bars.
    pub fn len(&self) -> usize {
        self.session.len()
    }

    /// Returns the factor of each bar that multiplies its prices (and divides its volumes) to adjust them for later splits and bonuses.
    pub fn factors(&self) -> impl Iterator<Item = f64> + '_ {
        self.cumulative_split_factor.iter().map(|shares| shares / self.cumulative_split_factor_now)
    }

    /// Returns true if there is no bar.
    pub fn is_empty(&self) -> bool {
        self.session.is_empty()
    }
}

impl SpooledRows for SymbolBars {
    fn bytes(&self) -> u64 {
        /// Bytes of a row of all columns.
        const ROW_BYTES: usize = 5 * 8 + 2 * 8 + 2 * 8 + 2 * 4 + 2;
        (self.symbol.len() + self.len() * ROW_BYTES) as u64
    }

    fn write(&self, to: &mut SpooledBytes) {
        let (now, (shares_now, is_assumed)) = (self.cumulative_split_factor_now, self.shares_now);
        to.write_column(self.symbol.bytes().map(|byte| [byte]));
        to.write_column([now, shares_now, f64::from(u8::from(is_assumed))].into_iter().map(f64::to_ne_bytes));
        for numbers in [&self.session, &self.price_segment] {
            to.write_column(numbers.iter().map(|number| number.to_ne_bytes()));
        }
        to.write_column(self.series.iter().map(|series| [*series as u8]));
        for figures in [
            &self.open,
            &self.high,
            &self.low,
            &self.close,
            &self.cumulative_split_factor,
            &self.shares,
            &self.previous_close,
        ] {
            to.write_column(figures.iter().map(|figure| figure.to_ne_bytes()));
        }
        for shares in [&self.volume, &self.delivered] {
            to.write_column(shares.iter().map(|shares| shares.to_ne_bytes()));
        }
        to.write_column(self.shares_assumed.iter().map(|assumed| [u8::from(*assumed)]));
    }

    fn read(from: &mut SpooledBytes) -> Option<Self> {
        let symbol = String::from_utf8(from.column(|[byte]| byte)?).ok()?;
        let [cumulative_split_factor_now, shares_now, is_assumed] =
            from.column(f64::from_ne_bytes)?.try_into().ok()?;
        Some(Self {
            symbol,
            shares_now: (shares_now, is_assumed != 0.0),
            cumulative_split_factor_now,
            session: from.column(u32::from_ne_bytes)?,
            price_segment: from.column(u32::from_ne_bytes)?,
            series: from.column(|[number]| Series::from_discriminant(number))?,
            open: from.column(f64::from_ne_bytes)?,
            high: from.column(f64::from_ne_bytes)?,
            low: from.column(f64::from_ne_bytes)?,
            close: from.column(f64::from_ne_bytes)?,
            cumulative_split_factor: from.column(f64::from_ne_bytes)?,
            shares: from.column(f64::from_ne_bytes)?,
            previous_close: from.column(f64::from_ne_bytes)?,
            volume: from.column(i64::from_ne_bytes)?,
            delivered: from.column(i64::from_ne_bytes)?,
            shares_assumed: from.column(|[assumed]| assumed != 0)?,
        })
    }
}

/// Summary of a stock's bars, available without reading them.
#[derive(Debug, Clone, PartialEq)]
pub struct StockSpan {
    /// The symbol.
    pub symbol: String,
    /// Number of bars.
    pub bars: usize,
    /// The positions of the sessions of the first and the last bar.
    pub sessions: (u32, u32),
    /// The close of the last bar, unadjusted.
    pub last_close: f64,
    /// Shares outstanding at the last bar; NaN where unknown.
    pub last_shares: f64,
    /// The position of the first session with known shares, if earlier bars have assumed ones.
    pub shares_known_from: Option<u32>,
    /// As [`SymbolBars::cumulative_split_factor_now`].
    pub cumulative_split_factor_now: f64,
    /// As [`SymbolBars::shares_now`].
    pub shares_now: (f64, bool),
}

impl StockSpan {
    /// Summarises bars; `None` if there are none.
    pub fn from_bars(bars: &SymbolBars) -> Option<Self> {
        let known = bars.shares_assumed.iter().position(|assumed| !assumed).filter(|first| *first > 0);
        Some(Self {
            symbol: bars.symbol.clone(),
            bars: bars.len(),
            sessions: (*bars.session.first()?, *bars.session.last()?),
            last_close: *bars.close.last()?,
            last_shares: *bars.shares.last()?,
            shares_known_from: known.and_then(|first| bars.session.get(first).copied()),
            cumulative_split_factor_now: bars.cumulative_split_factor_now,
            shares_now: bars.shares_now,
        })
    }
}

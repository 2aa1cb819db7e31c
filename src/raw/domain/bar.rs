//! A bar while the files are read, and a symbol's bars when they are done.
//!
//! The first is a row of 64 bytes that remembers its file and line; the second is columns, sorted by session, that do not.

use chrono::NaiveDate;
use serde::Serialize;

/// The series of a bar of NSE; a US bar has none. Where a symbol has several on a day, the earlier wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[repr(u8)]
pub enum Series {
    /// Rolling settlement.
    Eq,
    /// Trade for trade.
    Be,
    /// Trade for trade, for companies that do not comply with the exchange's rules.
    Bz,
    /// The market has no series.
    None,
}

impl Series {
    /// The series of a cell, if it is one of common stock.
    pub(crate) fn of(cell: &[u8]) -> Option<Self> {
        match cell {
            b"EQ" => Some(Self::Eq),
            b"BE" => Some(Self::Be),
            b"BZ" => Some(Self::Bz),
            _ => None,
        }
    }

    /// The word for the series; empty for none.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Eq => "EQ",
            Self::Be => "BE",
            Self::Bz => "BZ",
            Self::None => "",
        }
    }
}

/// A bar as a row of a file holds it.
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
    /// -1 where there is no figure.
    pub(crate) delivered: i64,
}

impl Bar {
    pub(crate) fn close(&self) -> f64 {
        self.prices[3]
    }

    /// Whether two bars say the same of a day. A delivery figure that one of them lacks is no difference.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let delivered = self.delivered == other.delivered || self.delivered.min(other.delivered) < 0;
        let same = |(a, b): (&f64, &f64)| a.total_cmp(b).is_eq();
        self.prices.iter().zip(&other.prices).all(same) && self.volume == other.volume && delivered
    }

    /// The bar in short, for examples and late refusals.
    pub(crate) fn figures(&self) -> String {
        let [open, high, low, close] = self.prices;
        format!("{open},{high},{low},{close},{}", self.volume)
    }
}

/// The bars of one symbol: equally long columns, in the order of sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SymbolBars {
    /// The symbol, in capitals.
    pub symbol: String,
    /// Positions in [`crate::raw::RawMarket::sessions`], ascending.
    pub session: Vec<u32>,
    /// The series that the bar is of.
    pub series: Vec<Series>,
    /// Unadjusted, in the market's currency.
    pub open: Vec<f64>,
    /// Unadjusted, in the market's currency.
    pub high: Vec<f64>,
    /// Unadjusted, in the market's currency.
    pub low: Vec<f64>,
    /// Unadjusted, in the market's currency.
    pub close: Vec<f64>,
    /// Unadjusted, in shares.
    pub volume: Vec<i64>,
    /// Unadjusted, in shares; -1 where there is no figure.
    pub delivered: Vec<i64>,
    /// How many shares one share of the first bar has become by splits and bonuses: it multiplies the prices of the bar (and
    /// divides its volumes) to make them those of the first share.
    pub cumulative_split_factor: Vec<f64>,
    /// The same by the market's last session: `cumulative_split_factor` over it adjusts to the shares of today.
    pub cumulative_split_factor_now: f64,
    /// Shares outstanding on the day; NaN where unknown.
    pub shares: Vec<f64>,
    /// Whether they are a count that was known only later, or one too old.
    pub shares_assumed: Vec<bool>,
    /// Both on the market's last session.
    pub shares_now: (f64, bool),
    /// Counts up from 0 with each unexplained jump; no figure looks across two price segments.
    pub price_segment: Vec<u32>,
}

impl SymbolBars {
    /// The number of bars.
    pub fn len(&self) -> usize {
        self.session.len()
    }

    /// What multiplies the prices of each bar (and divides its volumes) to adjust them for later splits and bonuses.
    pub fn factors(&self) -> impl Iterator<Item = f64> + '_ {
        self.cumulative_split_factor.iter().map(|shares| shares / self.cumulative_split_factor_now)
    }

    /// Whether there is no bar.
    pub fn is_empty(&self) -> bool {
        self.session.is_empty()
    }
}

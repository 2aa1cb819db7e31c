//! The bars of each symbol, collected from the pieces of price files in the order of the files.
//!
//! The bars are unsorted and have duplicates. If memory is bounded, they are spooled in stretches.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::accounts::ending::FileEnding;
use crate::accounts::refused::RefusedRows;
use crate::accounts::row_accounts::Counts;
use crate::domain::bar::Bar;
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::instrument_filter::{self, DatedIsin, Eligibility};
use crate::parse_cache::piece_batch::PieceAccount;
use crate::parse_cache::price_rows::{ParsedPrice, PriceSplit, RowIsin};
use crate::spool::{Spool, SpooledValue};
use parquote_catalogue::operation::Market;

/// The bars of a symbol as they were read.
#[derive(Debug)]
pub(crate) struct GatheredBars {
    pub(crate) symbol: String,
    pub(crate) is_index: bool,
    /// Stretches of bars, in the order of the files.
    pub(crate) bars: Vec<SpooledValue<Vec<Bar>>>,
}

impl GatheredBars {
    /// Takes the bars out of the spool.
    pub(crate) fn take_bars(&mut self) -> Result<Vec<Bar>, RawError> {
        let mut stretches = std::mem::take(&mut self.bars).into_iter();
        let mut bars = stretches.next().map_or_else(|| Ok(Vec::new()), SpooledValue::into_value)?;
        for stretch in stretches {
            bars.extend(stretch.into_value()?);
        }
        Ok(bars)
    }
}

/// Consecutive rows of a price file.
#[derive(Debug)]
pub(crate) struct PricePiece {
    /// Bars that are used, each with the number of its symbol.
    bars: Vec<(u32, Bar)>,
    /// The symbols of all rows.
    symbols: Vec<PieceSymbol>,
    /// Splits of its stocks, each with the number of its symbol.
    pub(crate) splits: Vec<(u32, PriceSplit)>,
    pub(crate) counts: Counts,
    pub(crate) refused: RefusedRows,
    pub(crate) ending: FileEnding,
}

/// A symbol that occurs in a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceSymbol {
    pub(crate) number: u32,
    pub(crate) eligibility: Eligibility,
    /// The newest ISIN of its rows.
    pub(crate) isin: Option<DatedIsin>,
}

/// Symbols, numbered in the order of their first occurrence.
#[derive(Default)]
pub(crate) struct SymbolNumbers {
    pub(crate) symbols: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// Collected bars, by the number of their symbol.
#[derive(Default)]
pub(crate) struct BarsBySymbol {
    bars: Vec<Vec<Bar>>,
    /// Spooled earlier bars.
    stretches: Vec<Vec<SpooledValue<Vec<Bar>>>>,
    isins: Vec<Option<DatedIsin>>,
    /// The date of the newest bar.
    pub(crate) last: Option<NaiveDate>,
    /// The bytes of `bars`.
    pub(crate) bytes: u64,
}

impl PricePiece {
    /// Selects the bars of parsed rows that are used.
    pub(crate) fn from_rows(
        rows: &[ParsedPrice],
        splits: &[PriceSplit],
        mut symbols: Vec<PieceSymbol>,
        account: PieceAccount,
    ) -> Self {
        let mut bars = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(symbol) = symbols.get_mut(row.symbol as usize) else { continue };
            if let RowIsin::Isin(isin) = row.isin
                && !matches!(row.unused, Some(Reason::AfterAsOf | Reason::StillToCome))
            {
                symbol.isin = symbol.isin.max(Some((row.bar.date, isin)));
            }
            bars.extend(row.unused.is_none().then_some((symbol.number, row.bar)));
        }
        let PieceAccount { read, refused, ending } = account;
        let counts = Counts { rows: bars.len() as u64, read, ..Counts::default() };
        let number = |split: &PriceSplit| Some((symbols.get(split.symbol as usize)?.number, *split));
        let splits = splits.iter().filter_map(number).collect();
        Self { bars, symbols, splits, counts, refused, ending }
    }
}

impl SymbolNumbers {
    /// Returns the number of a symbol, a new one at its first occurrence.
    pub(crate) fn number(&mut self, symbol: &str) -> u32 {
        if let Some(number) = self.numbers.get(symbol) {
            return *number;
        }
        let number = self.symbols.len() as u32;
        self.symbols.push(symbol.to_owned());
        self.numbers.insert(symbol.to_owned(), number);
        number
    }
}

impl BarsBySymbol {
    /// Adds a piece of a file. Capacity is reserved for `files_left` files, which include this one, unless memory is bounded.
    pub(crate) fn add(&mut self, piece: PricePiece, files_left: usize, bound: Option<u64>) {
        // In files of a day each, a new symbol gets at most one bar per file: capacity for these is reserved once.
        let is_of_a_day = bound.is_none() && piece.bars.len() <= piece.symbols.len();
        for symbol in piece.symbols {
            let number = symbol.number as usize;
            if number >= self.bars.len() {
                self.bars.resize_with(number + 1, Vec::new);
                self.stretches.resize_with(number + 1, Vec::new);
                self.isins.resize(number + 1, None);
            }
            if let Some(isin) = self.isins.get_mut(number) {
                *isin = symbol.isin.max(*isin);
            }
        }
        self.last = self.last.max(piece.bars.iter().map(|(_, bar)| bar.date).max());
        for (number, bar) in piece.bars {
            if let Some(bars) = self.bars.get_mut(number as usize) {
                let capacity = bars.capacity();
                if is_of_a_day && bars.is_empty() {
                    bars.reserve_exact(files_left);
                }
                bars.push(bar);
                self.bytes += ((bars.capacity() - capacity) * size_of::<Bar>()) as u64;
            }
        }
    }

    /// Spools all bars as stretches of their symbols.
    pub(crate) fn spool_all(&mut self, spool: &Arc<Spool>) -> Result<(), RawError> {
        for (bars, stretches) in self.bars.iter_mut().zip(&mut self.stretches) {
            if !bars.is_empty() {
                stretches.push(spool.store(std::mem::take(bars))?);
            }
        }
        self.bytes = 0;
        Ok(())
    }

    /// Returns symbols with their newest ISINs.
    pub(crate) fn isins<'n>(
        &'n self,
        numbers: &'n SymbolNumbers,
    ) -> impl Iterator<Item = (String, DatedIsin)> + 'n {
        let pairs = numbers.symbols.iter().zip(&self.isins);
        pairs.filter_map(|(symbol, isin)| Some((symbol.clone(), (*isin)?)))
    }

    /// Returns all bars by symbol.
    pub(crate) fn by_symbol(
        mut self,
        numbers: SymbolNumbers,
        market: Market,
        spool: &Arc<Spool>,
    ) -> Result<Vec<GatheredBars>, RawError> {
        self.spool_all(spool)?;
        let pairs = numbers.symbols.into_iter().zip(self.stretches);
        let mut symbols: Vec<GatheredBars> = pairs
            .filter(|(_, bars)| !bars.is_empty())
            .map(|(symbol, bars)| {
                let is_index = symbol == instrument_filter::benchmark(market);
                GatheredBars { symbol, is_index, bars }
            })
            .collect();
        symbols.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        Ok(symbols)
    }
}

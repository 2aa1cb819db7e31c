//! The bars from which tables are derived symbol by symbol: read from raw files in this run, or published before.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;

use super::sources;
use super::warm_start::{GoesOn, Passed};
use crate::engine::long_table::LongTable;
use crate::operation::{Market, Table};
use crate::raw::{Session, SymbolBars};

/// The bars of all stocks of a market.
pub(super) enum Bars {
    /// As raw files gave them, of each stock those that are passed.
    Read(Vec<Passed>),
    /// As their table has them.
    Published(Arc<LongTable>),
}

/// The bars of some neighbouring stocks.
pub(super) enum Chunk {
    /// As raw files gave them.
    Read(Vec<Passed>),
    /// Symbols of their table.
    Published(Arc<LongTable>, Vec<String>),
}

impl Bars {
    /// All bars that raw files gave.
    pub(super) fn read(stocks: Vec<SymbolBars>) -> Self {
        Self::Read(stocks.into_iter().map(Passed::whole).collect())
    }

    /// The calendar years behind whose last rows stocks go on.
    pub(super) fn years_behind(&self) -> BTreeSet<i32> {
        let stocks = if let Self::Read(stocks) = self { stocks.as_slice() } else { &[] };
        stocks.iter().filter_map(|stock| Some(stock.goes_on?.year)).collect()
    }

    /// How many stocks there are.
    pub(super) fn stocks(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.len(),
            Self::Published(table) => table.symbols().len(),
        }
    }

    /// Parts the stocks into chunks of about so many bars, in their order, whoever passes them.
    pub(super) fn chunks(self, bars: usize) -> Vec<Chunk> {
        match self {
            Self::Read(stocks) => {
                chunked(stocks, bars, |stock| stock.bars.len()).into_iter().map(Chunk::Read).collect()
            }
            Self::Published(table) => chunked(table.symbols(), bars, |(_, rows)| *rows)
                .into_iter()
                .map(|part| {
                    Chunk::Published(Arc::clone(&table), part.into_iter().map(|(symbol, _)| symbol).collect())
                })
                .collect(),
        }
    }
}

impl Chunk {
    /// How many stocks it has.
    pub(super) fn stocks(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.len(),
            Self::Published(_, symbols) => symbols.len(),
        }
    }

    /// The symbols whose rows go on behind a bar of theirs.
    pub(super) fn going_on(&self) -> Vec<(&str, GoesOn)> {
        let Self::Read(stocks) = self else { return Vec::new() };
        stocks.iter().filter_map(|stock| Some((stock.bars.symbol.as_str(), stock.goes_on?))).collect()
    }

    /// Its rows in the columns of the table of bars: of published ones, in those that are wanted.
    pub(super) fn rows(
        &self,
        table: &Table,
        market: Market,
        sessions: &[Session],
        wanted: &BTreeSet<String>,
    ) -> Result<RecordBatch> {
        match self {
            Self::Read(stocks) => {
                let stocks: Vec<&SymbolBars> = stocks.iter().map(|stock| &stock.bars).collect();
                sources::bars(table, market, &stocks, sessions)
            }
            Self::Published(published, symbols) => published.rows(symbols, |name| wanted.contains(name)),
        }
    }
}

fn chunked<T>(items: Vec<T>, bars: usize, size: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
    let mut chunks: Vec<Vec<T>> = Vec::new();
    let mut held = usize::MAX;
    for item in items {
        if held >= bars {
            chunks.push(Vec::new());
            held = 0;
        }
        held += size(&item);
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(item);
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_close_when_they_hold_enough() {
        assert_eq!(chunked(vec![3, 3, 5, 1, 9, 2], 6, |n| *n), [vec![3, 3], vec![5, 1], vec![9], vec![2]]);
        assert!(chunked(Vec::<usize>::new(), 6, |n| *n).is_empty());
    }
}

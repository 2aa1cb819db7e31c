//! The bars from which tables are derived symbol by symbol: just read from raw files, or published before.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;

use super::raw::{Session, SymbolBars};
use super::resume::{Passed, Resume};
use super::sources;
use crate::engine::long_table::LongTable;
use crate::operation::{Market, Table};

/// The bars of all stocks of a market.
pub(super) enum Bars {
    /// As raw files gave them, of each stock those that are passed.
    Read(Vec<Passed>),
    /// As `daily_prices` has them.
    Published(Arc<LongTable>),
}

/// The bars of some neighbouring stocks.
pub(super) enum Chunk {
    /// As raw files gave them.
    Read(Vec<Passed>),
    /// Symbols of `daily_prices`.
    Published(Arc<LongTable>, Vec<String>),
}

impl Bars {
    /// All bars that raw files gave.
    pub(super) fn read(stocks: Vec<SymbolBars>) -> Self {
        Self::Read(stocks.into_iter().map(Passed::whole).collect())
    }

    /// Of bars that raw files gave, those that are needed to take histories up again.
    ///
    /// Changed stocks are passed whole.
    pub(super) fn resumed(self, resume: &Resume, sessions: &[Session], changed: &BTreeSet<String>) -> Self {
        match self {
            Self::Read(stocks) => {
                let passed = stocks.into_iter().filter_map(|stock| {
                    let is_changed = changed.contains(&stock.bars.symbol);
                    if is_changed { Some(stock) } else { resume.pass(stock.bars, sessions) }
                });
                Self::Read(passed.collect())
            }
            published @ Self::Published(_) => published,
        }
    }

    /// The symbols all of whose bars are passed; of published bars it is not asked.
    pub(super) fn whole(&self) -> impl Iterator<Item = String> {
        let stocks = if let Self::Read(stocks) = self { stocks.as_slice() } else { &[] };
        stocks.iter().filter(|stock| stock.resumes_behind.is_none()).map(|stock| stock.bars.symbol.clone())
    }

    /// How many stocks there are.
    pub(super) fn stocks(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.len(),
            Self::Published(table) => table.symbols().len(),
        }
    }

    /// Parts the stocks into chunks of about so many bars at the most, in their order, so that no core of so many is left
    /// without a chunk at the end.
    pub(super) fn chunks(self, bars: usize, cores: usize) -> Vec<Chunk> {
        match self {
            Self::Read(stocks) => {
                chunked(stocks, bars, cores, |stock| stock.bars.len()).into_iter().map(Chunk::Read).collect()
            }
            Self::Published(table) => chunked(table.symbols(), bars, cores, |(_, rows)| *rows)
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

    /// The symbols that are taken up again, each with the number of the session behind whose bar.
    pub(super) fn resumed(&self) -> Vec<(&str, u32)> {
        let Self::Read(stocks) = self else { return Vec::new() };
        stocks.iter().filter_map(|stock| Some((stock.bars.symbol.as_str(), stock.resumes_behind?))).collect()
    }

    /// Its rows in the columns of `daily_prices`: of published ones, in those that are wanted.
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

fn chunked<T>(items: Vec<T>, most: usize, cores: usize, size: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
    let all: usize = items.iter().map(&size).sum();
    let rounds = all.div_ceil(most * cores).max(1);
    let bars = all.div_ceil(rounds * cores).max(1);
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
        assert_eq!(chunked(vec![3, 3, 5, 1, 9, 2], 6, 1, |n| *n), [vec![3, 3], vec![5, 1], vec![9], vec![2]]);
        assert!(chunked(Vec::<usize>::new(), 6, 1, |n| *n).is_empty());
        // Twelve on two cores with room for five each: two rounds of chunks of three.
        assert_eq!(chunked(vec![1; 12], 5, 2, |n| *n), [vec![1; 3], vec![1; 3], vec![1; 3], vec![1; 3]]);
    }
}

//! Input bars of the per-symbol tables, from raw files or from the published table of bars.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, AsArray as _, RecordBatch};
use datafusion::error::{DataFusionError, Result};

use super::sources;
use super::warm_start::{ContinuationBar, PassInput};
use parquote_catalogue::operation::{Market, Table};
use parquote_engine::long_table::LongTable;
use parquote_raw::{Session, SpooledValue, StockSpan, SymbolBars};

pub(super) type StockBars = (StockSpan, SpooledValue<SymbolBars>);

/// The bars of all stocks of a market.
pub(super) enum InputBars {
    /// Bars from raw files.
    Read(Vec<StockBars>),
    /// Bars from the published table of bars.
    Published(Arc<LongTable>),
}

/// The bars that the symbol pass reads.
pub(super) enum Bars {
    /// Bars from raw files; of each stock only those that the pass needs.
    Read(Vec<PassInput>),
    /// Bars from the published table of bars.
    Published(Arc<LongTable>),
    /// Rows of the table of bars, sorted by symbol, which a work unit has brought to a worker.
    Supplied(RecordBatch),
}

/// The bars of some neighbouring stocks, which are processed together.
pub(super) enum Chunk {
    /// Bars from raw files.
    Read(Vec<PassInput>),
    /// The published table of bars, and the symbols of the chunk.
    Published(Arc<LongTable>, Vec<String>),
    /// Rows of the table of bars, and the number of stocks in them.
    Supplied(RecordBatch, usize),
}

impl Bars {
    /// For each warm-started stock, returns the calendar year of the last bar before its new rows.
    pub(super) fn last_years_before_start(&self) -> BTreeSet<i32> {
        let stocks = if let Self::Read(stocks) = self { stocks.as_slice() } else { &[] };
        stocks.iter().filter_map(|stock| Some(stock.continuation?.year)).collect()
    }

    /// Returns the number of stocks.
    pub(super) fn stocks(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.len(),
            Self::Published(table) => table.symbols().len(),
            Self::Supplied(rows) => runs_of_symbols(rows).len(),
        }
    }

    /// Returns the number of bars.
    pub(super) fn bars(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.iter().map(|stock| stock.len).sum(),
            Self::Published(table) => table.symbols().iter().map(|(_, rows)| rows).sum(),
            Self::Supplied(rows) => rows.num_rows(),
        }
    }

    /// Splits the stocks, in order, into chunks of about `bars` bars each.
    pub(super) fn chunks(self, bars: usize) -> Vec<Chunk> {
        self.chunks_at(bars, |_| true)
    }

    /// Splits the stocks as [`Bars::chunks`] does, but begins a chunk only at a symbol that `may_begin` allows, unless the chunk before it
    /// has at least twice `bars` bars.
    pub(super) fn chunks_at(self, bars: usize, may_begin: impl Fn(&str) -> bool) -> Vec<Chunk> {
        match self {
            Self::Read(stocks) => {
                let chunks =
                    split_into_chunks(stocks, bars, |stock| stock.len, |stock| may_begin(&stock.symbol));
                chunks.into_iter().map(Chunk::Read).collect()
            }
            Self::Published(table) => {
                let chunks = split_into_chunks(
                    table.symbols(),
                    bars,
                    |(_, rows)| *rows,
                    |(symbol, _)| may_begin(symbol),
                );
                let symbols =
                    |part: Vec<(String, usize)>| part.into_iter().map(|(symbol, _)| symbol).collect();
                chunks.into_iter().map(|part| Chunk::Published(Arc::clone(&table), symbols(part))).collect()
            }
            Self::Supplied(rows) => {
                let runs = split_into_chunks(runs_of_symbols(&rows), bars, Range::len, |_| true);
                let slice = |runs: Vec<Range<usize>>| {
                    let first = runs.first().map_or(0, |run| run.start);
                    let end = runs.last().map_or(0, |run| run.end);
                    Chunk::Supplied(rows.slice(first, end - first), runs.len())
                };
                runs.into_iter().map(slice).collect()
            }
        }
    }
}

impl Chunk {
    /// Returns the number of stocks.
    pub(super) fn stocks(&self) -> usize {
        match self {
            Self::Read(stocks) => stocks.len(),
            Self::Published(_, symbols) => symbols.len(),
            Self::Supplied(_, stocks) => *stocks,
        }
    }

    /// Returns the warm-started symbols, each with the last bar before its new rows.
    pub(super) fn warm_started_symbols(&self) -> Vec<(&str, ContinuationBar)> {
        let Self::Read(stocks) = self else { return Vec::new() };
        stocks.iter().filter_map(|stock| Some((stock.symbol.as_str(), stock.continuation?))).collect()
    }

    /// Returns the rows with the columns of the table of bars; rows of published bars have only the `wanted` columns.
    pub(super) fn rows(
        &self,
        table: &Table,
        market: Market,
        sessions: &[Session],
        wanted: &BTreeSet<String>,
    ) -> Result<RecordBatch> {
        match self {
            Self::Read(stocks) => {
                let stocks = stocks.iter().map(|stock| stock.bars.get()).collect::<Result<Vec<_>, _>>();
                let stocks = stocks.map_err(|error| DataFusionError::External(Box::new(error)))?;
                let stocks: Vec<&SymbolBars> = stocks.iter().map(AsRef::as_ref).collect();
                sources::bar_rows(table, market, &stocks, sessions)
            }
            Self::Published(published, symbols) => published.rows(symbols, |name| wanted.contains(name)),
            Self::Supplied(rows, _) => Ok(rows.clone()),
        }
    }
}

/// Returns the row range of each symbol. The rows of a symbol must be adjacent.
fn runs_of_symbols(rows: &RecordBatch) -> Vec<Range<usize>> {
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let Some(symbols) = symbols else { return Vec::new() };
    let mut runs: Vec<Range<usize>> = Vec::new();
    for row in 0..symbols.len() {
        match runs.last_mut() {
            Some(run) if symbols.value(run.start) == symbols.value(row) => run.end = row + 1,
            _ => runs.push(row..row + 1),
        }
    }
    runs
}

fn split_into_chunks<T>(
    items: Vec<T>,
    bars: usize,
    size: impl Fn(&T) -> usize,
    may_begin: impl Fn(&T) -> bool,
) -> Vec<Vec<T>> {
    let mut chunks: Vec<Vec<T>> = Vec::new();
    let mut chunk_bars = usize::MAX;
    for item in items {
        if chunk_bars >= bars.saturating_mul(2) || chunk_bars >= bars && may_begin(&item) {
            chunks.push(Vec::new());
            chunk_bars = 0;
        }
        chunk_bars += size(&item);
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
        let chunks = |sizes: &[usize], may_begin: fn(&usize) -> bool| {
            split_into_chunks(sizes.to_vec(), 6, |n| *n, may_begin)
        };
        assert_eq!(chunks(&[3, 3, 5, 1, 9, 2], |_| true), [vec![3, 3], vec![5, 1], vec![9], vec![2]]);
        assert_eq!(chunks(&[3, 3, 5, 1, 9, 2], |n| *n == 1), [vec![3, 3, 5], vec![1, 9, 2]]);
        assert!(chunks(&[], |_| true).is_empty());
    }
}

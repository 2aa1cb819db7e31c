//! Cuts the symbols of each calendar year into parts, by the number of bars of the symbols in that year.
//!
//! A part ends once it has enough bars and the hash of the next symbol marks a boundary, so that a new or missing stock moves only nearby
//! ends. The cut depends only on the bars, so every machine makes the same one.

use std::collections::BTreeMap;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{exec_datafusion_err, internal_datafusion_err};
use datafusion::error::Result;
use xxhash_rust::xxh3::xxh3_64;

/// Minimum number of bars of a part, except for the last part of a year.
const MIN_BARS: u64 = 12 * 1024;
/// Number of bars from which on a part ends regardless of the hash of the next symbol.
const MOST_BARS: u64 = 48 * 1024;
/// One in this number of symbols, on average, may begin a part.
const PART_BEGINS_ONE_IN: u64 = 16;

/// The bars of a stock in one calendar year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YearBars {
    pub symbol: String,
    pub year: i32,
    /// Number of bars in that year.
    pub bars: u64,
    /// Hash of all bars of the stock up to the end of the year.
    pub digest: i64,
}

/// Reads the rows of the table of bar digests, one for each symbol and year.
///
/// # Errors
/// A column of that table is missing, or a year or bar count is out of range.
pub(super) fn year_bars(rows: &RecordBatch) -> Result<Vec<YearBars>> {
    let missing = || internal_datafusion_err!("digests of bars have a symbol, a year, its bars and a digest");
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let numbers = |name: &str| {
        let column = rows.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
        column.map(|column| column.values().iter().copied()).ok_or_else(missing)
    };
    let rows = symbols.ok_or_else(missing)?.iter().flatten().zip(numbers("year")?);
    let rows = rows.zip(numbers("year_bars")?).zip(numbers("digest")?);
    rows.map(|(((symbol, year), bars), digest)| {
        let unknown = |number: i64| exec_datafusion_err!("{number} is neither a year nor a number of bars");
        Ok(YearBars {
            symbol: symbol.to_owned(),
            year: i32::try_from(year).map_err(|_| unknown(year))?,
            bars: u64::try_from(bars).map_err(|_| unknown(bars))?,
            digest,
        })
    })
    .collect()
}

/// For each year, the first symbol of each part except the first part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct YearCuts(BTreeMap<i32, Vec<String>>);

impl YearCuts {
    /// Cuts the bars of a market, which must be sorted by symbol.
    pub(super) fn from_bars(bars: &[YearBars]) -> Self {
        let mut held: BTreeMap<i32, u64> = BTreeMap::new();
        let mut starts: BTreeMap<i32, Vec<String>> = BTreeMap::new();
        for YearBars { symbol, year, bars, .. } in bars {
            let held = held.entry(*year).or_default();
            let may_begin = || xxh3_64(symbol.as_bytes()).is_multiple_of(PART_BEGINS_ONE_IN);
            if *held >= MOST_BARS || *held >= MIN_BARS && may_begin() {
                starts.entry(*year).or_default().push(symbol.clone());
                *held = 0;
            }
            *held += bars;
        }
        Self(starts)
    }

    /// Returns the first symbol of each part of a year, except for the first part.
    pub(super) fn first_symbols(&self, year: i32) -> &[String] {
        self.0.get(&year).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number of parts of a year.
    pub(super) fn parts(&self, year: i32) -> usize {
        self.first_symbols(year).len() + 1
    }

    /// Returns true if a part begins with a symbol in at least half of the years with several parts. Work that is divided before such a
    /// symbol divides few parts.
    pub(super) fn begins_most(&self, symbol: &str) -> bool {
        let begins =
            |starts: &&Vec<String>| starts.binary_search_by(|start| start.as_str().cmp(symbol)).is_ok();
        self.0.values().filter(begins).count() * 2 >= self.0.len()
    }

    /// Returns the index of the part of a year to which a symbol belongs.
    pub(super) fn part_of(&self, year: i32, symbol: &str) -> usize {
        self.first_symbols(year).partition_point(|start| start.as_str() <= symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(symbols: impl IntoIterator<Item = usize>) -> Vec<YearBars> {
        let of = |number| YearBars { symbol: format!("S{number:05}"), year: 2024, bars: 250, digest: 0 };
        symbols.into_iter().map(of).collect()
    }

    #[test]
    fn parts_have_enough_bars_and_not_too_many() {
        let all = bars(0..3000);
        let cut = YearCuts::from_bars(&all);
        let mut sizes = vec![0; cut.parts(2024)];
        for row in &all {
            sizes[cut.part_of(2024, &row.symbol)] += row.bars;
        }
        let (_, but_the_last) = sizes.split_last().unwrap();
        assert!(but_the_last.iter().all(|size| (MIN_BARS..MOST_BARS + 250).contains(size)), "{sizes:?}");
        assert!(sizes.len() > 30, "{sizes:?}");
        assert_eq!(cut.part_of(2024, "A"), 0);
        assert_eq!((cut.parts(2023), cut.part_of(2023, "S02999")), (1, 0), "a year without bars is one part");
    }

    #[test]
    fn a_stock_less_moves_few_ends() {
        let (all, less) = (
            YearCuts::from_bars(&bars(0..3000)),
            YearCuts::from_bars(&bars((0..3000).filter(|number| *number != 1000))),
        );
        let moved =
            less.first_symbols(2024).iter().filter(|start| !all.first_symbols(2024).contains(start)).count();
        assert!(moved <= 3, "{moved} of {} parts begin elsewhere", less.parts(2024));
    }
}

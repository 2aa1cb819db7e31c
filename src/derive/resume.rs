//! Histories that are taken up again: where the rows of earlier years stand, only later bars are passed, with as many before
//! them as figures look back on.
//!
//! What a figure needs of the bars before those is carried (see [`Table::carried`]); windows begin anew at fixed bars, so that
//! a history which is cut at one has the same figures to the last bit. Stocks that stopped trading are not passed at all.
//!
//! It knows bars and rows, no formula. What it leans on each table made `per: symbol` says of itself (see
//! [`Table::looks_back`]); beside that a bar makes no row more than [`AWAKE`] sessions after its own.

use std::collections::{BTreeSet, HashSet};

use chrono::Datelike;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::Date32Type;
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;

use super::raw::{Session, SymbolBars};
use super::symbol_rows::{symbols, together};
use crate::engine::arrow_types::days;
use crate::engine::functions::FIXED_ROWS;
use crate::operation::Table;

/// Sessions after its last bar for which a stock may have rows.
const AWAKE: u32 = 20;

/// From when on rows are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resume {
    /// The first calendar year whose rows are made.
    year: i32,
    /// The number of its first session.
    first: u32,
    /// The day of that session, in days since 1970.
    day: i32,
    /// Bars before the first that counts which figures look back on.
    looks_back: usize,
}

/// A stock whose bars are passed.
#[derive(Debug)]
pub(super) struct Passed {
    /// All of its bars, or the last ones.
    pub bars: SymbolBars,
    /// The number of the session behind whose bar its rows are made; `None` where they are made from its first bar on.
    pub resumes_behind: Option<u32>,
}

impl Passed {
    /// A stock with all of its bars.
    pub(super) const fn whole(bars: SymbolBars) -> Self {
        Self { bars, resumes_behind: None }
    }
}

impl Resume {
    /// Takes histories up again with a calendar year; `None` where it is the first.
    pub(super) fn with(year: i32, sessions: &[Session], looks_back: usize) -> Option<Self> {
        let first =
            sessions.iter().position(|session| session.date.year() >= year).filter(|first| *first > 0)?;
        let day = sessions.get(first).map(|session| days(session.date))?;
        Some(Self { year, first: u32::try_from(first).ok()?, day, looks_back })
    }

    /// The year before the first whose rows are made: its last rows carry what later ones need.
    pub(super) const fn year_before(&self) -> i32 {
        self.year - 1
    }

    /// What is to be passed of a stock; `None` of one that stopped trading.
    pub(super) fn pass(&self, mut bars: SymbolBars, sessions: &[Session]) -> Option<Passed> {
        let counting = bars.session.partition_point(|session| *session < self.first);
        let Some(behind) = counting.checked_sub(1).and_then(|last| bars.session.get(last).copied()) else {
            return Some(Passed::whole(bars));
        };
        if counting == bars.len() && behind + AWAKE < self.first {
            return None;
        }
        let year = sessions.get(behind as usize).map(|session| session.date.year());
        if year != Some(self.year_before()) {
            // It rested for a year and more: nothing is carried that long.
            return Some(Passed::whole(bars));
        }
        let start = self.start(&bars, counting);
        if start == 0 {
            return Some(Passed::whole(bars));
        }
        cut(&mut bars, start);
        Some(Passed { bars, resumes_behind: Some(behind) })
    }

    /// The first bar to pass: one at which windows begin anew, in the history of the last bar that does not count.
    fn start(&self, bars: &SymbolBars, counting: usize) -> usize {
        let number = counting.checked_sub(1).and_then(|last| bars.history.get(last));
        let history = bars.history.partition_point(|history| Some(history) < number);
        let bars_before = (counting - history).saturating_sub(self.looks_back);
        history + bars_before / FIXED_ROWS * FIXED_ROWS
    }

    /// The rows of a table in one file: those of earlier years as the set before has them, with those that are made.
    ///
    /// `replaced` are the symbols all of whose rows are made. Of two rows with one key the made one stands.
    ///
    /// # Errors
    /// Rows without a symbol and a session.
    pub(super) fn with_standing(
        &self,
        table: &Table,
        standing: &RecordBatch,
        made: &RecordBatch,
        replaced: &BTreeSet<String>,
    ) -> Result<RecordBatch> {
        let made = filter_record_batch(
            made,
            &rows_where(made, |symbol, day| replaced.contains(symbol) || day >= self.day)?,
        )?;
        let keys = keys(table, &made)?.into_iter().collect::<HashSet<_>>();
        let earlier = rows_where(standing, |symbol, day| !replaced.contains(symbol) && day < self.day)?;
        let standing = filter_record_batch(standing, &earlier)?;
        let unmade = self::keys(table, &standing)?.into_iter().map(|key| Some(!keys.contains(&key)));
        let standing = filter_record_batch(&standing, &unmade.collect::<BooleanArray>())?;
        together(&standing, &made, &table.sorted)
    }
}

/// Leaves the bars before `start` out.
fn cut(bars: &mut SymbolBars, start: usize) {
    fn rest<T>(column: &mut Vec<T>, start: usize) {
        *column = column.split_off(start.min(column.len()));
    }
    rest(&mut bars.session, start);
    rest(&mut bars.series, start);
    for prices in [&mut bars.open, &mut bars.high, &mut bars.low, &mut bars.close] {
        rest(prices, start);
    }
    rest(&mut bars.shares_of_one, start);
    rest(&mut bars.shares, start);
    rest(&mut bars.volume, start);
    rest(&mut bars.delivered, start);
    rest(&mut bars.history, start);
}

fn rows_where(rows: &RecordBatch, wanted: impl Fn(&str, i32) -> bool) -> Result<BooleanArray> {
    let sessions = rows.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
    let missing = || internal_datafusion_err!("a table made by symbol has a session");
    let days = sessions.ok_or_else(missing)?.values();
    let rows = symbols(rows)?.iter().zip(days);
    Ok(rows.map(|(symbol, day)| Some(wanted(symbol.unwrap_or_default(), *day))).collect())
}

fn keys(table: &Table, rows: &RecordBatch) -> Result<Vec<OwnedRow>> {
    let columns: Vec<_> = table.key.iter().filter_map(|name| rows.column_by_name(name).cloned()).collect();
    let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
    let encoded = RowConverter::new(fields)?.convert_columns(&columns)?;
    Ok(encoded.iter().map(|row| row.owned()).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::{NaiveDate, TimeDelta};
    use datafusion::arrow::array::{Date32Array, Int64Array, StringViewArray};
    use datafusion::arrow::datatypes::Int64Type;

    use super::super::raw::Series;
    use super::*;

    /// A session a day: 365 in 2023, 366 in 2024, ten in 2025.
    fn sessions() -> Vec<Session> {
        let first = NaiveDate::from_ymd_opt(2023, 1, 1).unwrap();
        (0..741).map(|day| Session { date: first + TimeDelta::days(day), stocks: 1 }).collect()
    }

    /// A stock that traded on these sessions; from its bar `jump` on in a history of its own.
    fn stock(session: Vec<u32>, jump: usize) -> SymbolBars {
        let bars = session.len();
        SymbolBars {
            symbol: "AROHI".into(),
            session,
            series: vec![Series::Eq; bars],
            open: vec![1.0; bars],
            high: vec![1.0; bars],
            low: vec![1.0; bars],
            close: (0..bars).map(|bar| bar as f64).collect(),
            volume: vec![1; bars],
            delivered: vec![-1; bars],
            shares_of_one: vec![1.0; bars],
            shares_of_one_now: 1.0,
            shares: vec![f64::NAN; bars],
            history: (0..bars).map(|bar| u32::from(bar >= jump)).collect(),
        }
    }

    /// The bar with which a stock is passed, and the session behind which its rows are made.
    fn passed(session: Vec<u32>, jump: usize) -> Option<(f64, Option<u32>)> {
        let resume = Resume::with(2025, &sessions(), 300).unwrap();
        let passed = resume.pass(stock(session, jump), &sessions())?;
        Some((passed.bars.close[0], passed.resumes_behind))
    }

    #[test]
    fn a_history_is_cut_where_windows_begin_anew() {
        // 731 bars before 2025; 300 of them are needed, and 431 is behind the sixth block of 64.
        assert_eq!(passed((0..741).collect(), usize::MAX), Some((384.0, Some(730))));
        // A history that began with bar 400 has its blocks from there: 31 bars more than needed, no whole block.
        assert_eq!(passed((0..741).collect(), 400), Some((400.0, Some(730))));
        assert_eq!(passed((0..741).collect(), 350), Some((414.0, Some(730))));
    }

    #[test]
    fn what_cannot_be_cut_is_passed_whole_and_what_rests_is_not_passed() {
        assert_eq!(passed((733..741).collect(), usize::MAX), Some((0.0, None)), "listed in the year");
        assert_eq!(passed((500..741).collect(), usize::MAX), Some((0.0, None)), "too short to be cut");
        let back = (0..360).chain(735..741).collect();
        assert_eq!(passed(back, usize::MAX), Some((0.0, None)), "back after a year and more");
        assert_eq!(passed((0..700).collect(), usize::MAX), None, "traded last in November");
        assert_eq!(passed((0..725).collect(), usize::MAX), Some((384.0, Some(724))), "may trade again");
        assert!(Resume::with(2023, &sessions(), 300).is_none());
    }

    #[test]
    fn rows_that_stand_give_way_to_made_ones_of_their_key() {
        let table = "-- Bars: the last.\n--\n-- key: symbol\n-- sorted: symbol\n-- per: symbol\n-- looks-back: 0\n\
            -- column: symbol text\n-- column: session date\n-- column: made int \"Which derivation made it.\"\nSELECT 1";
        let table = Table::parse("tables/last.sql", table).unwrap();
        let resume = Resume::with(2025, &sessions(), 300).unwrap();
        let rows = |rows: &[(&str, i32)], made: i64| {
            let symbols: StringViewArray = rows.iter().map(|(symbol, _)| Some(*symbol)).collect();
            let days: Date32Array = rows.iter().map(|(_, day)| Some(resume.day + day)).collect();
            RecordBatch::try_from_iter([
                ("symbol", Arc::new(symbols) as _),
                ("session", Arc::new(days) as _),
                ("made", Arc::new(Int64Array::from(vec![made; rows.len()])) as _),
            ])
            .unwrap()
        };
        let standing =
            rows(&[("GONE", -90), ("QUIET", -3), ("TRADES", -1), ("SPLIT", -200), ("TODAY", 4)], 1);
        let made = rows(&[("QUIET", -3), ("TRADES", 5), ("SPLIT", -200), ("TODAY", 5)], 2);
        let replaced = BTreeSet::from(["SPLIT".to_owned()]);
        let both = resume.with_standing(&table, &standing, &made, &replaced).unwrap();
        let symbols = both.column(0).as_string_view().iter().flatten();
        let by: Vec<(&str, i64)> =
            symbols.zip(both.column(2).as_primitive::<Int64Type>().values().iter().copied()).collect();
        assert_eq!(by, [("GONE", 1), ("QUIET", 1), ("SPLIT", 2), ("TODAY", 2), ("TRADES", 2)]);
    }
}

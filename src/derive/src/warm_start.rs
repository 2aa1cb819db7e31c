//! Warm start: if rows of earlier years exist, only rows of later bars are computed, from these bars and the lookback before them.
//!
//! Carried columns have all that rows need of still earlier bars (see [`Table::carried`]). Windows begin at fixed bars, so that a price
//! segment that is cut at such a bar has the same figures to the last bit.
//!
//! This file knows no formula. Each `per: symbol` table declares its lookback (see [`Table::lookback`]). A stock has rows up to
//! [`ROWS_AFTER_LAST_BAR`] sessions after its last bar.
//!
//! [`Table::carried`]: parquote_catalogue::operation::Table::carried
//! [`Table::lookback`]: parquote_catalogue::operation::Table::lookback

use chrono::Datelike as _;
use datafusion::error::Result;

use super::error::DeriveError;
use super::sessions;
use parquote_functions::FIXED_ROWS;
use parquote_raw::{Session, SpooledValue, StockSpan, SymbolBars};

/// Number of sessions after its last bar for which a stock may have rows.
const ROWS_AFTER_LAST_BAR: u32 = 20;

/// A stock with the bars that the symbol pass reads.
#[derive(Debug)]
pub(super) struct PassInput {
    pub symbol: String,
    /// All of its bars, or only the last ones.
    pub bars: SpooledValue<SymbolBars>,
    /// The number of bars in `bars`.
    pub len: usize,
    /// The last bar before its new rows; `None` if all of its rows are computed.
    pub continuation: Option<ContinuationBar>,
}

/// The last bar of a stock before its new rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContinuationBar {
    /// Its session number.
    pub bar: u32,
    /// Its calendar year. Its row in the previous set has the carried figures.
    pub year: i32,
}

impl PassInput {
    pub(super) fn with_all_bars(stock: StockSpan, bars: SpooledValue<SymbolBars>) -> Self {
        Self { symbol: stock.symbol, bars, len: stock.bars, continuation: None }
    }
}

/// The calendar years in which a stock may have rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StockYears {
    pub first_bar: i32,
    pub last_bar: i32,
    /// Year of the session that is [`ROWS_AFTER_LAST_BAR`] sessions after its last bar, or of the last session.
    pub last_row: i32,
}

/// Returns the calendar years in which a stock may have rows, by the sessions of its first and last bar.
///
/// # Errors
/// A session does not exist.
pub(super) fn years_of((first, last): (u32, u32), sessions: &[Session]) -> Result<StockYears> {
    let first_bar = sessions::year(sessions, first)?;
    let last_bar = sessions::year(sessions, last)?;
    let last_session = sessions.get((last + ROWS_AFTER_LAST_BAR) as usize).or_else(|| sessions.last());
    let last_row = last_session.map_or(last_bar, |session| session.date.year());
    Ok(StockYears { first_bar, last_bar, last_row })
}

/// Selects the bars of a stock that the rows from a calendar year on need: those of these years, and at least `lookback` bars before them.
///
/// # Errors
/// A session does not exist, or bars cannot be read.
pub(super) fn build_pass_input(
    stock: StockSpan,
    bars: SpooledValue<SymbolBars>,
    year: i32,
    lookback: usize,
    sessions: &[Session],
) -> Result<PassInput, DeriveError> {
    let first = sessions.partition_point(|session| session.date.year() < year);
    if stock.sessions.0 as usize >= first {
        return Ok(PassInput::with_all_bars(stock, bars));
    }
    let all_bars = bars.get()?;
    let first_computed = all_bars.session.partition_point(|session| (*session as usize) < first);
    let previous_session = first_computed.checked_sub(1).and_then(|last| all_bars.session.get(last).copied());
    let start = first_bar_to_read(&all_bars, first_computed, lookback);
    let continuation_bar = |bar| Ok(ContinuationBar { bar, year: sessions::year(sessions, bar)? });
    let continuation =
        previous_session.map(continuation_bar).transpose().map_err(DeriveError::row_error(&stock.symbol))?;
    // All bars are read of a stock without a bar in the previous year, as the rows of that year have the carried figures.
    let continuation = continuation.filter(|continuation| start > 0 && continuation.year == year - 1);
    drop(all_bars);
    if continuation.is_none() {
        return Ok(PassInput::with_all_bars(stock, bars));
    }
    let bars = bars.change(|bars| drop_bars_before(bars, start))?;
    Ok(PassInput { symbol: stock.symbol, bars, len: stock.bars - start, continuation })
}

/// Returns the index of the first bar to read. It is in the price segment of the bar before `first_computed`, the first bar whose rows are
/// computed. It is a whole number of fixed windows after the start of the segment, and at least `lookback` bars before `first_computed` if
/// the segment is that long.
fn first_bar_to_read(bars: &SymbolBars, first_computed: usize, lookback: usize) -> usize {
    let number = first_computed.checked_sub(1).and_then(|last| bars.price_segment.get(last));
    let price_segment = bars.price_segment.partition_point(|price_segment| Some(price_segment) < number);
    let bars_before = (first_computed - price_segment).saturating_sub(lookback);
    price_segment + bars_before / FIXED_ROWS * FIXED_ROWS
}

/// Drops the bars before `start`.
fn drop_bars_before(bars: &mut SymbolBars, start: usize) {
    fn drop_rows_before<T>(column: &mut Vec<T>, start: usize) {
        *column = column.split_off(start.min(column.len()));
    }
    // All fields are listed, so that a new column does not compile until it is added here.
    let SymbolBars {
        symbol: _,
        session,
        series,
        open,
        high,
        low,
        close,
        volume,
        delivered,
        cumulative_split_factor,
        cumulative_split_factor_now: _,
        shares,
        shares_assumed,
        shares_now: _,
        price_segment,
        previous_close,
    } = bars;
    drop_rows_before(session, start);
    drop_rows_before(series, start);
    for column in [open, high, low, close, cumulative_split_factor, shares, previous_close] {
        drop_rows_before(column, start);
    }
    drop_rows_before(volume, start);
    drop_rows_before(delivered, start);
    drop_rows_before(shares_assumed, start);
    drop_rows_before(price_segment, start);
}

#[cfg(test)]
mod tests {
    use chrono::{NaiveDate, TimeDelta};

    use super::*;
    use parquote_raw::{Series, Spool};

    /// One session a day: 365 in 2023, 366 in 2024, ten in 2025.
    fn sessions() -> Vec<Session> {
        let first = NaiveDate::from_ymd_opt(2023, 1, 1).unwrap();
        (0..741).map(|day| Session { date: first + TimeDelta::days(day), stocks: 1 }).collect()
    }

    /// Builds a stock that traded on these sessions; a new price segment begins at its bar `jump`.
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
            cumulative_split_factor: vec![1.0; bars],
            cumulative_split_factor_now: 1.0,
            shares: vec![f64::NAN; bars],
            shares_assumed: vec![false; bars],
            shares_now: (f64::NAN, false),
            price_segment: (0..bars).map(|bar| u32::from(bar >= jump)).collect(),
            previous_close: (0..bars).map(|bar| bar as f64 - 1.0).collect(),
        }
    }

    /// Returns the close of the first bar that is read for the rows of 2025, which is its index, and the session of the last bar before
    /// these rows.
    fn passed(session: &(impl Iterator<Item = u32> + Clone), jump: usize) -> (f64, Option<u32>) {
        // Bars in memory and bars in a spool file give the same result.
        let passed = [None, Some(0)].map(|held| {
            let bars = stock(session.clone().collect(), jump);
            let (span, spool) = (StockSpan::from_bars(&bars).unwrap(), Spool::new(None, held));
            let passed = build_pass_input(span, spool.store(bars).unwrap(), 2025, 300, &sessions()).unwrap();
            let bars = passed.bars.into_value().unwrap();
            assert_eq!(bars.len(), passed.len);
            assert_eq!(bars.previous_close.len(), bars.len());
            let of_before: Vec<f64> = bars.close.iter().map(|close| close - 1.0).collect();
            assert_eq!(bars.previous_close, of_before);
            (bars.close[0], passed.continuation.map(|continuation| continuation.bar))
        });
        assert_eq!(passed[0], passed[1]);
        passed[0]
    }

    #[test]
    fn a_history_is_cut_where_windows_begin_anew() {
        // 731 bars before 2025; 300 of them are needed, and 431 is after the sixth block of 64.
        assert_eq!(passed(&(0..741), usize::MAX), (384.0, Some(730)));
        // The blocks of a price segment that began with bar 400 start there: 31 bars more than needed, less than a block.
        assert_eq!(passed(&(0..741), 400), (400.0, Some(730)));
        assert_eq!(passed(&(0..741), 350), (414.0, Some(730)));
    }

    #[test]
    fn what_cannot_be_cut_is_passed_whole() {
        assert_eq!(passed(&(733..741), usize::MAX), (0.0, None), "listed in the year");
        assert_eq!(passed(&(500..741), usize::MAX), (0.0, None), "too short to be cut");
        let back = (0..360).chain(735..741);
        assert_eq!(passed(&back, usize::MAX), (0.0, None), "back after a year and more");
        assert_eq!(passed(&(0..725), usize::MAX), (384.0, Some(724)), "may trade again");
    }

    #[test]
    fn a_stock_has_rows_until_some_sessions_after_its_last_bar() {
        let years = |first, last| {
            let years = years_of((first, last), &sessions()).unwrap();
            (years.first_bar, years.last_bar, years.last_row)
        };
        assert_eq!(years(0, 699), (2023, 2024, 2024), "traded last in November");
        assert_eq!(years(400, 724), (2024, 2024, 2025), "traded last a week before new year");
        assert_eq!(years(733, 740), (2025, 2025, 2025));
        assert!(years_of((900, 900), &sessions()).is_err(), "a session that there is not");
    }
}

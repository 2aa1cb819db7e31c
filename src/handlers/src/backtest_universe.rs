//! Compares the picks of a back-test with all tradable stocks of each day, and with random portfolios of these stocks.
//!
//! The operation's SELECT is called once for each session of picks, each session after one, and the last session. It also returns the last
//! bars of stocks that ceased to trade since the session before.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::backtest_call::{TestedDays, refusal, run_measured};
use super::handler::HandlerCall;
use parquote_backtest::{
    BacktestRules, BarLimits, Decision, FillTime, MarketHistory, PicksComparison, PricedStock,
    RandomPortfolios, TradedBar, Weighting, compare, with_weights,
};
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::Value;
use parquote_engine::AnswerRows;

/// Maximum number of days of picks. Twice as many sessions of all stocks are in memory.
const MOST_DAYS: usize = 130;

/// Seed of the random portfolios, so that the same call gets the same portfolios.
const SEED: u64 = 1;

/// The bars of all stocks on some sessions.
#[derive(Default)]
struct UniverseRows {
    stocks: BTreeMap<String, Vec<TradedBar>>,
    /// Symbols of the tradable stocks of each day of picks, by the index of the session.
    tradable: BTreeMap<usize, Vec<String>>,
}

/// Compares picks with the tradable stocks of their days. Returns `None` if the call requests no comparison.
pub(super) async fn compare_with_universe(
    call: &HandlerCall<'_>,
    history: &MarketHistory,
    decisions: &[Decision],
    rules: &BacktestRules,
) -> Result<Option<PicksComparison>, ClientError> {
    let Some(count) = call.int("random").and_then(|count| usize::try_from(count).ok()) else {
        return Ok(None);
    };
    if decisions.len() > MOST_DAYS {
        let days = decisions.len();
        return Err(refusal(format!(
            "`random`: there are {days} days of picks, and at most {MOST_DAYS} can be compared; pick on fewer days"
        )));
    }
    // Volatilities need all bars of the picks.
    let decisions = with_weights(history, decisions, rules).map_err(|error| refusal(error.to_string()))?;
    let sessions = history.sessions();
    let session_index = |date: NaiveDate| sessions.partition_point(|session| *session <= date).checked_sub(1);
    let days: BTreeSet<usize> =
        decisions.iter().filter_map(|decision| session_index(decision.date)).collect();
    let UniverseRows { stocks, tradable } = read_universe(call, sessions, &days).await?;
    let eligible =
        |decision: &Decision| session_index(decision.date).and_then(|day| tradable.get(&day)).cloned();
    let picks: Vec<(Decision, Vec<String>)> =
        decisions.iter().map(|decision| (decision.clone(), eligible(decision).unwrap_or_default())).collect();
    let (fill, weighting) = (FillTime::Close, Weighting::Given);
    let rules = BacktestRules { fill, weighting, wait: 0, ..*rules };
    let comparison = run_measured(call, || {
        let stocks = stocks.into_iter().map(|(symbol, bars)| PricedStock { symbol, bars }).collect();
        let universe = MarketHistory::new(sessions.to_vec(), stocks, &[])?;
        compare(&universe, &picks, &rules, RandomPortfolios { count, seed: SEED })
    })?;
    Ok(Some(comparison))
}

/// Reads the bars of all stocks on the days of picks, the sessions after them, and the last session.
async fn read_universe(
    call: &HandlerCall<'_>,
    sessions: &[NaiveDate],
    days: &BTreeSet<usize>,
) -> Result<UniverseRows, ClientError> {
    let needed = days.iter().flat_map(|day| [*day, day + 1]).chain(sessions.len().checked_sub(1));
    let mut universe = UniverseRows::default();
    let mut before: Option<NaiveDate> = None;
    for at in needed.collect::<BTreeSet<usize>>() {
        let Some(&to) = sessions.get(at) else { continue };
        let from = before.replace(to).unwrap_or(to);
        let rows = rows_of_session(call, TestedDays { from, to }).await?;
        universe.add(sessions, &rows, days.contains(&at));
    }
    Ok(universe)
}

/// Returns all bars of the session `days.to`, and the last bars of stocks that ceased to trade after `days.from`.
async fn rows_of_session(call: &HandlerCall<'_>, days: TestedDays) -> Result<AnswerRows, ClientError> {
    let mut arguments = call.arguments.without(call.operation, "symbols");
    for (name, date) in [("from", days.from), ("to", days.to)] {
        if let Some(index) = call.operation.params.iter().position(|param| param.name == name) {
            arguments.spell(index, Value::Date(date));
        }
    }
    call.rows(&arguments).await
}

impl UniverseRows {
    /// Adds the rows of a session, which must be later than the sessions before it. `is_day` is true on a day of picks, whose tradable
    /// stocks can be drawn.
    fn add(&mut self, sessions: &[NaiveDate], rows: &AnswerRows, is_day: bool) {
        let days = rows.dates("session").into_iter().zip(rows.texts("symbol"));
        let prices = rows.numbers("adj_close").into_iter().zip(rows.flags("is_tradable"));
        for ((date, symbol), (close, is_tradable)) in days.zip(prices) {
            let at = date.and_then(|date| sessions.binary_search(&date).ok());
            let (Some(at), Some(symbol), Some(close)) = (at, symbol, close) else { continue };
            if is_day && is_tradable == Some(true) {
                self.tradable.entry(at).or_default().push(symbol.clone());
            }
            // Adjusted closes need no factor, and the comparison has no limit of volume.
            let bar = TradedBar {
                session: at as u32,
                price_segment: 0,
                limits: BarLimits::default(),
                open: close,
                high: close,
                low: close,
                close,
                volume: 1.0,
                factor: 1.0,
            };
            self.stocks.entry(symbol).or_default().push(bar);
        }
    }
}

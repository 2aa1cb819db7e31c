//! One back-test: decisions and bars in, the record and its figures out.

use serde::Serialize;

use super::BacktestError;
use super::costs::{ChargeSum, CostSchedule};
use super::decision::{DatedTargets, Decision, picks_without_session, resolve};
use super::history::MarketHistory;
use super::record::{
    EquityDay, EventCounts, LeftOutPick, LeftOutReason, RoundTrip, StockFill, UnfilledOrder,
};
use super::rules::BacktestRules;
use super::simulation::Simulation;

/// The record of a back-test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Backtest {
    /// Equity at each close, from the session of the first decision on.
    pub equity: Vec<EquityDay>,
    /// Fills, in the order in which they happened.
    pub fills: Vec<StockFill>,
    /// Round trips in the order of their end, then the open ones.
    pub round_trips: Vec<RoundTrip>,
    /// Orders that were not filled.
    pub unfilled: Vec<UnfilledOrder>,
    /// Picks without an order, by day.
    pub left_out: Vec<LeftOutPick>,
    /// Taxes and fees, by name.
    pub charges: Vec<ChargeSum>,
    /// Counts of decisions, picks and special cases.
    pub counts: EventCounts,
}

/// Runs a back-test from the first decision to the last session.
///
/// # Errors
/// [`BacktestError`]: rules out of range, no session or decision, two decisions of a session, a stock picked twice on a day, weights that
/// are not allowed.
pub fn run(
    history: &MarketHistory,
    decisions: &[Decision],
    rules: &BacktestRules,
    costs: &CostSchedule,
) -> Result<Backtest, BacktestError> {
    rules.check()?;
    let resolved = resolve(history, decisions, rules)?;
    let start = resolved.first().map_or(0, |decision| decision.day);
    let mut simulation = Simulation::new(history, rules, costs, start);
    let mut due = resolved.iter().peekable();
    for session in start + 1..history.sessions().len() {
        let decision: Option<&DatedTargets> = due.next_if(|decision| decision.day + 1 == session);
        simulation.run_session(session, decision);
    }
    simulation.end();
    let mut left_out: Vec<LeftOutPick> = picks_without_session(history, decisions).collect();
    simulation.counts.picks_outside = left_out.len();
    left_out.extend(picks_not_due(history, decisions));
    simulation.counts.picks_not_due = left_out.len() - simulation.counts.picks_outside;
    let filled = resolved.iter().filter(|decision| decision.day + 1 < history.sessions().len());
    left_out.extend(filled.flat_map(|decision| decision.left_out.iter().cloned()));
    left_out.sort();
    let names = costs.names().iter().zip(&simulation.charges);
    Ok(Backtest {
        charges: names.map(|(name, paid)| ChargeSum { name: name.clone(), paid: *paid }).collect(),
        equity: simulation.equity,
        fills: simulation.fills,
        round_trips: simulation.round_trips,
        unfilled: simulation.unfilled,
        left_out,
        counts: simulation.counts,
    })
}

/// Returns the picks of the last session, whose orders would fill after it.
fn picks_not_due(history: &MarketHistory, decisions: &[Decision]) -> impl Iterator<Item = LeftOutPick> {
    let last = history.sessions().last().copied();
    let is_last = move |decision: &&Decision| Some(decision.date) == last;
    decisions.iter().filter(is_last).flat_map(|decision| decision.left_out_picks(LeftOutReason::NotDue))
}

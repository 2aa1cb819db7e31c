//! Figures of the trades of a back-test: turnover, costs, hit rate, exposure.

use serde::Serialize;

use super::costs::TradeSide;
use super::record::{RoundTrip, UnfilledReason};
use super::run::Backtest;

/// Figures of the trades of a back-test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Activity {
    /// Number of fills, purchases and sales together.
    pub fills: usize,
    /// Half the value of all fills in a year of 252 sessions, in percent of the mean equity of the sessions after the first; `None` if that
    /// is not above 0.
    pub turnover_pct_a_year: Option<f64>,
    /// Taxes and fees, in money.
    pub charges: f64,
    /// Slippage, in money.
    pub slippage: f64,
    /// Taxes, fees and slippage of a year of 252 sessions, in percent of the mean equity; `None` as for the turnover.
    pub costs_pct_a_year: Option<f64>,
    /// Dividends received, in money.
    pub dividends: f64,
    /// Mean share of the equity that was not in cash, over the sessions after the first; `None` if there are none.
    pub exposure_pct: Option<f64>,
    /// Number of closed round trips.
    pub round_trips: usize,
    /// Share of closed round trips with a profit after costs; `None` without closed round trips.
    pub hit_rate_pct: Option<f64>,
    /// Mean return of closed round trips after costs, in percent of their purchases; `None` without closed round trips.
    pub mean_trip_return_pct: Option<f64>,
    /// Counts of orders that were not filled completely, by side and reason.
    pub unfilled: Vec<UnfilledCount>,
}

/// Number of orders of one side that were not filled for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnfilledCount {
    /// Side of the orders.
    pub side: TradeSide,
    /// Reason why they were not filled.
    pub reason: UnfilledReason,
    /// Number of orders of which nothing was filled.
    pub whole: usize,
    /// Number of orders of which a part was filled.
    pub in_part: usize,
}

impl Activity {
    /// Returns the figures of a back-test.
    pub fn from_backtest(test: &Backtest) -> Self {
        let sum = |figure: fn(&super::StockFill) -> f64| test.fills.iter().map(figure).sum::<f64>();
        let (charges, slippage) = (sum(|fill| fill.charges), sum(|fill| fill.slippage));
        // On the first day there is only cash.
        let days = test.equity.get(1..).unwrap_or_default();
        let count = days.len() as f64;
        let mean_equity = days.iter().map(|day| day.equity).sum::<f64>() / count;
        let yearly_pct = |money: f64| {
            (mean_equity.is_finite() && mean_equity > 0.0)
                .then(|| 100.0 * money / mean_equity * super::statistics::SESSIONS_A_YEAR / count)
        };
        let exposed = days.iter().filter(|day| day.equity > 0.0).map(|day| 1.0 - day.cash / day.equity);
        let closed: Vec<&RoundTrip> = test.round_trips.iter().filter(|trip| trip.closed.is_some()).collect();
        let hits = closed.iter().filter(|trip| trip.profit > 0.0).count();
        let trip_returns: f64 = closed.iter().map(|trip| 100.0 * trip.profit / trip.bought).sum();
        let mean_of_trips = |sum: f64| (!closed.is_empty()).then(|| sum / closed.len() as f64);
        Self {
            fills: test.fills.len(),
            turnover_pct_a_year: yearly_pct(sum(|fill| fill.value) / 2.0),
            charges,
            slippage,
            costs_pct_a_year: yearly_pct(charges + slippage),
            dividends: test.round_trips.iter().map(|trip| trip.dividends).sum(),
            exposure_pct: (!days.is_empty()).then(|| 100.0 * exposed.sum::<f64>() / count),
            round_trips: closed.len(),
            hit_rate_pct: mean_of_trips(100.0 * hits as f64),
            mean_trip_return_pct: mean_of_trips(trip_returns),
            unfilled: unfilled_counts(test),
        }
    }
}

fn unfilled_counts(test: &Backtest) -> Vec<UnfilledCount> {
    use UnfilledReason::{Cash, Ended, Locked, NoBar, Replaced, Volume};
    let mut counts = Vec::new();
    for side in [TradeSide::Buy, TradeSide::Sell] {
        for reason in [NoBar, Locked, Volume, Cash, Replaced, Ended] {
            let orders = test.unfilled.iter().filter(|order| order.side == side && order.reason == reason);
            let (whole, in_part): (Vec<_>, Vec<_>) = orders.partition(|order| order.share >= 1.0);
            if whole.len() + in_part.len() > 0 {
                let (whole, in_part) = (whole.len(), in_part.len());
                counts.push(UnfilledCount { side, reason, whole, in_part });
            }
        }
    }
    counts
}

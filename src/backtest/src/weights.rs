//! Weights of picks. They use bars up to the day of the decision only.

use super::history::MarketHistory;
use super::rules::{BacktestRules, Weighting};

/// A stock with its share of the equity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TargetWeight {
    pub(super) stock: usize,
    pub(super) weight: f64,
}

/// Most daily returns from which a volatility is computed.
const MOST_RETURNS: usize = 63;

/// Fewest daily returns from which a volatility is computed.
const FEWEST_RETURNS: usize = 20;

/// Returns the targets of the picks that have a weight above 0, in the order of `stocks`. `picked` is the number of all picks, with or
/// without a stock.
pub(super) fn weigh(
    history: &MarketHistory,
    day: usize,
    stocks: &[(usize, Option<f64>)],
    picked: usize,
    rules: &BacktestRules,
) -> Vec<TargetWeight> {
    let parts = picked.max(1) as f64;
    let size = |&(stock, weight): &(usize, Option<f64>)| match rules.weighting {
        Weighting::Equal => Some(1.0 / parts),
        Weighting::Given | Weighting::Proportional => weight,
        Weighting::InverseVolatility => volatility(history, stock, day).map(|volatility| 1.0 / volatility),
    };
    let sized = stocks.iter().filter_map(|pick| Some((pick.0, size(pick).filter(|size| *size > 0.0)?)));
    let sized: Vec<(usize, f64)> = sized.collect();
    let sum: f64 = match rules.weighting {
        Weighting::Equal | Weighting::Given => 1.0,
        Weighting::Proportional | Weighting::InverseVolatility => sized.iter().map(|(_, size)| size).sum(),
    };
    sized.into_iter().map(|(stock, size)| TargetWeight { stock, weight: size / sum }).collect()
}

/// Returns the standard deviation of the last daily log returns up to a day; `None` if there are too few or the price never moved.
fn volatility(history: &MarketHistory, stock: usize, day: usize) -> Option<f64> {
    let closes: Vec<f64> =
        history.bars_until(stock, day, MOST_RETURNS + 1).iter().map(|bar| bar.base_close().ln()).collect();
    let returns: Vec<f64> = closes.iter().zip(closes.iter().skip(1)).map(|(one, next)| next - one).collect();
    if returns.len() < FEWEST_RETURNS {
        return None;
    }
    let mean = returns.iter().sum::<f64>() / returns.len() as f64;
    let squares: f64 = returns.iter().map(|one| (one - mean).powi(2)).sum();
    let deviation = (squares / (returns.len() - 1) as f64).sqrt();
    (deviation > 1e-12).then_some(deviation)
}

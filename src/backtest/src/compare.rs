//! Compares picks with the universe from which they were picked, and with random portfolios of the same size.
//!
//! All of them are measured in the same way: held from one decision to the next, filled by the rules, without costs and without limits of
//! volume. So the picks differ from a random portfolio only by the choice of stocks.

use rayon::prelude::*;
use serde::Serialize;

use super::BacktestError;
use super::decision::{DatedTargets, Decision, resolve};
use super::history::MarketHistory;
use super::periods::HoldingPeriod;
use super::random_draw::RandomDraw;
use super::rules::BacktestRules;

/// The random portfolios to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomPortfolios {
    /// Number of portfolios.
    pub count: usize,
    /// Seed; the same seed gives the same portfolios.
    pub seed: u64,
}

/// The picks compared with their universe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PicksComparison {
    /// Number of compared decisions.
    pub decisions: usize,
    /// Return of the picks with their weights, without costs.
    pub picks_return_pct: f64,
    /// Return of all eligible stocks in equal weights, without costs.
    pub universe_return_pct: f64,
    /// Random portfolios; `None` if their number is 0.
    pub random: Option<RandomSummary>,
}

/// Total returns of the random portfolios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RandomSummary {
    /// Number of portfolios.
    pub portfolios: usize,
    /// Share of the portfolios with a lower return than the picks; a portfolio with the same return counts as half.
    pub percentile: f64,
    /// Return that 5 % of the portfolios do not reach.
    pub low_return_pct: f64,
    /// Median return.
    pub median_return_pct: f64,
    /// Return that 5 % of the portfolios exceed.
    pub high_return_pct: f64,
}

/// The growth factors of picked and eligible stocks from one decision to the next.
struct ComparedPeriod {
    /// Growth of the picks, including the cash that is not invested.
    picks: f64,
    /// Number of picks.
    count: usize,
    /// Growth of each eligible stock.
    eligible: Vec<f64>,
}

/// Compares the picks of each decision with the stocks that were eligible on its day: each decision comes with the symbols of these stocks.
///
/// # Errors
/// [`BacktestError`], as for [`fn@super::run`].
pub fn compare(
    history: &MarketHistory,
    decisions: &[(Decision, Vec<String>)],
    rules: &BacktestRules,
    random: RandomPortfolios,
) -> Result<PicksComparison, BacktestError> {
    rules.check()?;
    let mut ordered: Vec<&(Decision, Vec<String>)> = decisions.iter().collect();
    ordered.sort_by_key(|(decision, _)| decision.date);
    let picks: Vec<Decision> = ordered.iter().map(|(decision, _)| decision.clone()).collect();
    let resolved = resolve(history, &picks, rules)?;
    let end = history.sessions().len().saturating_sub(1);
    // Decisions before the first session or after the last one were left out.
    let is_resolved = |decision: &Decision| {
        history.session_until(decision.date).filter(|_| decision.date <= history.date(end))
    };
    let eligible = ordered.iter().filter(|(decision, _)| is_resolved(decision).is_some());
    let eligible: Vec<&Vec<String>> = eligible.map(|(_, eligible)| eligible).collect();
    let periods: Vec<ComparedPeriod> = resolved
        .par_iter()
        .zip(eligible)
        .enumerate()
        .filter(|(_, (decision, _))| decision.day < end)
        .map(|(at, (decision, eligible))| {
            let next = resolved.get(at + 1).map(|next| next.day + 1).filter(|next| *next <= end);
            let (first, last) = (decision.day + 1, next.unwrap_or(end));
            let period = HoldingPeriod { first, last, is_open: next.is_none() };
            compared_period(history, rules, decision, eligible, period)
        })
        .collect();
    let picks: f64 = periods.iter().map(|period| period.picks).product();
    let universe: f64 = periods.iter().map(|period| mean_growth(&period.eligible)).product();
    let returns = random_returns(&periods, random);
    Ok(PicksComparison {
        decisions: periods.len(),
        picks_return_pct: 100.0 * (picks - 1.0),
        universe_return_pct: 100.0 * (universe - 1.0),
        random: summary(returns, picks),
    })
}

fn compared_period(
    history: &MarketHistory,
    rules: &BacktestRules,
    decision: &DatedTargets,
    eligible: &[String],
    period: HoldingPeriod,
) -> ComparedPeriod {
    let invested: f64 = decision.targets.iter().map(|target| target.weight).sum();
    let grown =
        decision.targets.iter().map(|target| target.weight * period.growth(history, target.stock, rules));
    // Both the eligible symbols and all stocks ascend: the next symbol often belongs to the next stock.
    let mut next = 0;
    let stocks = eligible.iter().filter_map(|symbol| {
        let stock = history.stock_near(symbol, next)?;
        next = stock + 1;
        Some(stock)
    });
    ComparedPeriod {
        picks: 1.0 - invested + grown.sum::<f64>(),
        count: decision.targets.len(),
        eligible: stocks.map(|stock| period.growth(history, stock, rules)).collect(),
    }
}

/// Returns the growth factor of equally weighted stocks; 1, as for cash, without stocks.
fn mean_growth(growths: &[f64]) -> f64 {
    if growths.is_empty() { 1.0 } else { growths.iter().sum::<f64>() / growths.len() as f64 }
}

/// Returns the growth of each random portfolio. Each has its own generator, so that the result does not depend on the number of threads.
fn random_returns(periods: &[ComparedPeriod], random: RandomPortfolios) -> Vec<f64> {
    let places = periods.iter().map(|period| period.eligible.len()).max().unwrap_or(0);
    let portfolio = |number: usize| {
        let mut draw = RandomDraw::new(random.seed, number as u64, places);
        let growths = periods.iter().map(|period| {
            let count = period.count.min(period.eligible.len());
            let mut sum = 0.0;
            draw.visit(count, period.eligible.len(), |position| {
                sum += period.eligible.get(position).copied().unwrap_or(1.0);
            });
            if count == 0 { 1.0 } else { sum / count as f64 }
        });
        growths.product::<f64>()
    };
    (0..random.count).into_par_iter().map(portfolio).collect()
}

fn summary(mut growths: Vec<f64>, picks: f64) -> Option<RandomSummary> {
    let below = growths.iter().filter(|growth| **growth < picks).count() as f64;
    let above = growths.iter().filter(|growth| **growth > picks).count() as f64;
    growths.sort_by(f64::total_cmp);
    let count = growths.len() as f64;
    let quantile = |share: f64| {
        let position = (share * (count - 1.0)).round() as usize;
        growths.get(position).map(|growth| 100.0 * (growth - 1.0))
    };
    Some(RandomSummary {
        portfolios: growths.len(),
        percentile: 100.0 * (below + (count - below - above) / 2.0) / count,
        low_return_pct: quantile(0.05)?,
        median_return_pct: quantile(0.5)?,
        high_return_pct: quantile(0.95)?,
    })
}

//! Risk figures of one series of daily log returns: of a symbol or of a portfolio.

use serde::Serialize;

use super::tail::tail_loss;
use super::{FEWEST_RETURNS, SESSIONS_A_YEAR};

/// Largest standard deviation of daily returns at which a price counts as constant. Rounding of logarithms causes about 1e-15; a single
/// tick of the most expensive share in a year causes 1e-9.
const LEAST_DEVIATION: f64 = 1e-12;

/// Risk figures of one series of daily returns. Undefined figures are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RiskFigures {
    /// Mean log return of the lookback, compounded over 252 sessions, in percent.
    pub annual_return_pct: Option<f64>,
    /// Sample standard deviation of daily log returns times the square root of 252, in percent.
    pub volatility_pct: Option<f64>,
    /// Covariance with the benchmark's log returns divided by their variance.
    pub beta: Option<f64>,
    /// Correlation with the benchmark's log returns, -1 to 1.
    pub correlation_to_benchmark: Option<f64>,
    /// Deepest fall below the highest earlier close within the lookback, in percent of that close; 0 or more.
    pub max_drawdown_pct: Option<f64>,
    /// Daily loss not exceeded on 95 % of the days, as a log return in percent; a loss is positive.
    pub var_95_pct: Option<f64>,
    /// Mean loss of the worst 5 % of the days.
    pub cvar_95_pct: Option<f64>,
    /// Daily loss not exceeded on 99 % of the days.
    pub var_99_pct: Option<f64>,
    /// Mean loss of the worst 1 % of the days.
    pub cvar_99_pct: Option<f64>,
}

impl RiskFigures {
    /// Measures daily log returns. `benchmark` has the benchmark's returns between the same sessions, each `None` if a close is missing.
    /// With fewer than 30 of them, beta and correlation are `None`.
    pub(super) fn measure(returns: &[f64], benchmark: Option<&[Option<f64>]>) -> Self {
        let (beta, correlation) =
            benchmark.map_or((None, None), |benchmark| beta_and_correlation(returns, benchmark));
        let mut ascending = returns.to_vec();
        ascending.sort_by(f64::total_cmp);
        let (at_95, at_99) = (tail_loss(&ascending, 95), tail_loss(&ascending, 99));
        let year = SESSIONS_A_YEAR as f64;
        Self {
            annual_return_pct: to_percent(mean(returns).map(|mean| (year * mean).exp_m1())),
            volatility_pct: to_percent(deviation(returns).map(|daily| daily * year.sqrt())),
            beta,
            correlation_to_benchmark: correlation,
            max_drawdown_pct: to_percent(Some(max_drawdown(returns))),
            var_95_pct: to_percent(at_95.map(|tail| tail.var)),
            cvar_95_pct: to_percent(at_95.map(|tail| tail.cvar)),
            var_99_pct: to_percent(at_99.map(|tail| tail.var)),
            cvar_99_pct: to_percent(at_99.map(|tail| tail.cvar)),
        }
    }
}

/// Converts a share to percent; `None` if the result is not finite.
pub(super) fn to_percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share).filter(|percent| percent.is_finite())
}

/// Returns the deviations of a series from its mean. They are exactly 0 if the series is constant except for rounding.
pub(super) fn deviations_from_mean(series: &[f64]) -> Vec<f64> {
    let mean = mean(series).unwrap_or_default();
    let centred: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let moves = (dot_product(&centred, &centred) / degrees_of_freedom(series)).sqrt() > LEAST_DEVIATION;
    if moves { centred } else { vec![0.0; series.len()] }
}

fn mean(series: &[f64]) -> Option<f64> {
    (!series.is_empty()).then(|| series.iter().sum::<f64>() / series.len() as f64)
}

/// Returns the sample standard deviation; `None` for fewer than two values.
fn deviation(series: &[f64]) -> Option<f64> {
    let centred = deviations_from_mean(series);
    (series.len() > 1).then(|| (dot_product(&centred, &centred) / degrees_of_freedom(series)).sqrt())
}

fn degrees_of_freedom(series: &[f64]) -> f64 {
    series.len().saturating_sub(1).max(1) as f64
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Returns the beta and the correlation to a benchmark over the returns that both series have; `None` if there are fewer than 30.
fn beta_and_correlation(returns: &[f64], benchmark: &[Option<f64>]) -> (Option<f64>, Option<f64>) {
    let both = returns.iter().zip(benchmark).filter_map(|(asset, market)| Some((*asset, (*market)?)));
    let (asset, market): (Vec<f64>, Vec<f64>) = both.unzip();
    if asset.len() < FEWEST_RETURNS {
        return (None, None);
    }
    let (asset, market) = (deviations_from_mean(&asset), deviations_from_mean(&market));
    let (asset_square, market_square, product) =
        (dot_product(&asset, &asset), dot_product(&market, &market), dot_product(&asset, &market));
    let beta = (market_square > 0.0).then(|| product / market_square + 0.0);
    let scale = asset_square.sqrt() * market_square.sqrt();
    let correlation = (scale > 0.0).then(|| (product / scale).clamp(-1.0, 1.0));
    (beta.filter(|beta| beta.is_finite()), correlation.filter(|correlation| correlation.is_finite()))
}

/// Returns the deepest fall from a peak, as a share of the peak. The close before the first return may be the peak.
fn max_drawdown(returns: &[f64]) -> f64 {
    let (mut level, mut peak, mut deepest) = (0.0_f64, 0.0_f64, 0.0_f64);
    for change in returns {
        level += change;
        peak = peak.max(level);
        deepest = deepest.max(-(level - peak).exp_m1());
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(actual: Option<f64>, expected: f64) {
        assert!((actual.unwrap() - expected).abs() < 1e-10, "{actual:?} for {expected}");
    }

    /// 20 times up and down by a percent, in logs.
    fn saw() -> Vec<f64> {
        [0.01, -0.01].repeat(20)
    }

    #[test]
    fn a_saw_by_hand() {
        let figures = RiskFigures::measure(&saw(), None);
        assert_near(figures.annual_return_pct, 0.0);
        // The squares of 40 deviations of 0.01 over 39.
        assert_near(figures.volatility_pct, 100.0 * (40.0 * 0.0001 / 39.0 * 252.0_f64).sqrt());
        assert_near(figures.max_drawdown_pct, 100.0 * (1.0 - 0.990_049_833_749_168_1));
        // Half of the days lost a percent.
        for loss in [figures.var_95_pct, figures.cvar_95_pct, figures.var_99_pct, figures.cvar_99_pct] {
            assert_near(loss, 1.0);
        }
        assert_eq!((figures.beta, figures.correlation_to_benchmark), (None, None));
    }

    #[test]
    fn a_fall_from_the_first_close_counts() {
        let halves = vec![0.5_f64.ln(), 1.5_f64.ln(), 0.5_f64.ln(), 4.0_f64.ln()];
        // 100, 50, 75, 37.5, 150.
        assert_near(RiskFigures::measure(&halves, None).max_drawdown_pct, 62.5);
        assert_near(RiskFigures::measure(&[0.1, 0.2], None).max_drawdown_pct, 0.0);
    }

    #[test]
    fn twice_the_benchmark_has_a_beta_of_two() {
        let benchmark: Vec<f64> = (0..40).map(|n| 0.01 * f64::from(n % 7) - 0.02).collect();
        let index_returns: Vec<_> = benchmark.iter().map(|value| Some(*value)).collect();
        let double: Vec<f64> = benchmark.iter().map(|value| 0.001 - 2.0 * value).collect();
        let figures = RiskFigures::measure(&double, Some(&index_returns));
        assert_near(figures.beta, -2.0);
        assert_near(figures.correlation_to_benchmark, -1.0);
        let mut gaps = index_returns.clone();
        gaps[..10].fill(None);
        assert_near(RiskFigures::measure(&double, Some(&gaps)).beta, -2.0);
        gaps[..11].fill(None);
        assert_eq!(RiskFigures::measure(&double, Some(&gaps)).beta, None, "29 returns are too few");
    }

    #[test]
    fn a_constant_price_has_no_correlation() {
        let index_returns: Vec<_> = saw().into_iter().map(Some).collect();
        let constant = RiskFigures::measure(&[0.0; 40], Some(&index_returns));
        assert_eq!(constant.correlation_to_benchmark, None);
        assert_eq!(
            (constant.beta, constant.volatility_pct, constant.max_drawdown_pct),
            (Some(0.0), Some(0.0), Some(0.0))
        );
        let flat_benchmark = RiskFigures::measure(&saw(), Some(&[Some(0.0); 40]));
        assert_eq!((flat_benchmark.beta, flat_benchmark.correlation_to_benchmark), (None, None));
        // The same step each day is no movement either, despite rounding.
        let steps: Vec<f64> =
            (0..40).map(|n| (100.0 * 1.01_f64.powi(n + 1)).ln() - (100.0 * 1.01_f64.powi(n)).ln()).collect();
        assert_eq!(RiskFigures::measure(&steps, Some(&index_returns)).volatility_pct, Some(0.0));
    }

    #[test]
    fn nothing_is_ever_nan() {
        for series in [vec![], vec![0.1], vec![700.0; 40], [-1400.0, 1400.0].repeat(20)] {
            let figures = RiskFigures::measure(&series, Some(&vec![Some(1400.0); series.len()]));
            let json = serde_json::to_value(figures).unwrap();
            assert_eq!(json.as_object().unwrap().len(), 9);
        }
        assert_eq!(
            RiskFigures::measure(&[700.0; 40], None).annual_return_pct,
            None,
            "more than a float holds"
        );
    }
}

//! Figures of a portfolio whose weights are restored at every close.

use serde::Serialize;

use super::covariance::Covariance;
use super::figures::RiskFigures;

/// Figures of weighted holdings. The portfolio is rebalanced to its weights every session without trading costs: its daily return is the
/// weighted mean of the holdings' simple returns, converted to a log return.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PortfolioRisk {
    /// Figures of the portfolio's daily returns.
    #[serde(flatten)]
    pub figures: RiskFigures,
    /// Herfindahl-Hirschman index: the sum of squared weights, 1/n to 1.
    pub hhi: f64,
    /// 1 / HHI: the number of equal holdings with the same concentration.
    pub effective_names: f64,
    /// Weighted mean of the holdings' volatilities divided by the portfolio's, by the covariance in use; `None` if the portfolio does not
    /// move.
    pub diversification_ratio: Option<f64>,
}

impl PortfolioRisk {
    pub(super) fn measure(
        returns: &[Vec<f64>],
        weights: &[f64],
        covariance: &Covariance,
        benchmark: Option<&[Option<f64>]>,
    ) -> Self {
        let hhi: f64 = weights.iter().map(|weight| weight * weight).sum();
        Self {
            figures: RiskFigures::measure(&portfolio_returns(returns, weights), benchmark),
            hhi,
            effective_names: 1.0 / hhi,
            diversification_ratio: covariance.diversification_ratio(weights),
        }
    }
}

/// Returns the daily log returns of the portfolio.
fn portfolio_returns(returns: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut simple = vec![0.0; returns.first().map_or(0, Vec::len)];
    // Series without weight are skipped, as 0 times an overflow is not 0.
    for (series, weight) in returns.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        for (sum, change) in simple.iter_mut().zip(series) {
            *sum += weight * change.exp_m1();
        }
    }
    simple.into_iter().map(f64::ln_1p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_restored_every_session() {
        // One doubles and halves, the other does not move: half of each gains 50 % and loses 25 %.
        let returns = [vec![2.0_f64.ln(), 0.5_f64.ln()], vec![0.0, 0.0]];
        let actual = portfolio_returns(&returns, &[0.5, 0.5]);
        assert!(
            (actual[0] - 1.5_f64.ln()).abs() < 1e-15 && (actual[1] - 0.75_f64.ln()).abs() < 1e-15,
            "{actual:?}"
        );
        let portfolio =
            PortfolioRisk::measure(&returns, &[0.8, 0.2], &Covariance::sample_covariance(&returns), None);
        assert!((portfolio.hhi - 0.68).abs() < 1e-15);
        assert!((portfolio.effective_names - 1.0 / 0.68).abs() < 1e-12);
        // All movement comes from the first one: the portfolio's volatility is 0.8 times that.
        assert!((portfolio.diversification_ratio.unwrap() - 1.0).abs() < 1e-12);
    }
}

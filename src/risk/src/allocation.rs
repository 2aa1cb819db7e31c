//! The allocation: weights that spread risk by a method, and the past risk of the resulting portfolio.

use chrono::NaiveDate;
use serde::Serialize;

use super::audit::{constant_symbols, warnings};
use super::cap::{CappedWeights, cap_weights, check_cap};
use super::covariance::{Covariance, CovarianceNote};
use super::figures::to_percent;
use super::hierarchy::hierarchical_weights;
use super::method::Method;
use super::parity::equal_contributions;
use super::portfolio::PortfolioRisk;
use super::prices::{AlignedPrices, MeasuredSpan};
use super::{MOST_SYMBOLS, RiskError};

/// Weights and the measurements behind them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Allocation {
    /// Last session of the lookback.
    pub as_of: NaiveDate,
    /// Sessions over which risk was measured.
    pub sessions: MeasuredSpan,
    /// Method that derived the weights.
    pub method: Method,
    /// Maximum weight allowed; `None` without a cap.
    pub max_weight: Option<f64>,
    /// One weight per symbol, in the order of the request; the weights sum to 1.
    pub weights: Vec<AssignedWeight>,
    /// Annualised volatility by the covariance in use, in percent. The volatility of the portfolio's return series is in `portfolio`.
    pub volatility_pct: Option<f64>,
    /// Past risk of these weights over the lookback, rebalanced every session. The weights were derived from the same sessions, so these
    /// figures are no forecast.
    pub portfolio: PortfolioRisk,
    /// The covariance estimate that the method used.
    pub covariance: CovarianceNote,
    /// Symbols whose weight is bound by the cap.
    pub capped: Vec<String>,
    /// Leaf order of hierarchical risk parity; `None` for other methods.
    pub order: Option<Vec<String>>,
    /// Limits of the figures, for the reader.
    pub warnings: Vec<String>,
}

/// A symbol with its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignedWeight {
    /// Symbol, as in the request.
    pub symbol: String,
    /// Share of the portfolio, 0 to 1.
    pub weight: f64,
    /// Share of the portfolio's variance by the covariance in use, in percent; `None` if the portfolio does not move.
    pub risk_contribution_pct: Option<f64>,
    /// Annualised volatility by the covariance in use, in percent.
    pub volatility_pct: Option<f64>,
}

/// Spreads risk over 2 to 50 symbols. Weights above `max_weight` are reduced to it, and the other symbols get the excess in proportion to
/// their weights, repeatedly until no weight exceeds it.
///
/// # Errors
/// Fewer than 2 or more than 50 symbols; a cap that is not a share or is too small for the symbols; symbols that did not move over the
/// lookback; no solution for equal risk contributions; a benchmark with closes that are not positive.
pub fn allocate(
    prices: &AlignedPrices,
    method: Method,
    max_weight: Option<f64>,
    benchmark: Option<&[(NaiveDate, f64)]>,
) -> Result<Allocation, RiskError> {
    let symbols = prices.symbols();
    if !(2..=MOST_SYMBOLS).contains(&symbols.len()) {
        return Err(RiskError::SymbolCount { count: symbols.len(), fewest: 2 });
    }
    max_weight.map_or(Ok(()), |cap| check_cap(cap, symbols.len()))?;
    let benchmark = benchmark.map(|closes| prices.benchmark_returns(closes)).transpose()?;
    let returns = prices.returns();
    let sample = Covariance::sample_covariance(&returns);
    let constant = constant_symbols(prices, &sample);
    if !constant.is_empty() {
        return Err(RiskError::Constant(constant));
    }
    let covariance = sample.shrunk_if_needed(&returns);
    let (raw, order) = weights_of_method(method, &covariance)?;
    let CappedWeights { weights, is_capped } = match max_weight {
        Some(cap) => cap_weights(&raw, cap),
        None => CappedWeights { is_capped: vec![false; raw.len()], weights: raw },
    };
    let capped = symbols.iter().zip(is_capped).filter(|(_, is_capped)| *is_capped);
    Ok(Allocation {
        as_of: prices.span().to,
        sessions: prices.span(),
        method,
        max_weight,
        weights: assigned_weights(symbols, &weights, &covariance),
        volatility_pct: to_percent(Some(covariance.volatility(&weights))),
        portfolio: PortfolioRisk::measure(&returns, &weights, &covariance, benchmark.as_deref()),
        covariance: covariance.note().clone(),
        capped: capped.map(|(symbol, _)| symbol.clone()).collect(),
        order: order.map(|order| order.iter().filter_map(|&index| symbols.get(index).cloned()).collect()),
        warnings: warnings(prices, benchmark.as_deref()),
    })
}

/// Returns the weights of a method before any cap, and the leaf order of hierarchical risk parity; `None` for other methods.
fn weights_of_method(
    method: Method,
    covariance: &Covariance,
) -> Result<(Vec<f64>, Option<Vec<usize>>), RiskError> {
    let deviations = covariance.deviations();
    Ok(match method {
        Method::InverseVolatility => {
            let inverse = deviations.map(f64::recip);
            ((&inverse / inverse.sum()).iter().copied().collect(), None)
        }
        Method::EqualRiskContribution => (equal_contributions(covariance)?, None),
        Method::HierarchicalRiskParity => {
            let hierarchy = hierarchical_weights(covariance);
            (hierarchy.weights, Some(hierarchy.order))
        }
        Method::EqualWeight => (vec![1.0 / deviations.len() as f64; deviations.len()], None),
    })
}

fn assigned_weights(symbols: &[String], weights: &[f64], covariance: &Covariance) -> Vec<AssignedWeight> {
    let contributions = covariance.contributions_pct(weights);
    let rows = symbols.iter().zip(weights).zip(contributions).zip(covariance.volatilities());
    rows.map(|(((symbol, weight), contribution), volatility)| AssignedWeight {
        symbol: symbol.clone(),
        weight: *weight,
        risk_contribution_pct: contribution,
        volatility_pct: to_percent(Some(volatility)),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{Series, series};
    use super::super::{Estimator, align};
    use super::*;

    fn weights(input: &[Series], method: Method, cap: Option<f64>) -> Vec<f64> {
        let allocation = allocate(&align(input, &[], 252).unwrap(), method, cap, None).unwrap();
        allocation.weights.iter().map(|one| one.weight).collect()
    }

    fn assert_near(actual: &[f64], expected: &[f64], within: f64) {
        assert_eq!(actual.len(), expected.len());
        let difference =
            actual.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(difference <= within, "{difference}: {actual:?} for {expected:?}");
    }

    #[test]
    fn an_allocation_has_all_figures() {
        let mut input = series(21, 7, 300);
        let (_, benchmark) = input.pop().unwrap();
        let prices = align(&input, &[], 252).unwrap();
        for method in Method::ALL {
            let actual = allocate(&prices, method, Some(0.18), Some(&benchmark)).unwrap();
            assert_eq!(actual.capped.is_empty(), method == Method::EqualWeight, "{method}");
            assert!((actual.weights.iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-12);
            for one in &actual.weights {
                assert!(one.weight > 0.0 && one.weight <= 0.18 + 1e-12);
                assert_eq!(actual.capped.contains(&one.symbol), one.weight > 0.18 - 1e-12);
            }
            let shares: f64 = actual.weights.iter().map(|one| one.risk_contribution_pct.unwrap()).sum();
            assert!((shares - 100.0).abs() < 1e-10);
            // The variance of rebalanced simple returns and w'S w of log returns differ by the effect of compounding.
            let difference =
                actual.volatility_pct.unwrap() - actual.portfolio.figures.volatility_pct.unwrap();
            assert!(difference.abs() < 0.1, "{difference}");
            assert_eq!(actual.order.is_some(), method == Method::HierarchicalRiskParity);
            let json = serde_json::to_value(&actual).unwrap();
            assert_eq!(json["method"], method.word());
            assert_eq!(json["covariance"]["estimator"], "sample");
            assert!(json["portfolio"]["beta"].is_f64() && json["covariance"]["shrinkage"].is_null());
        }
    }

    #[test]
    fn the_order_of_symbols_moves_no_weight() {
        let input = series(22, 9, 300);
        let mut reversed = input.clone();
        reversed.reverse();
        for method in [Method::InverseVolatility, Method::EqualRiskContribution] {
            let mut actual = weights(&reversed, method, Some(0.15));
            actual.reverse();
            assert_near(&actual, &weights(&input, method, Some(0.15)), 1e-12);
        }
    }

    #[test]
    fn the_scale_of_returns_moves_no_weight() {
        let input = series(23, 6, 300);
        // Powers of closes scale their log returns.
        let scaled = |power: f64| -> Vec<Series> {
            let raise = |rows: &Vec<(NaiveDate, f64)>| {
                rows.iter().map(|&(on, close)| (on, close.powf(power))).collect()
            };
            input.iter().map(|(symbol, rows)| (symbol.clone(), raise(rows))).collect()
        };
        for method in Method::ALL {
            for power in [0.001, 0.5, 20.0] {
                assert_near(&weights(&scaled(power), method, None), &weights(&input, method, None), 1e-9);
            }
        }
    }

    #[test]
    fn two_symbols_are_split_by_their_volatilities() {
        let input = series(24, 2, 300);
        let inverse = weights(&input, Method::InverseVolatility, None);
        assert_near(&weights(&input, Method::EqualRiskContribution, None), &inverse, 1e-10);
        // By inverse variance: the squares of inverse volatilities.
        let squares: f64 = inverse.iter().map(|weight| weight * weight).sum();
        let expected: Vec<f64> = inverse.iter().map(|weight| weight * weight / squares).collect();
        assert_near(&weights(&input, Method::HierarchicalRiskParity, None), &expected, 1e-12);
        assert_near(&weights(&input, Method::EqualRiskContribution, Some(0.5)), &[0.5, 0.5], 1e-12);
    }

    #[test]
    fn identical_series_get_equal_weights_and_a_note_about_shrinking() {
        let one = series(25, 1, 300).pop().unwrap().1;
        let input: Vec<Series> = (0..4).map(|number| (format!("S{number}"), one.clone())).collect();
        for method in Method::ALL {
            let actual = allocate(&align(&input, &[], 252).unwrap(), method, None, None).unwrap();
            assert_near(&actual.weights.iter().map(|one| one.weight).collect::<Vec<_>>(), &[0.25; 4], 1e-10);
            assert_eq!(actual.covariance.estimator, Estimator::LedoitWolf);
            assert!(actual.covariance.note.contains("not positive definite, so it was shrunk"));
        }
    }

    #[test]
    fn mirrored_series_are_shrunk_and_solved() {
        let (name, one) = series(26, 1, 300).pop().unwrap();
        let mirror = one.iter().map(|&(session, close)| (session, 1e4 / close)).collect();
        let input = [(name, one), ("MIRROR".to_owned(), mirror)];
        for method in Method::ALL {
            assert_near(&weights(&input, method, None), &[0.5; 2], 1e-9);
        }
    }

    #[test]
    fn more_symbols_than_returns_with_twins_mirrors_and_a_single_jump_are_allocated() {
        for seed in 30..40 {
            let mut input = series(seed, 50, 35);
            input[1].1 = input[0].1.clone();
            input[3].1 = input[2].1.iter().map(|&(session, close)| (session, 1e6 / close)).collect();
            for (index, row) in input[4].1.iter_mut().enumerate() {
                row.1 = if index < 20 { 5.0 } else { 6.0 };
            }
            let prices = align(&input, &[], 252).unwrap();
            for (method, cap) in
                Method::ALL.into_iter().flat_map(|method| [(method, None), (method, Some(0.025))])
            {
                let actual = allocate(&prices, method, cap, None).unwrap();
                assert!((actual.weights.iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-12);
                let most = cap.unwrap_or(1.0) + 1e-12;
                assert!(
                    actual.weights.iter().all(|one| one.weight > 0.0 && one.weight <= most),
                    "{seed} {method}"
                );
                assert!(actual.weights.iter().all(|one| one.risk_contribution_pct.is_some()));
                assert!(actual.covariance.positive_definite && actual.covariance.shrinkage.unwrap() > 0.0);
            }
        }
    }

    #[test]
    fn impossible_allocations_are_refused_with_a_reason() {
        let mut input = series(27, 3, 300);
        let single = allocate(&align(&input[..1], &[], 252).unwrap(), Method::EqualWeight, None, None);
        assert_eq!(single, Err(RiskError::SymbolCount { count: 1, fewest: 2 }));
        let prices = align(&input, &[], 252).unwrap();
        let tight = allocate(&prices, Method::EqualWeight, Some(0.25), None);
        assert!(matches!(tight, Err(RiskError::CapTooSmall { smallest: 0.333_334, .. })), "{tight:?}");
        for row in &mut input[1].1 {
            row.1 = 42.0;
        }
        for method in Method::ALL {
            let refused = allocate(&align(&input, &[], 252).unwrap(), method, None, None).unwrap_err();
            assert_eq!(refused, RiskError::Constant(vec!["S1".to_owned()]));
            assert!(refused.to_string().starts_with("S1 did not move"), "{refused}");
        }
    }
}

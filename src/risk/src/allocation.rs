//! The allocation: weights that spread risk by a method, and the past risk of the resulting portfolio.

use chrono::NaiveDate;
use serde::Serialize;

use super::audit::{constant_symbols, warnings};
use super::cap::{CappedWeights, cap_weights, check};
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
    /// Last session.
    pub as_of: NaiveDate,
    /// Sessions over which risk was measured.
    pub sessions: MeasuredSpan,
    /// Method.
    pub method: Method,
    /// Maximum weight allowed; null without a cap.
    pub max_weight: Option<f64>,
    /// One weight per symbol, in the order given; they sum to 1.
    pub weights: Vec<AssignedWeight>,
    /// Annualised volatility by the covariance in use, in percent. The volatility of the portfolio's return series is in `portfolio`.
    pub volatility_pct: Option<f64>,
    /// Portfolio of these weights over the lookback, rebalanced every session. The weights were derived from the same sessions: it
    /// describes them and forecasts nothing.
    pub portfolio: PortfolioRisk,
    /// Covariance in use.
    pub covariance: CovarianceNote,
    /// Symbols whose weight is bound by the cap.
    pub capped: Vec<String>,
    /// Leaf order of hierarchical risk parity; null for other methods.
    pub order: Option<Vec<String>>,
    /// Limits of the figures, for the reader.
    pub warnings: Vec<String>,
}

/// A symbol with its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignedWeight {
    /// Symbol.
    pub symbol: String,
    /// Share of the portfolio, 0 to 1.
    pub weight: f64,
    /// Share of the portfolio's variance by the covariance in use, in percent.
    pub risk_contribution_pct: Option<f64>,
    /// Annualised volatility by the covariance in use, in percent.
    pub volatility_pct: Option<f64>,
}

/// Spreads risk over 2 to 50 symbols. A cap reduces larger weights to it and gives the excess to the others in proportion to
/// their weights, repeatedly until none exceeds it.
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
        return Err(RiskError::SymbolCount { given: symbols.len(), fewest: 2 });
    }
    max_weight.map_or(Ok(()), |cap| check(cap, symbols.len()))?;
    let benchmark = benchmark.map(|closes| prices.benchmark_returns(closes)).transpose()?;
    let returns = prices.returns();
    let sample = Covariance::sample_covariance(&returns);
    let still = constant_symbols(prices, &sample);
    if !still.is_empty() {
        return Err(RiskError::Constant(still));
    }
    let covariance = sample.shrunk_if_needed(&returns);
    let (raw, order) = weights_of_method(method, &covariance)?;
    let CappedWeights { weights, is_capped: bound } = match max_weight {
        Some(cap) => cap_weights(&raw, cap),
        None => CappedWeights { is_capped: vec![false; raw.len()], weights: raw },
    };
    let bound = symbols.iter().zip(bound).filter(|(_, bound)| *bound);
    Ok(Allocation {
        as_of: prices.span().to,
        sessions: prices.span(),
        method,
        max_weight,
        weights: assigned_weights(symbols, &weights, &covariance),
        volatility_pct: to_percent(Some(covariance.volatility(&weights))),
        portfolio: PortfolioRisk::measure(&returns, &weights, &covariance, benchmark.as_deref()),
        covariance: covariance.note().clone(),
        capped: bound.map(|(symbol, _)| symbol.clone()).collect(),
        order: order
            .map(|order| order.iter().filter_map(|&position| symbols.get(position).cloned()).collect()),
        warnings: warnings(prices, benchmark.as_deref()),
    })
}

/// Returns the weights of a method before any cap, and the leaf order if it has one.
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

    fn weights(given: &[Series], method: Method, cap: Option<f64>) -> Vec<f64> {
        let allocation = allocate(&align(given, &[], 252).unwrap(), method, cap, None).unwrap();
        allocation.weights.iter().map(|one| one.weight).collect()
    }

    fn near(found: &[f64], expected: &[f64], within: f64) {
        assert_eq!(found.len(), expected.len());
        let apart = found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(apart <= within, "{apart}: {found:?} for {expected:?}");
    }

    #[test]
    fn an_allocation_is_whole() {
        let mut given = series(21, 7, 300);
        let (_, benchmark) = given.pop().unwrap();
        let prices = align(&given, &[], 252).unwrap();
        for method in Method::ALL {
            let found = allocate(&prices, method, Some(0.18), Some(&benchmark)).unwrap();
            assert_eq!(found.capped.is_empty(), method == Method::EqualWeight, "{method}");
            assert!((found.weights.iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-12);
            for one in &found.weights {
                assert!(one.weight > 0.0 && one.weight <= 0.18 + 1e-12);
                assert_eq!(found.capped.contains(&one.symbol), one.weight > 0.18 - 1e-12);
            }
            let shares: f64 = found.weights.iter().map(|one| one.risk_contribution_pct.unwrap()).sum();
            assert!((shares - 100.0).abs() < 1e-10);
            // The variance of rebalanced simple returns and w'S w of log returns differ by the effect of compounding.
            let apart = found.volatility_pct.unwrap() - found.portfolio.figures.volatility_pct.unwrap();
            assert!(apart.abs() < 0.1, "{apart}");
            assert_eq!(found.order.is_some(), method == Method::HierarchicalRiskParity);
            let json = serde_json::to_value(&found).unwrap();
            assert_eq!(json["method"], method.word());
            assert_eq!(json["covariance"]["estimator"], "sample");
            assert!(json["portfolio"]["beta"].is_f64() && json["covariance"]["shrinkage"].is_null());
        }
    }

    #[test]
    fn the_order_of_symbols_moves_no_weight() {
        let given = series(22, 9, 300);
        let mut turned = given.clone();
        turned.reverse();
        for method in [Method::InverseVolatility, Method::EqualRiskContribution] {
            let mut found = weights(&turned, method, Some(0.15));
            found.reverse();
            near(&found, &weights(&given, method, Some(0.15)), 1e-12);
        }
    }

    #[test]
    fn the_scale_of_returns_moves_no_weight() {
        let given = series(23, 6, 300);
        // Powers of closes scale their log returns.
        let scaled = |power: f64| -> Vec<Series> {
            let raise = |rows: &Vec<(NaiveDate, f64)>| {
                rows.iter().map(|&(on, close)| (on, close.powf(power))).collect()
            };
            given.iter().map(|(symbol, rows)| (symbol.clone(), raise(rows))).collect()
        };
        for method in Method::ALL {
            for power in [0.001, 0.5, 20.0] {
                near(&weights(&scaled(power), method, None), &weights(&given, method, None), 1e-9);
            }
        }
    }

    #[test]
    fn two_symbols_are_split_by_their_volatilities() {
        let given = series(24, 2, 300);
        let inverse = weights(&given, Method::InverseVolatility, None);
        near(&weights(&given, Method::EqualRiskContribution, None), &inverse, 1e-10);
        // By inverse variance: the squares of inverse volatilities.
        let squares: f64 = inverse.iter().map(|weight| weight * weight).sum();
        let expected: Vec<f64> = inverse.iter().map(|weight| weight * weight / squares).collect();
        near(&weights(&given, Method::HierarchicalRiskParity, None), &expected, 1e-12);
        near(&weights(&given, Method::EqualRiskContribution, Some(0.5)), &[0.5, 0.5], 1e-12);
    }

    #[test]
    fn identical_series_share_alike_and_shrinking_is_said() {
        let one = series(25, 1, 300).pop().unwrap().1;
        let given: Vec<Series> = (0..4).map(|number| (format!("S{number}"), one.clone())).collect();
        for method in Method::ALL {
            let found = allocate(&align(&given, &[], 252).unwrap(), method, None, None).unwrap();
            near(&found.weights.iter().map(|one| one.weight).collect::<Vec<_>>(), &[0.25; 4], 1e-10);
            assert_eq!(found.covariance.estimator, Estimator::LedoitWolf);
            assert!(found.covariance.note.contains("not positive definite, so it was shrunk"));
        }
    }

    #[test]
    fn mirrored_series_are_shrunk_and_solved() {
        let (name, one) = series(26, 1, 300).pop().unwrap();
        let mirror = one.iter().map(|&(session, close)| (session, 1e4 / close)).collect();
        let given = [(name, one), ("MIRROR".to_owned(), mirror)];
        for method in Method::ALL {
            near(&weights(&given, method, None), &[0.5; 2], 1e-9);
        }
    }

    #[test]
    fn more_symbols_than_returns_with_twins_mirrors_and_a_single_jump_are_allocated() {
        for seed in 30..40 {
            let mut given = series(seed, 50, 35);
            given[1].1 = given[0].1.clone();
            given[3].1 = given[2].1.iter().map(|&(session, close)| (session, 1e6 / close)).collect();
            for (position, row) in given[4].1.iter_mut().enumerate() {
                row.1 = if position < 20 { 5.0 } else { 6.0 };
            }
            let prices = align(&given, &[], 252).unwrap();
            for (method, cap) in
                Method::ALL.into_iter().flat_map(|method| [(method, None), (method, Some(0.025))])
            {
                let found = allocate(&prices, method, cap, None).unwrap();
                assert!((found.weights.iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-12);
                let most = cap.unwrap_or(1.0) + 1e-12;
                assert!(
                    found.weights.iter().all(|one| one.weight > 0.0 && one.weight <= most),
                    "{seed} {method}"
                );
                assert!(found.weights.iter().all(|one| one.risk_contribution_pct.is_some()));
                assert!(found.covariance.positive_definite && found.covariance.shrinkage.unwrap() > 0.0);
            }
        }
    }

    #[test]
    fn what_cannot_be_allocated_is_said() {
        let mut given = series(27, 3, 300);
        let alone = allocate(&align(&given[..1], &[], 252).unwrap(), Method::EqualWeight, None, None);
        assert_eq!(alone, Err(RiskError::SymbolCount { given: 1, fewest: 2 }));
        let prices = align(&given, &[], 252).unwrap();
        let tight = allocate(&prices, Method::EqualWeight, Some(0.25), None);
        assert!(matches!(tight, Err(RiskError::CapTooSmall { smallest: 0.333_334, .. })), "{tight:?}");
        for row in &mut given[1].1 {
            row.1 = 42.0;
        }
        for method in Method::ALL {
            let refused = allocate(&align(&given, &[], 252).unwrap(), method, None, None).unwrap_err();
            assert_eq!(refused, RiskError::Constant(vec!["S1".to_owned()]));
            assert!(refused.to_string().starts_with("S1 did not move"), "{refused}");
        }
    }
}

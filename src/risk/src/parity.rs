//! Equal risk contributions: the weights with which each symbol contributes the same share of the portfolio's variance.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::RiskError;
use super::covariance::Covariance;

/// Largest relative deviation of a contribution that a solution may have. Solutions usually reach 1e-13; symbols that offset each other up
/// to a thousandth reach 1e-10, up to a hundred-thousandth 1e-6.
const TOLERANCE: f64 = 1e-6;

/// Maximum number of Newton steps. About 10 are usual; a matrix of symbols that offset each other has no solution.
const MOST_STEPS: usize = 500;

/// Computes the weights of equal contributions: Spinu, "An algorithm for computing risk parity weights" (2013). Each y (C y) is 1 at the
/// minimum of `y'Cy / 2 - sum(ln y)`, and the weights are y divided by the volatilities, scaled to a sum of 1. The function is convex and
/// self-concordant, so Newton's method finds the only minimum from any start: with steps shortened to 1 / (1 + l) while the decrement l is
/// large, which also keeps every y positive, and with full steps near the end.
///
/// The computation uses correlations, so that the scale of the returns does not matter.
pub(super) fn equal_contributions(covariance: &Covariance) -> Result<Vec<f64>, RiskError> {
    let correlations = covariance.correlations();
    let mut exposures = initial_exposures(&correlations);
    let mut best = (f64::INFINITY, exposures.clone());
    for _ in 0..MOST_STEPS {
        let deviation = max_deviation(&correlations, &exposures);
        // Within the tolerance convergence is quadratic: steps continue while they help, down to the rounding limit.
        if deviation < best.0 {
            best = (deviation, exposures.clone());
        } else if best.0 <= TOLERANCE {
            break;
        }
        exposures += newton_step(&correlations, &exposures).ok_or(RiskError::NoParity)?;
    }
    let (deviation, exposures) = best;
    if deviation > TOLERANCE || deviation.is_nan() {
        return Err(RiskError::NoParity);
    }
    let raw = exposures.component_div(&covariance.deviations());
    let sum = raw.sum();
    Ok(raw.iter().map(|weight| weight / sum).collect())
}

/// Returns equal exposures y for the first step, scaled so that y'Cy is the number of symbols, as in the solution.
fn initial_exposures(correlations: &DMatrix<f64>) -> DVector<f64> {
    let symbols = correlations.nrows();
    let sum = correlations.sum();
    let size = if sum > 1e-6 { (symbols as f64 / sum).sqrt() } else { 1.0 };
    DVector::from_element(symbols, size)
}

/// Returns the largest distance of a contribution y (C y) from 1.
fn max_deviation(correlations: &DMatrix<f64>, exposures: &DVector<f64>) -> f64 {
    (correlations * exposures)
        .component_mul(exposures)
        .iter()
        .map(|part| (part - 1.0).abs())
        .fold(0.0, f64::max)
}

/// Returns a damped Newton step; `None` if the Hessian C + diag(1/y^2) cannot be factored.
fn newton_step(correlations: &DMatrix<f64>, exposures: &DVector<f64>) -> Option<DVector<f64>> {
    /// Below (3 - sqrt 5) / 2 full steps converge quadratically; Spinu uses 0.95 of it.
    const QUADRATIC_BELOW: f64 = 0.95 * 0.381_966_011_250_105_1;
    let inverse = exposures.map(f64::recip);
    let gradient = correlations * exposures - &inverse;
    let hessian = correlations + DMatrix::from_diagonal(&inverse.component_mul(&inverse));
    let newton = Cholesky::new(hessian)?.solve(&gradient);
    let decrement = newton.dot(&gradient).max(0.0).sqrt();
    Some(if decrement > QUADRATIC_BELOW { newton / -(1.0 + decrement) } else { -newton })
}

#[cfg(test)]
mod tests {
    use super::super::vectors::Draws;
    use super::*;

    fn assert_equal_contributions(covariance: &Covariance) {
        let weights = equal_contributions(covariance).unwrap();
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights.iter().all(|weight| *weight > 0.0));
        // Computed independently of the code under test.
        let matrix = covariance.matrix();
        let parts: Vec<f64> = (0..weights.len())
            .map(|i| (0..weights.len()).map(|j| weights[i] * weights[j] * matrix[(i, j)]).sum())
            .collect();
        let variance: f64 = parts.iter().sum();
        let fair = 1.0 / weights.len() as f64;
        for part in &parts {
            assert!((part / variance - fair).abs() < 1e-8 * fair, "{} for {fair}", part / variance);
        }
    }

    #[test]
    fn two_symbols_are_weighted_by_their_volatilities_whatever_their_correlation() {
        for correlation in [-0.99, -0.5, 0.0, 0.7, 0.999_999] {
            let product = 0.02 * 0.05 * correlation;
            let covariance =
                Covariance::from_matrix(DMatrix::from_row_slice(2, 2, &[0.0004, product, product, 0.0025]));
            let weights = equal_contributions(&covariance).unwrap();
            assert!((weights[0] - 5.0 / 7.0).abs() < 1e-10, "{correlation}: {weights:?}");
        }
    }

    #[test]
    fn symbols_that_offset_each_other_almost_are_solved_as_far_as_rounding_lets() {
        for (rest, within) in [(1e-6, 1e-9), (1e-8, 1e-7), (1e-9, 1e-6)] {
            let product = -0.001 * (1.0 - rest);
            let covariance =
                Covariance::from_matrix(DMatrix::from_row_slice(2, 2, &[0.0004, product, product, 0.0025]));
            let weights = equal_contributions(&covariance).unwrap();
            assert!((weights[0] - 5.0 / 7.0).abs() < within, "{rest}: {weights:?}");
        }
    }

    #[test]
    fn a_published_solution() {
        // Maillard, Roncalli, Teiletche, "The properties of equally weighted risk contribution portfolios" (2010), table of
        // four assets: volatilities 10, 20, 30, 40 %, correlations 0.8 of the first two and -0.5 of the last two.
        let sd = [0.1, 0.2, 0.3, 0.4];
        let covariance = DMatrix::from_fn(4, 4, |i, j| {
            let correlation = match (i.min(j), i.max(j)) {
                (i, j) if i == j => 1.0,
                (0, 1) => 0.8,
                (2, 3) => -0.5,
                _ => 0.0,
            };
            sd[i] * sd[j] * correlation
        });
        let weights = equal_contributions(&Covariance::from_matrix(covariance)).unwrap();
        for (weight, expected) in weights.iter().zip([0.384, 0.192, 0.243, 0.182]) {
            assert!((weight - expected).abs() < 6e-4, "{weights:?}");
        }
    }

    #[test]
    fn contributions_are_equal_for_random_covariances() {
        let mut draws = Draws::new(71);
        for symbols in [2, 3, 7, 20, 50] {
            for scale in [1e-8, 1.0, 1e6] {
                // More draws than symbols, of very different sizes.
                let sample = DMatrix::from_fn(symbols + 3, symbols, |_, j| {
                    scale * (1.0 + 30.0 * (j % 5) as f64) * draws.uniform()
                });
                assert_equal_contributions(&Covariance::from_matrix(sample.tr_mul(&sample)));
            }
        }
    }

    #[test]
    fn nearly_singular_covariances_are_solved() {
        for correlation in [0.999_999_999, -0.999_999, 1.0] {
            let matrix = DMatrix::from_row_slice(2, 2, &[1.0, correlation, correlation, 1.0]);
            assert_equal_contributions(&Covariance::from_matrix(matrix));
        }
    }

    #[test]
    fn a_perfect_hedge_has_no_solution_and_says_so() {
        let matrix = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
        assert_eq!(equal_contributions(&Covariance::from_matrix(matrix)), Err(RiskError::NoParity));
    }
}

//! The sample covariance of daily log returns, and the shrunk estimate if the sample covariance is not positive definite.

use nalgebra::{Cholesky, DMatrix, DVector};
use serde::Serialize;

use super::SESSIONS_A_YEAR;
use super::figures::{deviations_from_mean, to_percent};

/// A correlation matrix counts as positive definite if all its Cholesky pivots are above this. A pivot is the share of a symbol's variance
/// that earlier symbols do not explain; a pivot of zero is rounded to about 1e-14.
const SMALLEST_PIVOT: f64 = 1e-10;

/// Daily variance of a portfolio up to which only rounding errors are left.
const CANCELLED_VARIANCE: f64 = 1e-24;

/// Method of estimating a covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// The sample covariance, divided by n - 1.
    Sample,
    /// The sample covariance, shrunk towards a multiple of the identity.
    LedoitWolf,
}

/// Properties of the covariance behind some weights, for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CovarianceNote {
    /// Estimator of the covariance matrix.
    pub estimator: Estimator,
    /// Share of the target in the shrunk covariance, 0 to 1; `None` if the covariance was not shrunk.
    pub shrinkage: Option<f64>,
    /// True if the covariance in use is positive definite.
    pub positive_definite: bool,
    /// A sentence about the estimator, the shrinkage and the covariance in use.
    pub note: String,
}

/// A covariance of daily log returns. Rows and columns of a series that does not move are exactly 0.
#[derive(Debug, Clone)]
pub(super) struct Covariance {
    matrix: DMatrix<f64>,
    note: CovarianceNote,
}

impl Covariance {
    /// Computes the sample covariance of series of equal length.
    pub(super) fn sample_covariance(returns: &[Vec<f64>]) -> Self {
        let note = CovarianceNote {
            estimator: Estimator::Sample,
            shrinkage: None,
            positive_definite: true,
            note: "The sample covariance is positive definite and was used as it is.".to_owned(),
        };
        let mut sample = Self {
            matrix: product_with_transpose(&centred_columns(returns)) / degrees_of_freedom(returns),
            note,
        };
        if !sample.is_positive_definite() {
            sample.note.positive_definite = false;
            "The sample covariance is not positive definite.".clone_into(&mut sample.note.note);
        }
        sample
    }

    /// Returns the covariance unchanged if it is positive definite, else shrunk. `returns` must be the returns from which it was estimated.
    pub(super) fn shrunk_if_needed(self, returns: &[Vec<f64>]) -> Self {
        if self.note.positive_definite { self } else { self.shrink(returns) }
    }

    /// Computes (1 - d) S + d m I with the mean variance m: Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance
    /// matrices", Journal of Multivariate Analysis 88 (2004). The paper divides by n, as scikit-learn's `LedoitWolf` does; S here divides
    /// by n - 1 like every other variance, and d is the same either way.
    pub(super) fn shrink(&self, returns: &[Vec<f64>]) -> Self {
        let shrinkage = optimal_shrinkage(returns);
        let symbols = self.matrix.nrows();
        let target = DMatrix::from_diagonal_element(symbols, symbols, self.matrix.trace() / symbols as f64);
        let matrix = &self.matrix * (1.0 - shrinkage) + target * shrinkage;
        let positive_definite = is_positive_definite(&matrix);
        let mut note = format!(
            "The sample covariance of {symbols} symbols over {} returns is not positive definite, so it was shrunk by {:.1} % \
             towards equal variances without correlation (Ledoit-Wolf).",
            returns.first().map_or(0, Vec::len),
            100.0 * shrinkage
        );
        if !positive_definite {
            note.push_str(" It is still not positive definite: some symbols move as one, and the split between them is arbitrary.");
        }
        let estimator = Estimator::LedoitWolf;
        Self {
            matrix,
            note: CovarianceNote { estimator, shrinkage: Some(shrinkage), positive_definite, note },
        }
    }

    /// Wraps a matrix as if it were a sample covariance.
    #[cfg(test)]
    pub(super) fn from_matrix(matrix: DMatrix<f64>) -> Self {
        Self { matrix, note: Self::sample_covariance(&[]).note }
    }

    /// Returns the properties of the covariance, for the reader.
    pub(super) fn note(&self) -> &CovarianceNote {
        &self.note
    }

    /// Returns the covariance matrix of daily returns.
    pub(super) fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// Returns the daily standard deviation of each series.
    pub(super) fn deviations(&self) -> DVector<f64> {
        self.matrix.diagonal().map(|variance| variance.max(0.0).sqrt())
    }

    /// Returns the correlation matrix, with 0 off the diagonal for a series that does not move.
    pub(super) fn correlations(&self) -> DMatrix<f64> {
        correlations(&self.matrix)
    }

    /// Returns the correlation of two series; `None` if one of them does not move.
    pub(super) fn correlation(&self, one: usize, other: usize) -> Option<f64> {
        let entry = |row: usize, column: usize| self.matrix.get((row, column)).copied();
        let scale = entry(one, one)?.sqrt() * entry(other, other)?.sqrt();
        (scale > 0.0).then(|| entry(one, other)).flatten().map(|product| (product / scale).clamp(-1.0, 1.0))
    }

    /// Returns the annualised standard deviation of each series, as a share.
    pub(super) fn volatilities(&self) -> Vec<f64> {
        let year = (SESSIONS_A_YEAR as f64).sqrt();
        self.deviations().iter().map(|daily| daily * year).collect()
    }

    /// Returns the annualised standard deviation of a portfolio, as a share.
    pub(super) fn volatility(&self, weights: &[f64]) -> f64 {
        let weights = DVector::from_column_slice(weights);
        (weights.dot(&(&self.matrix * &weights)).max(0.0) * SESSIONS_A_YEAR as f64).sqrt()
    }

    /// Returns each holding's share of the portfolio's variance, w (S w) / w'S w: the shares sum to 1, a hedge's is negative. `None` if the
    /// portfolio does not move.
    fn contributions(&self, weights: &[f64]) -> Option<Vec<f64>> {
        let weights = DVector::from_column_slice(weights);
        let parts = weights.component_mul(&(&self.matrix * &weights));
        let variance = parts.sum();
        (variance > CANCELLED_VARIANCE).then(|| parts.iter().map(|part| part / variance + 0.0).collect())
    }

    /// Returns the contributions in percent, one per weight; `None` if the portfolio does not move.
    pub(super) fn contributions_pct(&self, weights: &[f64]) -> Vec<Option<f64>> {
        match self.contributions(weights) {
            Some(shares) => shares.into_iter().map(|share| to_percent(Some(share))).collect(),
            None => vec![None; weights.len()],
        }
    }

    /// Returns the weighted mean of the volatilities divided by the portfolio's volatility: 1 without diversification. `None` if the
    /// portfolio does not move. Choueifaty and Coignard, "Toward maximum diversification" (2008).
    pub(super) fn diversification_ratio(&self, weights: &[f64]) -> Option<f64> {
        let weights = DVector::from_column_slice(weights);
        let variance = weights.dot(&(&self.matrix * &weights));
        (variance > CANCELLED_VARIANCE).then(|| weights.dot(&self.deviations()) / variance.sqrt())
    }

    fn is_positive_definite(&self) -> bool {
        is_positive_definite(&self.matrix)
    }
}

/// Returns true if a covariance is positive definite. Tests the correlations, so that the size of the variances does not matter.
fn is_positive_definite(covariance: &DMatrix<f64>) -> bool {
    if covariance.diagonal().iter().any(|variance| *variance <= 0.0) {
        return false;
    }
    Cholesky::new(correlations(covariance))
        .is_some_and(|factor| factor.l_dirty().diagonal().iter().all(|root| root * root > SMALLEST_PIVOT))
}

fn correlations(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let roots = covariance.diagonal().map(|variance| variance.max(0.0).sqrt());
    let scales = &roots * roots.transpose();
    let correlation =
        |product: f64, scale: f64| if scale > 0.0 { (product / scale).clamp(-1.0, 1.0) } else { 0.0 };
    let mut correlations = covariance.zip_map(&scales, correlation);
    correlations.fill_diagonal(1.0);
    correlations
}

fn degrees_of_freedom(returns: &[Vec<f64>]) -> f64 {
    returns.first().map_or(0, Vec::len).saturating_sub(1).max(1) as f64
}

/// Subtracts from each series its mean; returns one column per series.
fn centred_columns(returns: &[Vec<f64>]) -> DMatrix<f64> {
    let sessions = returns.first().map_or(0, Vec::len);
    DMatrix::from_iterator(
        sessions,
        returns.len(),
        returns.iter().flat_map(|series| deviations_from_mean(series)),
    )
}

/// Computes X'X by plain sums: the blocked product of large matrices depends on the processor in its last digits.
fn product_with_transpose(centred: &DMatrix<f64>) -> DMatrix<f64> {
    let symbols = centred.ncols();
    DMatrix::from_fn(symbols, symbols, |row, column| centred.column(row).dot(&centred.column(column)))
}

/// Computes Ledoit and Wolf's optimal share of the target: the squared error of the sample covariance, at most its squared distance from
/// the target, divided by that distance.
fn optimal_shrinkage(returns: &[Vec<f64>]) -> f64 {
    let centred = centred_columns(returns);
    let (sessions, symbols) = (centred.nrows() as f64, centred.ncols() as f64);
    let sample = product_with_transpose(&centred) / sessions;
    let mean_variance = sample.trace() / symbols;
    let squared_norm = sample.norm_squared();
    let distance = squared_norm - symbols * mean_variance * mean_variance;
    let fourth_powers: f64 = centred.row_iter().map(|session| session.norm_squared().powi(2)).sum();
    let error = (fourth_powers / sessions - squared_norm) / sessions;
    if error > 0.0 && distance > 0.0 { (error / distance).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-12, "{actual} for {expected}");
    }

    #[test]
    fn a_covariance_by_hand() {
        let covariance = Covariance::sample_covariance(&[vec![1.0, 2.0, 3.0, 4.0], vec![2.0, 1.0, 4.0, 3.0]]);
        // Squares of 5 and 5, products of 3, over 3.
        for (entry, expected) in [((0, 0), 5.0 / 3.0), ((1, 1), 5.0 / 3.0), ((0, 1), 1.0), ((1, 0), 1.0)] {
            assert_near(covariance.matrix()[entry], expected);
        }
        assert_near(covariance.correlation(0, 1).unwrap(), 0.6);
        assert!(covariance.note().positive_definite);
        // w = (1, 0): all variance from the first; w = (0.5, 0.5): half each; variance (5/3 + 1) / 2.
        assert_eq!(covariance.contributions(&[1.0, 0.0]).unwrap(), [1.0, 0.0]);
        assert_near(covariance.contributions(&[0.5, 0.5]).unwrap()[1], 0.5);
        assert_near(covariance.volatility(&[0.5, 0.5]), (4.0 / 3.0 * 252.0_f64).sqrt());
        assert_near(covariance.diversification_ratio(&[0.5, 0.5]).unwrap(), (5.0_f64 / 4.0).sqrt());
        assert_eq!(covariance.correlation(0, 2), None);
    }

    #[test]
    fn a_hedge_takes_risk_away() {
        let covariance = Covariance::from_matrix(DMatrix::from_row_slice(2, 2, &[4.0, -1.0, -1.0, 1.0]));
        // w = (0.8, 0.2): 2.56 - 0.16 = 2.4 and 0.04 - 0.16 = -0.12 of 2.28.
        let shares = covariance.contributions(&[0.8, 0.2]).unwrap();
        assert_near(shares[0], 2.4 / 2.28);
        assert_near(shares[1], -0.12 / 2.28);
    }

    #[test]
    fn a_series_that_does_not_move_has_no_correlation() {
        let covariance = Covariance::sample_covariance(&[vec![0.1, -0.1, 0.2], vec![0.1; 3]]);
        assert_eq!(covariance.correlation(0, 1), None);
        assert_eq!(covariance.correlation(1, 1), None);
        assert_eq!(covariance.contributions(&[0.5, 0.5]).unwrap(), [1.0, 0.0]);
        assert_eq!(covariance.contributions(&[0.0, 1.0]), None);
        assert_eq!(covariance.diversification_ratio(&[0.0, 1.0]), None);
        assert!(!covariance.note().positive_definite);
    }

    #[test]
    fn identical_series_are_shrunk_until_they_can_be_inverted() {
        let one: Vec<f64> = (0..40).map(|n| 0.01 * f64::from((n * n) % 11) - 0.03).collect();
        let covariance = {
            let returns = [one.clone(), one];
            Covariance::sample_covariance(&returns).shrunk_if_needed(&returns)
        };
        let note = covariance.note();
        assert_eq!(note.estimator, Estimator::LedoitWolf);
        assert!(note.positive_definite && note.shrinkage.unwrap() > 0.0, "{note:?}");
        assert!(note.note.contains("2 symbols over 40 returns"), "{}", note.note);
        let correlation = covariance.correlation(0, 1).unwrap();
        assert_near(correlation, 1.0 - note.shrinkage.unwrap());
    }

    #[test]
    fn a_matrix_that_shrinking_cannot_repair_is_reported() {
        // Every return is 1 % up or down, so that the squares have no error from which a share could be estimated.
        let saw = [0.01, -0.01].repeat(20);
        let returns = [saw.clone(), saw];
        let covariance = Covariance::sample_covariance(&returns).shrunk_if_needed(&returns);
        assert_near(covariance.note().shrinkage.unwrap(), 0.0);
        assert!(!covariance.note().positive_definite);
        assert!(covariance.note().note.contains("still not positive definite"));
    }
}

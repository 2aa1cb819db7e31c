//! Hierarchical risk parity: a tree joins symbols that move alike, and weights are split down its leaf order.
//!
//! Lopez de Prado, "Building diversified portfolios that outperform out of sample", Journal of Portfolio Management 42 (2016), in three
//! steps: single linkage over the distance of distances, quasi-diagonalisation, recursive bisection.

use kodama::Method;
use nalgebra::DMatrix;

use super::covariance::Covariance;

/// Weights of the symbols, and the leaf order of their tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hierarchy {
    /// One weight per symbol, in the order of the covariance.
    pub(super) weights: Vec<f64>,
    /// Indices of the symbols, from the first leaf to the last.
    pub(super) order: Vec<usize>,
}

/// Computes the weights and the leaf order.
pub(super) fn hierarchical_weights(covariance: &Covariance) -> Hierarchy {
    let order = leaf_order(&covariance.correlations());
    let mut weights = vec![0.0; order.len()];
    split_weights(covariance.matrix(), &order, 1.0, &mut weights);
    Hierarchy { weights, order }
}

/// Returns the indices of the symbols in leaf order. Each merge puts the cluster with the smaller number on the left: the symbols come
/// first, then merged clusters in order of creation. Equal distances are merged in a fixed order, which other implementations need not
/// share.
fn leaf_order(correlations: &DMatrix<f64>) -> Vec<usize> {
    let symbols = correlations.nrows();
    let distances = correlations.map(|correlation| ((1.0 - correlation) / 2.0).max(0.0).sqrt());
    let mut condensed = Vec::with_capacity(symbols * symbols.saturating_sub(1) / 2);
    for one in 0..symbols {
        for other in one + 1..symbols {
            condensed.push(distances.column(one).metric_distance(&distances.column(other)));
        }
    }
    let tree = kodama::linkage(&mut condensed, symbols, Method::Single);
    let mut clusters: Vec<Vec<usize>> = (0..symbols).map(|symbol| vec![symbol]).collect();
    for merge in tree.steps() {
        let members = [merge.cluster1, merge.cluster2].into_iter().filter_map(|label| clusters.get(label));
        let merged = members.flatten().copied().collect();
        clusters.push(merged);
    }
    clusters.pop().unwrap_or_default()
}

/// Splits `share` over the symbols in leaf order. The order is halved, the first half being the shorter one, and each half gets the other
/// half's fraction of the summed variance, down to single symbols. As in the paper, the branches of the tree are not used.
fn split_weights(covariance: &DMatrix<f64>, order: &[usize], share: f64, weights: &mut [f64]) {
    if let [symbol] = order {
        if let Some(weight) = weights.get_mut(*symbol) {
            *weight = share;
        }
        return;
    }
    let (first, second) = order.split_at(order.len() / 2);
    if first.is_empty() {
        return;
    }
    let [one, other] = [first, second].map(|half| cluster_variance(covariance, half));
    // Two halves without variance, such as perfect hedges, get equal shares.
    let to_first = if one + other > 0.0 { other / (one + other) } else { 0.5 };
    split_weights(covariance, first, share * to_first, weights);
    split_weights(covariance, second, share * (1.0 - to_first), weights);
}

/// Returns the variance of a cluster whose symbols are weighted by 1 / variance.
fn cluster_variance(covariance: &DMatrix<f64>, members: &[usize]) -> f64 {
    let block = covariance.select_rows(members).select_columns(members);
    let inverse = block.diagonal().map(f64::recip);
    let weights = &inverse / inverse.sum();
    weights.dot(&(block * &weights)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(actual: &[f64], expected: &[f64]) {
        assert!(
            actual.iter().zip(expected).all(|(actual, expected)| (actual - expected).abs() < 1e-12),
            "{actual:?}"
        );
    }

    #[test]
    fn three_symbols_by_hand() {
        // Variances 4, 1, 1 and correlation 0.5 of the first and the last alone.
        let matrix = DMatrix::from_row_slice(3, 3, &[4.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        let hierarchy = hierarchical_weights(&Covariance::from_matrix(matrix));
        // The distances are 1/2 between 0 and 2, and sqrt(1/2) to 1. Columns: (0, r, h), (r, 0, r), (h, r, 0) with r^2 = 1/2 and
        // h = 1/2; their distances: 0-2 sqrt(1/2), 0-1 and 1-2 sqrt(1/2 + 1/2 + (r-h)^2) > 1. So 0 and 2 merge to cluster 3, then 1 with 3.
        assert_eq!(hierarchy.order, [1, 0, 2]);
        // Halves {1} and {0, 2}. The second by 1/variance: 0.2 and 0.8, variance 0.04 x 4 + 2 x 0.16 x 1 + 0.64 = 1.12.
        // Symbol 1 gets 1.12 / 2.12; the rest is split by 1 / (4 + 1) and 4 / 5.
        let rest = 1.0 / 2.12;
        assert_near(&hierarchy.weights, &[0.2 * rest, 1.12 / 2.12, 0.8 * rest]);
    }

    #[test]
    fn two_symbols_are_weighted_by_inverse_variance() {
        let matrix = DMatrix::from_row_slice(2, 2, &[4.0, -1.0, -1.0, 1.0]);
        let hierarchy = hierarchical_weights(&Covariance::from_matrix(matrix));
        assert_eq!(hierarchy.order, [0, 1]);
        assert_near(&hierarchy.weights, &[0.2, 0.8]);
    }

    #[test]
    fn identical_symbols_and_hedges_do_not_divide_by_zero() {
        let same = hierarchical_weights(&Covariance::from_matrix(DMatrix::from_element(4, 4, 1.0)));
        assert_near(&same.weights, &[0.25; 4]);
        let mut order = same.order;
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
        // 0 and 1 offset each other; so do 2 and 3.
        let sign = [1.0, -1.0, 1.0, -1.0];
        let hedges =
            hierarchical_weights(&Covariance::from_matrix(DMatrix::from_fn(4, 4, |i, j| sign[i] * sign[j])));
        assert!((hedges.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

//! Capping of weights: no symbol gets more than the cap, and the others get the excess.

use super::RiskError;

/// Tolerance for a rounded cap such as 0.333333333333, which is slightly below 1/n.
const ROUNDING_TOLERANCE: f64 = 1e-12;

/// Weights under a cap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CappedWeights {
    /// Weights; they sum to 1.
    pub(super) weights: Vec<f64>,
    /// True for weights bound by the cap.
    pub(super) is_capped: Vec<bool>,
}

/// Checks that a cap is a share, and that weights under it can sum to 1.
pub(super) fn check_cap(cap: f64, symbols: usize) -> Result<(), RiskError> {
    if !(cap > 0.0 && cap <= 1.0) {
        return Err(RiskError::Cap(cap));
    }
    let equal_share = 1.0 / symbols as f64;
    if cap < equal_share - ROUNDING_TOLERANCE {
        let smallest = (1e6 / symbols as f64).ceil() / 1e6;
        return Err(RiskError::CapTooSmall { cap, symbols, smallest });
    }
    Ok(())
}

/// Reduces each weight above the cap to the cap and gives the excess to the other symbols in proportion to their weights, repeatedly until
/// no weight exceeds it. The uncapped weights keep their proportions; equal risk contributions are no longer equal after that.
pub(super) fn cap_weights(weights: &[f64], cap: f64) -> CappedWeights {
    let mut is_capped = vec![false; weights.len()];
    loop {
        let capped_sum = is_capped.iter().filter(|is_capped| **is_capped).count() as f64 * cap;
        let uncapped_sum: f64 = weights
            .iter()
            .zip(&is_capped)
            .filter(|(_, is_capped)| !**is_capped)
            .map(|(weight, _)| weight)
            .sum();
        // No uncapped weight is left if the cap is 1/n and binds all symbols.
        let scale = if uncapped_sum > 0.0 { (1.0 - capped_sum).max(0.0) / uncapped_sum } else { 0.0 };
        let scaled: Vec<f64> = weights
            .iter()
            .zip(&is_capped)
            .map(|(weight, is_capped)| if *is_capped { cap } else { weight * scale })
            .collect();
        let before = is_capped.clone();
        for (is_capped, weight) in is_capped.iter_mut().zip(&scaled) {
            *is_capped |= *weight > cap + ROUNDING_TOLERANCE;
        }
        if is_capped == before {
            // Rescaled to a sum of 1, after rounding or a cap slightly below 1/n.
            let sum: f64 = scaled.iter().sum();
            let weights = scaled.into_iter().map(|weight| weight / sum).collect();
            return CappedWeights { weights, is_capped };
        }
    }
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
    fn excess_goes_to_the_others_in_proportion_until_none_exceeds() {
        // 0.6 -> 0.4; 0.2 is spread 3:1 over 0.3 and 0.1: 0.45 and 0.15; 0.45 -> 0.4 and the last gets 0.2.
        let capped = cap_weights(&[0.6, 0.3, 0.1], 0.4);
        assert_near(&capped.weights, &[0.4, 0.4, 0.2]);
        assert_eq!(capped.is_capped, [true, true, false]);
        let untouched = cap_weights(&[0.6, 0.3, 0.1], 0.6);
        assert_near(&untouched.weights, &[0.6, 0.3, 0.1]);
        assert_eq!(untouched.is_capped, [false; 3]);
        let one = cap_weights(&[0.5, 0.3, 0.2], 0.45);
        assert_near(&one.weights, &[0.45, 0.33, 0.22]);
    }

    #[test]
    fn the_smallest_feasible_cap_makes_all_equal() {
        assert_near(&cap_weights(&[0.9, 0.09, 0.01], 1.0 / 3.0).weights, &[1.0 / 3.0; 3]);
        assert_eq!(check_cap(1.0 / 3.0, 3), Ok(()));
        let refused = check_cap(0.3, 3).unwrap_err();
        assert_eq!(refused, RiskError::CapTooSmall { cap: 0.3, symbols: 3, smallest: 0.333_334 });
        assert!(refused.to_string().contains("0.333334 (1/3)"), "{refused}");
        assert_eq!(check_cap(0.333_334, 3), Ok(()), "the cap that is proposed is feasible");
        for cap in [0.0, -0.5, 1.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(check_cap(cap, 3), Err(RiskError::Cap(_))), "{cap}");
        }
    }

    #[test]
    fn sums_are_one_and_the_cap_holds_for_many() {
        let raw: Vec<f64> = (1..=50).map(|n| f64::from(n).powi(4)).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        for cap in [0.02, 0.021, 0.03, 0.05, 0.08, 1.0] {
            let capped = cap_weights(&weights, cap);
            assert!((capped.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(capped.weights.iter().all(|weight| *weight <= cap + 1e-12), "{cap}");
            assert!(capped.weights.is_sorted_by(|one, next| *one <= *next + 1e-15), "{cap}");
        }
    }
}

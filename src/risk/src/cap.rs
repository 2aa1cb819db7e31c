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

/// Checks a cap before anything is computed with it.
pub(super) fn check(cap: f64, symbols: usize) -> Result<(), RiskError> {
    if !(cap > 0.0 && cap <= 1.0) {
        return Err(RiskError::Cap(cap));
    }
    let fair = 1.0 / symbols as f64;
    if cap < fair - ROUNDING_TOLERANCE {
        let smallest = (1e6 / symbols as f64).ceil() / 1e6;
        return Err(RiskError::CapTooSmall { cap, symbols, smallest });
    }
    Ok(())
}

/// Reduces each weight above the cap to it and gives the excess to the others in proportion to their weights, repeatedly until none exceeds
/// it. The others keep their proportions; under a cap, equal risk contributions are no longer equal.
pub(super) fn cap_weights(weights: &[f64], cap: f64) -> CappedWeights {
    let mut bound = vec![false; weights.len()];
    loop {
        let held = bound.iter().filter(|bound| **bound).count() as f64 * cap;
        let free: f64 =
            weights.iter().zip(&bound).filter(|(_, bound)| !**bound).map(|(weight, _)| weight).sum();
        // No free weight is left if the cap is 1/n and binds all.
        let scale = if free > 0.0 { (1.0 - held).max(0.0) / free } else { 0.0 };
        let scaled: Vec<f64> = weights
            .iter()
            .zip(&bound)
            .map(|(weight, bound)| if *bound { cap } else { weight * scale })
            .collect();
        let before = bound.clone();
        for (bound, weight) in bound.iter_mut().zip(&scaled) {
            *bound |= *weight > cap + ROUNDING_TOLERANCE;
        }
        if bound == before {
            // Rescaled to a sum of 1, after rounding or a cap slightly below 1/n.
            let sum: f64 = scaled.iter().sum();
            let weights = scaled.into_iter().map(|weight| weight / sum).collect();
            return CappedWeights { weights, is_capped: bound };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
            "{found:?}"
        );
    }

    #[test]
    fn excess_goes_to_the_others_in_proportion_until_none_exceeds() {
        // 0.6 -> 0.4; 0.2 is spread 3:1 over 0.3 and 0.1: 0.45 and 0.15; 0.45 -> 0.4 and the last gets 0.2.
        let found = cap_weights(&[0.6, 0.3, 0.1], 0.4);
        near(&found.weights, &[0.4, 0.4, 0.2]);
        assert_eq!(found.is_capped, [true, true, false]);
        let untouched = cap_weights(&[0.6, 0.3, 0.1], 0.6);
        near(&untouched.weights, &[0.6, 0.3, 0.1]);
        assert_eq!(untouched.is_capped, [false; 3]);
        let one = cap_weights(&[0.5, 0.3, 0.2], 0.45);
        near(&one.weights, &[0.45, 0.33, 0.22]);
    }

    #[test]
    fn the_smallest_feasible_cap_makes_all_equal() {
        near(&cap_weights(&[0.9, 0.09, 0.01], 1.0 / 3.0).weights, &[1.0 / 3.0; 3]);
        assert_eq!(check(1.0 / 3.0, 3), Ok(()));
        let refused = check(0.3, 3).unwrap_err();
        assert_eq!(refused, RiskError::CapTooSmall { cap: 0.3, symbols: 3, smallest: 0.333_334 });
        assert!(refused.to_string().contains("0.333334 (1/3)"), "{refused}");
        assert_eq!(check(0.333_334, 3), Ok(()), "the cap that is proposed is feasible");
        for cap in [0.0, -0.5, 1.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(check(cap, 3), Err(RiskError::Cap(_))), "{cap}");
        }
    }

    #[test]
    fn sums_are_one_and_the_cap_holds_for_many() {
        let raw: Vec<f64> = (1..=50).map(|n| f64::from(n).powi(4)).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        for cap in [0.02, 0.021, 0.03, 0.05, 0.08, 1.0] {
            let found = cap_weights(&weights, cap);
            assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.weights.iter().all(|weight| *weight <= cap + 1e-12), "{cap}");
            assert!(found.weights.is_sorted_by(|one, next| *one <= *next + 1e-15), "{cap}");
        }
    }
}

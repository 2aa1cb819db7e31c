//! Parses the weights of a caller into shares that sum to 1.

use super::RiskError;

/// Allowed difference of a sum from 1 or from 100, for rounded weights.
const SUM_TOLERANCE: f64 = 1e-6;

/// Parses weights into shares: finite, 0 or more, with a sum of 1. The weights may be shares or percentages.
pub(super) fn parse(symbols: &[String], weights: &[f64]) -> Result<Vec<f64>, RiskError> {
    if weights.len() != symbols.len() {
        return Err(RiskError::WeightCount { weights: weights.len(), symbols: symbols.len() });
    }
    let invalid = symbols.iter().zip(weights).find(|(_, weight)| !(weight.is_finite() && **weight >= 0.0));
    if let Some((symbol, &weight)) = invalid {
        return Err(RiskError::Weight { symbol: symbol.clone(), weight });
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE && (sum - 100.0).abs() > SUM_TOLERANCE {
        // Eight decimals show the missing part without float noise.
        return Err(RiskError::WeightSum((sum * 1e8).round() / 1e8));
    }
    // Adding 0 converts -0 to 0.
    Ok(weights.iter().map(|weight| weight / sum + 0.0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("S{number}")).collect()
    }

    #[test]
    fn shares_and_percentages_become_shares() {
        assert_eq!(parse(&names(2), &[0.25, 0.75]).unwrap(), [0.25, 0.75]);
        assert_eq!(parse(&names(2), &[25.0, 75.0]).unwrap(), [0.25, 0.75]);
        assert_eq!(parse(&names(1), &[100.0]).unwrap(), [1.0]);
        let thirds = parse(&names(3), &[0.333_333_3; 3]).unwrap();
        assert!((thirds.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_wrong_sum_is_refused_with_the_sum() {
        for (weights, part) in [
            ([0.5, 0.4], "sum to 0.9;"),
            ([50.0, 49.0], "sum to 99;"),
            ([0.0, 0.0], "sum to 0;"),
            ([0.1, 0.2], "sum to 0.3;"),
        ] {
            let words = parse(&names(2), &weights).unwrap_err().to_string();
            assert!(words.contains(part), "{words}");
        }
        assert!(parse(&names(2), &[0.5, 0.500_000_9]).is_ok());
        assert!(parse(&names(2), &[0.5, 0.500_002]).is_err());
    }

    #[test]
    fn an_invalid_weight_is_named() {
        for weight in [-0.1, f64::NAN, f64::INFINITY] {
            let words = parse(&names(2), &[1.1, weight]).unwrap_err().to_string();
            assert!(words.contains("`S1`"), "{words}");
        }
        assert_eq!(parse(&names(2), &[1.0]), Err(RiskError::WeightCount { weights: 1, symbols: 2 }));
    }
}

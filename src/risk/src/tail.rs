//! Historical value at risk and expected shortfall, from the actual returns: no distribution is assumed.

/// Value at risk and expected shortfall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TailLoss {
    /// Value at risk; a loss is positive.
    pub(super) var: f64,
    /// Conditional value at risk, also called expected shortfall; a loss is positive.
    pub(super) cvar: f64,
}

/// Measures the tail of n returns beyond a confidence level in percent (1 to 99; 95 leaves the worst 5 %).
///
/// With a = 1 - level, VaR is the loss of rank ceil(a n), counted from the worst: of 252 returns at 95 % the 13th worst (a n = 12.6), of
/// 100 returns the 5th worst. No value is interpolated between two ranks.
///
/// CVaR is the minimum over v of v + sum(max(loss - v, 0)) / (a n), reached if v is the VaR: Rockafellar and Uryasev, "Optimization of
/// conditional value-at-risk", Journal of Risk 2 (2000). It is the mean of the worst a n losses, the last one weighted by the fractional
/// part of a n: of 252 returns at 95 % the 12 worst and 0.6 of the 13th.
///
/// Ranks are computed in integers, so that rounding of a n never moves a rank. `None` without returns.
pub(super) fn tail_loss(ascending_returns: &[f64], level: usize) -> Option<TailLoss> {
    let hundredths = ascending_returns.len() * (100 - level.clamp(1, 99));
    let rank = hundredths.div_ceil(100);
    let var = -ascending_returns.get(rank.checked_sub(1)?)?;
    let excess: f64 = ascending_returns.iter().take(rank).map(|worst| -worst - var).sum();
    let cvar = var + excess / (hundredths as f64 / 100.0);
    // Adding 0 converts -0 to 0.
    Some(TailLoss { var: var + 0.0, cvar: cvar + 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses of 1, 2, ... n, ascending as returns: -n first.
    fn ladder(n: usize) -> Vec<f64> {
        (1..=n).rev().map(|loss| -(loss as f64)).collect()
    }

    fn assert_near(actual: TailLoss, var: f64, cvar: f64) {
        assert!((actual.var - var).abs() < 1e-12 && (actual.cvar - cvar).abs() < 1e-12, "{actual:?}");
    }

    #[test]
    fn whole_tails_are_plain_means() {
        // Of 100 losses the worst 5 are 100, 99, 98, 97, 96.
        assert_near(tail_loss(&ladder(100), 95).unwrap(), 96.0, 98.0);
        assert_near(tail_loss(&ladder(100), 99).unwrap(), 100.0, 100.0);
    }

    #[test]
    fn the_last_of_a_broken_tail_counts_by_its_fraction() {
        // 5 % of 50 are 2.5: (50 + 49 + 0.5 x 48) / 2.5 = 49.2.
        assert_near(tail_loss(&ladder(50), 95).unwrap(), 48.0, 49.2);
        // 1 % of 252 are 2.52: (252 + 251 + 0.52 x 250) / 2.52.
        assert_near(tail_loss(&ladder(252), 99).unwrap(), 250.0, 633.0 / 2.52);
        // Less than one return: the worst.
        assert_near(tail_loss(&ladder(30), 99).unwrap(), 30.0, 30.0);
    }

    #[test]
    fn ranks_do_not_move_by_rounding() {
        // In floats 0.07 x 100 is more than 7, which would make the rank 8.
        assert_near(tail_loss(&ladder(100), 93).unwrap(), 94.0, 97.0);
    }

    #[test]
    fn gains_are_negative_losses_and_nothing_is_null() {
        assert_near(tail_loss(&[0.5; 40], 95).unwrap(), -0.5, -0.5);
        let still = tail_loss(&[0.0; 40], 95).unwrap();
        assert!(still.var.is_sign_positive() && still.cvar.is_sign_positive());
        assert_eq!(tail_loss(&[], 95), None);
    }
}

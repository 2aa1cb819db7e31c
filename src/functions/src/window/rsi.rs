//! Relative strength index of Wilder (New Concepts in Technical Trading Systems, 1978).
//!
//! Invariant: within 0..=100; no loss is 100, no gain 0, no move at all 50.

use super::indicator::{Indicator, Kernel};
use super::mean_moves::{gains, losses};

pub(super) const RSI: Indicator = Indicator {
    name: "rsi",
    description: "Relative strength index of Wilder, 0 to 100: 100 gain/(gain + loss), where gain and loss start as the means \
        of the first n moves and then follow with alpha = 1/n. No loss gives 100, no move at all 50. Null before n + 1 \
        rows. A null in x gives null, and the index starts again after it.",
    arguments: &[("x", "Price."), ("n", "How many moves: a positive integer literal, usually 14.")],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(rsi),
};

fn rsi(x: &[f64], n: usize) -> Vec<f64> {
    let (gains, losses) = (gains(x, n, &[]), losses(x, n, &[]));
    let index = |(gain, loss): (f64, f64)| {
        let moves = gain + loss;
        if moves == 0.0 { 50.0 } else { 100.0 * gain / moves }
    };
    gains.into_iter().zip(losses).map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("rsi", rsi);
    }

    #[test]
    fn no_loss_is_100_no_gain_0_no_move_50() {
        vectors::assert_figures(&rsi(&[1.0, 2.0, 3.0, 4.0], 2), &[None, None, Some(100.0), Some(100.0)]);
        vectors::assert_figures(&rsi(&[4.0, 3.0, 2.0], 2), &[None, None, Some(0.0)]);
        vectors::assert_figures(&rsi(&[0.1; 4], 2), &[None, None, Some(50.0), Some(50.0)]);
        vectors::assert_figures(&rsi(&[1.0, 2.0, 2.0, 1.0], 1), &[None, Some(100.0), Some(50.0), Some(0.0)]);
    }

    #[test]
    fn smooths_as_wilder_did() {
        // Moves +3, -1, +1, n = 2: gain 1.5 loss 0.5 -> 75; then gain (1.5 + 1)/2, loss 0.25 -> 100 x 1.25/1.5.
        let expected = [None, None, Some(75.0), Some(250.0 / 3.0)];
        vectors::assert_figures(&rsi(&[10.0, 13.0, 12.0, 13.0], 2), &expected);
    }

    #[test]
    fn short_histories_and_nulls_give_null() {
        vectors::assert_figures(&rsi(&[], 2), &[]);
        vectors::assert_figures(&rsi(&[1.0, 2.0], 2), &[None, None]);
        vectors::assert_figures(&rsi(&[f64::NAN; 2], 2), &[None, None]);
        let gap = [1.0, 2.0, 3.0, f64::NAN, 9.0, 8.0, 7.0];
        vectors::assert_figures(&rsi(&gap, 2), &[None, None, Some(100.0), None, None, None, Some(0.0)]);
    }
}

//! The means of gains and of losses with Wilder's smoothing (New Concepts in Technical Trading Systems, 1978): the parts of his relative
//! strength index, and the two figures from which it can be continued.

use super::indicator::{Indicator, Kernel};
use super::recursion::{self, Recursion};

pub(super) const MEAN_GAIN: Indicator = Indicator {
    name: "mean_gain",
    description: "Mean gain as Wilder smooths it: the mean of the first n moves, a loss counting as 0, then with alpha = 1/n, in \
        the unit of x. Null before n + 1 rows. A null in x gives null, and the mean starts again after it. Where `known` is given, the mean is \
        that, and goes on from there.",
    arguments: ARGUMENTS,
    over: WINDOW_CLAUSE,
    kernel: Kernel::Recursion(gains),
};

pub(super) const MEAN_LOSS: Indicator = Indicator {
    name: "mean_loss",
    description: "Mean loss as Wilder smooths it, a positive figure: the mean of the first n moves, a gain counting as 0, then with \
        alpha = 1/n, in the unit of x. Null before n + 1 rows. A null in x gives null, and the mean starts again after it. Where `known` is \
        given, the mean is that, and goes on from there.",
    arguments: ARGUMENTS,
    over: WINDOW_CLAUSE,
    kernel: Kernel::Recursion(losses),
};

const ARGUMENTS: &[(&str, &str)] = &[
    ("x", "Price."),
    ("n", "How many moves: a positive integer literal, usually 14."),
    ("known", "The mean at an earlier row, null at all others; may be left out."),
];

const WINDOW_CLAUSE: &str = "PARTITION BY symbol, price_segment ORDER BY session";

/// Returns the mean gain at each row.
pub(super) fn gains(x: &[f64], n: usize, known: &[f64]) -> Vec<f64> {
    recursion::figures(x, known, &Moves { n, part: |change| change.max(0.0) })
}

/// Returns the mean loss at each row.
pub(super) fn losses(x: &[f64], n: usize, known: &[f64]) -> Vec<f64> {
    recursion::figures(x, known, &Moves { n, part: |change| (-change).max(0.0) })
}

/// The mean of one part of the moves, over `n` moves. Moves across a null are unknown.
struct Moves {
    n: usize,
    /// Returns the gain, or the loss, in a change of price.
    part: fn(f64) -> f64,
}

impl Recursion for Moves {
    fn first_figures(&self, rows: &[f64]) -> Vec<f64> {
        let mut means: Vec<f64> = Vec::with_capacity(rows.len());
        means.extend(rows.iter().take(self.n).map(|_| f64::NAN));
        let moves = || rows.iter().zip(rows.iter().skip(1));
        if rows.len() > self.n {
            let sum: f64 =
                moves().take(self.n).fold(0.0, |sum, (before, now)| sum + (self.part)(now - before));
            let mut mean = sum / self.n as f64;
            means.push(mean);
            for (before, now) in moves().skip(self.n) {
                mean = self.next(mean, *before, *now);
                means.push(mean);
            }
        }
        means
    }

    fn next(&self, before: f64, row_before: f64, row: f64) -> f64 {
        let length = self.n as f64;
        (before * (length - 1.0) + (self.part)(row - row_before)) / length
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn smooths_as_wilder_did() {
        // Moves +3, -1, +1, n = 2: gain 1.5 loss 0.5; then gain (1.5 + 1)/2, loss 0.5/2.
        let x = [10.0, 13.0, 12.0, 13.0];
        vectors::assert_figures(&gains(&x, 2, &[]), &[None, None, Some(1.5), Some(1.25)]);
        vectors::assert_figures(&losses(&x, 2, &[]), &[None, None, Some(0.5), Some(0.25)]);
    }

    #[test]
    fn goes_on_from_known_means_to_the_last_bit() {
        let history: Vec<f64> = (0..90_i32).map(|i| 100.0 + f64::from(i * 7919 % 613) / 7.0).collect();
        for figure in [gains, losses] {
            let expected = figure(&history, 14, &[]);
            let mut known = [f64::NAN; 26];
            known[6] = expected[70];
            assert_eq!(figure(&history[64..], 14, &known)[6..], expected[70..]);
        }
    }
}

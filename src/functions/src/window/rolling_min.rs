//! The smallest figure of the last rows.
//!
//! Invariant: never null because of too few rows; a recent listing has the smallest figure of all its bars.

use super::indicator::{Indicator, Kernel};
use super::windows::fold_windows;

pub(super) const ROLLING_MIN: Indicator = Indicator {
    name: "rolling_min",
    words: "The smallest x of this row and the n - 1 before it, or of all rows there are when these are fewer. \
        Null where one of them is null.",
    arguments: &[
        ("x", "What is compared, in its own unit."),
        ("n", "How many rows: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(rolling_min),
};

fn rolling_min(x: &[f64], n: usize) -> Vec<f64> {
    fold_windows(x, n, smallest_or_nan)
}

/// Propagates NaN, unlike `f64::min`.
fn smallest_or_nan(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("rolling_min", rolling_min);
    }

    #[test]
    fn short_histories_have_one_and_nulls_spoil_n_rows() {
        vectors::assert_figures(&rolling_min(&[3.0, 2.0, 4.0], 9), &[Some(3.0), Some(2.0), Some(2.0)]);
        vectors::assert_figures(&rolling_min(&[3.0, 5.0], 1), &[Some(3.0), Some(5.0)]);
        let gap = [1.0, f64::NAN, 5.0, 6.0, 6.0, 7.0];
        vectors::assert_figures(
            &rolling_min(&gap, 2),
            &[Some(1.0), None, None, Some(5.0), Some(6.0), Some(6.0)],
        );
        vectors::assert_figures(&rolling_min(&[f64::NAN; 3], 2), &[None; 3]);
        vectors::assert_figures(&rolling_min(&[], 2), &[]);
    }
}

//! The greatest and the smallest figure of the last rows.
//!
//! Invariant: never null because of too few rows; a recent listing has the extreme of all its bars.

use super::indicator::{Indicator, Kernel};
use super::windows::fold_windows;

pub(super) const ROLLING_MAX: Indicator = Indicator {
    name: "rolling_max",
    description: "The greatest x of this row and the n - 1 before it, or of all rows there are when these are fewer. \
        Null where one of them is null.",
    arguments: &[
        ("x", "What is compared, in its own unit."),
        ("n", "How many rows: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(rolling_max),
};

pub(super) const ROLLING_MIN: Indicator = Indicator {
    name: "rolling_min",
    description: "The smallest x of this row and the n - 1 before it, or of all rows there are when these are fewer. \
        Null where one of them is null.",
    kernel: Kernel::Lookback(rolling_min),
    ..ROLLING_MAX
};

// Both propagate NaN, unlike `f64::max` and `f64::min`.

fn rolling_max(x: &[f64], n: usize) -> Vec<f64> {
    fold_windows(x, n, |a, b| if a.is_nan() || a > b { a } else { b })
}

fn rolling_min(x: &[f64], n: usize) -> Vec<f64> {
    fold_windows(x, n, |a, b| if a.is_nan() || a < b { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn the_greatest_agrees_with_ta_lib() {
        vectors::check_lookback("rolling_max", rolling_max);
    }

    #[test]
    fn short_histories_have_a_greatest_and_nulls_spoil_n_rows() {
        vectors::assert_figures(&rolling_max(&[3.0, 5.0, 4.0], 9), &[Some(3.0), Some(5.0), Some(5.0)]);
        vectors::assert_figures(&rolling_max(&[3.0, 5.0], 1), &[Some(3.0), Some(5.0)]);
        let gap = [7.0, f64::NAN, 5.0, 4.0, 4.0, 3.0];
        vectors::assert_figures(
            &rolling_max(&gap, 2),
            &[Some(7.0), None, None, Some(5.0), Some(4.0), Some(4.0)],
        );
        vectors::assert_figures(&rolling_max(&[f64::NAN; 3], 2), &[None; 3]);
        vectors::assert_figures(&rolling_max(&[], 2), &[]);
    }

    #[test]
    fn the_smallest_agrees_with_ta_lib() {
        vectors::check_lookback("rolling_min", rolling_min);
    }

    #[test]
    fn short_histories_have_a_smallest_and_nulls_spoil_n_rows() {
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

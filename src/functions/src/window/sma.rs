//! Simple moving average.
//!
//! Invariant: null before `n` rows, and while a null is among the last `n`.

use super::indicator::{Indicator, Kernel};
use super::windows::means;

pub(super) const SMA: Indicator = Indicator {
    name: "sma",
    description: "Simple moving average: the mean of x over this row and the n - 1 before it. \
        Null before n rows and where one of the n is null.",
    arguments: &[
        ("x", "What is averaged, in its own unit."),
        ("n", "How many rows: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(means),
};

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("sma", means);
    }

    #[test]
    fn one_row_is_its_own_average_and_short_histories_have_none() {
        vectors::assert_figures(&means(&[3.0, 1.0], 1), &[Some(3.0), Some(1.0)]);
        vectors::assert_figures(&means(&[3.0, 1.0], 3), &[None, None]);
        vectors::assert_figures(&means(&[], 3), &[]);
    }

    #[test]
    fn a_null_counts_as_missing_for_n_rows() {
        vectors::assert_figures(
            &means(&[1.0, 3.0, f64::NAN, 5.0, 7.0], 2),
            &[None, Some(2.0), None, None, Some(6.0)],
        );
        vectors::assert_figures(&means(&[f64::NAN; 3], 2), &[None; 3]);
    }
}

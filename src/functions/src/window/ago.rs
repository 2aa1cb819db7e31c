//! The value of a figure some rows ago.
//!
//! SQL's `lag` gives the same, one scalar per row; over millions of bars that takes seconds instead of tenths of a second.
//!
//! Invariant: null for the first `n` rows of a partition.

use super::indicator::{Indicator, Kernel};

pub(super) const AGO: Indicator = Indicator {
    name: "ago",
    description: "What x was n rows before this one. Null before n rows have gone before, and where it was null.",
    arguments: &[
        ("x", "The figure, in its own unit."),
        ("n", "How many rows before: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(ago),
};

fn ago(x: &[f64], n: usize) -> Vec<f64> {
    std::iter::repeat_n(f64::NAN, n).chain(x.iter().copied()).take(x.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn looks_back_n_rows_and_no_further() {
        vectors::assert_figures(&ago(&[3.0, f64::NAN, 5.0], 1), &[None, Some(3.0), None]);
        vectors::assert_figures(&ago(&[3.0, 4.0, 5.0], 2), &[None, None, Some(3.0)]);
        vectors::assert_figures(&ago(&[3.0, 4.0], 9), &[None, None]);
        vectors::assert_figures(&ago(&[], 1), &[]);
    }
}

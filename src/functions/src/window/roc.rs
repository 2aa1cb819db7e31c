//! Rate of change, in percent.
//!
//! Invariant: the base is never zero or negative.

use super::indicator::{Indicator, Kernel};

pub(super) const ROC: Indicator = Indicator {
    name: "roc",
    description: "Rate of change in percent: 100 (x / x n rows ago - 1). \
        Null before n + 1 rows, where either is null, and where the base is not positive.",
    arguments: &[("x", "Price."), ("n", "How many rows ago: a positive integer literal.")],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(roc),
};

fn roc(x: &[f64], n: usize) -> Vec<f64> {
    let bases = std::iter::repeat_n(f64::NAN, n.min(x.len())).chain(x.iter().copied());
    x.iter()
        .zip(bases)
        .map(|(now, base)| if base > 0.0 { 100.0 * (now / base - 1.0) } else { f64::NAN })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("roc", roc);
    }

    #[test]
    fn counts_from_n_rows_ago() {
        vectors::assert_figures(&roc(&[4.0, 8.0, 5.0, 8.0], 2), &[None, None, Some(25.0), Some(0.0)]);
        vectors::assert_figures(&roc(&[4.0, 8.0, 6.0], 1), &[None, Some(100.0), Some(-25.0)]);
        vectors::assert_figures(&roc(&[4.0, 8.0], 2), &[None, None]);
        vectors::assert_figures(&roc(&[4.0, 8.0], usize::MAX), &[None, None]);
        vectors::assert_figures(&roc(&[], 2), &[]);
    }

    #[test]
    fn a_base_that_is_missing_or_not_positive_gives_null() {
        let x = [0.0, -2.0, f64::NAN, 4.0, 5.0];
        vectors::assert_figures(&roc(&x, 1), &[None, None, None, None, Some(25.0)]);
        vectors::assert_figures(&roc(&[f64::NAN; 3], 1), &[None; 3]);
    }
}

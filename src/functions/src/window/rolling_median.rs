//! The median of the last rows.
//!
//! Invariant: never null because of too few rows; a recent listing has the median of all its bars.

use super::indicator::{Indicator, Kernel};

pub(super) const ROLLING_MEDIAN: Indicator = Indicator {
    name: "rolling_median",
    description: "The median x of this row and the n - 1 before it, or of all rows there are when these are fewer; the mean of \
        the two in the middle when they are even. Null where one of them is null.",
    arguments: &[
        ("x", "What is ordered, in its own unit."),
        ("n", "How many rows: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(rolling_median),
};

/// Maintains the figures of the window in sorted order: each row removes one value and inserts one.
fn rolling_median(x: &[f64], n: usize) -> Vec<f64> {
    let mut ordered: Vec<f64> = Vec::with_capacity(n.min(x.len()) + 1);
    let mut missing = 0_usize;
    let position =
        |ordered: &[f64], figure: f64| ordered.partition_point(|other| other.total_cmp(&figure).is_lt());
    let mut medians = Vec::with_capacity(x.len());
    for (row, figure) in x.iter().enumerate() {
        match row.checked_sub(n).and_then(|leaving| x.get(leaving)) {
            Some(leaving) if leaving.is_nan() => missing -= 1,
            Some(leaving) => {
                ordered.remove(position(&ordered, *leaving));
            }
            None => {}
        }
        if figure.is_nan() {
            missing += 1;
        } else {
            ordered.insert(position(&ordered, *figure), *figure);
        }
        medians.push(if missing > 0 { f64::NAN } else { median_of_sorted(&ordered) });
    }
    medians
}

/// Returns the median of sorted figures; NaN if empty.
fn median_of_sorted(ordered: &[f64]) -> f64 {
    let upper = ordered.len() / 2;
    let at = |position: usize| ordered.get(position).copied().unwrap_or(f64::NAN);
    if ordered.len() % 2 == 1 { at(upper) } else { f64::midpoint(at(upper.saturating_sub(1)), at(upper)) }
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_python() {
        vectors::check_lookback("rolling_median", rolling_median);
    }

    #[test]
    fn short_histories_have_one_and_nulls_spoil_n_rows() {
        vectors::assert_figures(&rolling_median(&[3.0, 5.0, 4.0], 9), &[Some(3.0), Some(4.0), Some(4.0)]);
        vectors::assert_figures(&rolling_median(&[3.0, 5.0], 1), &[Some(3.0), Some(5.0)]);
        let gap = [7.0, f64::NAN, 5.0, 4.0, 4.0, 3.0];
        vectors::assert_figures(
            &rolling_median(&gap, 2),
            &[Some(7.0), None, None, Some(4.5), Some(4.0), Some(3.5)],
        );
        vectors::assert_figures(&rolling_median(&[f64::NAN; 3], 2), &[None; 3]);
        vectors::assert_figures(&rolling_median(&[0.0, -0.0, 1.0], 2), &[Some(0.0), Some(0.0), Some(0.5)]);
        vectors::assert_figures(&rolling_median(&[], 2), &[]);
    }
}

//! The range of the last n rows: the highest less the lowest.
//!
//! Invariant: null until n rows are there, and wherever one of them is null.

use super::indicator::{Indicator, Kernel};

pub(super) const ROLLING_RANGE: Indicator = Indicator {
    name: "rolling_range",
    description: "The highest less the lowest of the last n rows. Null before n rows, and where one of them is null.",
    arguments: &[("x", "Price."), ("n", "How many rows: a positive integer literal.")],
    over: "PARTITION BY symbol ORDER BY session",
    kernel: Kernel::Lookback(rolling_range),
};

fn rolling_range(x: &[f64], n: usize) -> Vec<f64> {
    let range = |last: &[f64]| {
        let (low, high) = last.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            if value.is_nan() { (f64::NAN, f64::NAN) } else { (low.min(*value), high.max(*value)) }
        });
        if last.iter().any(|value| value.is_nan()) { f64::NAN } else { high - low }
    };
    let last = |end: usize| end.checked_sub(n).and_then(|start| x.get(start..end));
    (1..=x.len()).map(|end| last(end).map_or(f64::NAN, range)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn the_contributed_function_counts_by_hand() {
        let figures = rolling_range(&[4.0, 8.0, 5.0, f64::NAN, 9.0], 2);
        vectors::assert_figures(&figures, &[None, Some(4.0), Some(3.0), None, None]);
    }
}

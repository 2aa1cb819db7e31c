//! Rate of change against the end of an earlier week.
//!
//! Invariant: the current week is represented by the row itself, the earlier one by its last row.

use super::indicator::{Indicator, Kernel};
use super::weeks::{by_week, newest_weeks};

pub(super) const WEEK_ROC: Indicator = Indicator {
    name: "week_roc",
    description: "Rate of change over weeks: 100 (x / x at the end of the week n weeks before - 1), in percent. Null without \
        that week, where a figure is null, and where the earlier one is not positive.",
    arguments: &[
        ("x", "What changes, in its own unit."),
        ("week", "Number of the row's week; rows of a week are neighbours."),
        ("n", "How many weeks before: a positive integer literal."),
    ],
    over: "PARTITION BY sector ORDER BY session",
    kernel: Kernel::ByNumber(week_roc),
};

fn week_roc(x: &[f64], week: &[f64], n: usize) -> Vec<f64> {
    by_week(x, week, |ended_weeks, now| match newest_weeks(ended_weeks, n).and_then(<[f64]>::first) {
        Some(then) if *then > 0.0 => 100.0 * (now / then - 1.0),
        _ => f64::NAN,
    })
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn compares_with_the_end_of_the_week_before() {
        let x = [50.0, 100.0, 110.0, 120.0, f64::NAN, 90.0];
        let week = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        let expected = [None, None, Some(10.0), Some(20.0), None, Some(-25.0)];
        vectors::assert_figures(&week_roc(&x, &week, 1), &expected);
        vectors::assert_figures(&week_roc(&x, &week, 2), &[None, None, None, None, None, Some(-10.0)]);
    }

    #[test]
    fn nothing_is_compared_with_zero_or_null() {
        vectors::assert_figures(&week_roc(&[0.0, 5.0, f64::NAN, 5.0], &[1.0, 2.0, 3.0, 4.0], 1), &[None; 4]);
        vectors::assert_figures(&week_roc(&[], &[], 1), &[]);
    }
}

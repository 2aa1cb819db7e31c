//! The greatest figure of the last calendar days.
//!
//! Invariant: never null because of too few rows; a recent listing has the greatest figure of all its bars.

use super::day_windows::{ARGUMENTS, best_in_days};
use super::indicator::{Indicator, Kernel};

pub(super) const HIGHEST_IN_DAYS: Indicator = Indicator {
    name: "highest_in_days",
    words: "The greatest x of this row and of those at most n calendar days older, or of all rows where the first is younger. \
        Null where one of them is null.",
    arguments: ARGUMENTS,
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::ByNumber(highest_in_days),
};

fn highest_in_days(x: &[f64], day: &[f64], n: usize) -> Vec<f64> {
    best_in_days(x, day, n, |a, b| a > b)
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn the_highest_of_three_days_and_a_null_spoils_as_many() {
        let x = [9.0, 4.0, 5.0, f64::NAN, 6.0];
        let day = [1.0, 2.0, 4.0, 5.0, 8.0];
        vectors::assert_figures(
            &highest_in_days(&x, &day, 2),
            &[Some(9.0), Some(9.0), Some(5.0), None, Some(6.0)],
        );
        vectors::assert_figures(&highest_in_days(&[], &[], 3), &[]);
    }
}

//! Standard score of a figure among those of the last weeks.
//!
//! Invariant: the row itself is one of the n figures and represents its week.

use super::indicator::{Indicator, Kernel};
use super::weeks::{by_week, newest_weeks};

/// Relative deviation up to which a series counts as constant, because of rounding errors.
const FLAT_DEVIATION: f64 = 1e-12;

pub(super) const WEEK_ZSCORE: Indicator = Indicator {
    name: "week_zscore",
    description: "Standard score of x among n weeks, the row's own as it stands and the n - 1 before as they ended: \
        (x - mean)/sd with the sample deviation. Null under n weeks, where one of the n is null, and for sd = 0.",
    arguments: &[
        ("x", "What is compared, in its own unit."),
        ("week", "Number of the row's week; rows of a week are neighbours."),
        ("n", "How many weeks: a positive integer literal."),
    ],
    over: "PARTITION BY sector ORDER BY session",
    kernel: Kernel::ByNumber(week_zscore),
};

fn week_zscore(x: &[f64], week: &[f64], n: usize) -> Vec<f64> {
    by_week(x, week, |ended_weeks, now| {
        let Some(before) = n.checked_sub(1).and_then(|n| newest_weeks(ended_weeks, n)) else {
            return f64::NAN;
        };
        let weeks = || before.iter().copied().chain(std::iter::once(now));
        let mean = weeks().sum::<f64>() / n as f64;
        let squares: f64 = weeks().map(|x| (x - mean) * (x - mean)).sum();
        let deviation = (squares / (n as f64 - 1.0)).sqrt();
        if deviation > FLAT_DEVIATION * mean.abs() { (now - mean) / deviation } else { f64::NAN }
    })
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_numpy() {
        let file = vectors::Vectors::read();
        let (x, week) = (file.figures("weeks", "level"), file.figures("weeks", "week"));
        let expected = file.optional_figures("weeks", "week_zscore");
        vectors::assert_figures(&week_zscore(&x, &week, 14), &expected);
        assert!(expected.iter().any(Option::is_some));
    }

    #[test]
    fn scores_the_row_against_the_ends_of_weeks() {
        // Weeks end at 1 and 3; the third is at 5: mean 3, sample deviation 2.
        let (x, week) = ([9.0, 1.0, 3.0, 5.0, 3.0], [1.0, 1.0, 2.0, 3.0, 3.0]);
        vectors::assert_figures(
            &week_zscore(&x, &week, 3),
            &[None, None, None, Some(1.0), Some(2.0 / 3.0 / (4.0_f64 / 3.0).sqrt())],
        );
    }

    #[test]
    fn a_flat_series_a_null_and_few_weeks_have_none() {
        let week: Vec<f64> = (0..6_i32).map(f64::from).collect();
        vectors::assert_figures(&week_zscore(&[0.1; 6], &week, 3), &[None; 6]);
        let gap = [1.0, f64::NAN, 2.0, 3.0, 4.0, 5.0];
        vectors::assert_figures(&week_zscore(&gap, &week, 3)[..4], &[None; 4]);
        vectors::assert_figures(&week_zscore(&[1.0, 2.0], &[1.0, 1.0], 2), &[None; 2]);
        vectors::assert_figures(&week_zscore(&[1.0], &[1.0], 1), &[None]);
        vectors::assert_figures(&week_zscore(&[], &[], 3), &[]);
    }
}

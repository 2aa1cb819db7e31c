//! The greatest and the smallest figure of the last calendar days, at a constant cost per row.
//!
//! A queue has the values of the window that no later value beats, so that its front is the extreme.
//!
//! Invariant: a value is one of the figures of its window, and depends on nothing else. It is never null because of too few rows; a recent
//! listing has the extreme of all its bars.

use std::collections::VecDeque;

use super::indicator::{Indicator, Kernel};

pub(super) const HIGHEST_IN_DAYS: Indicator = Indicator {
    name: "highest_in_days",
    description: "The greatest x of this row and of those at most n calendar days older, or of all rows where the first is younger. \
        Null where one of them is null.",
    arguments: &[
        ("x", "What is compared, in its own unit."),
        ("day", "Number of the row's day; days ascend."),
        ("n", "How many calendar days: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::ByNumber(highest_in_days),
};

pub(super) const LOWEST_IN_DAYS: Indicator = Indicator {
    name: "lowest_in_days",
    description: "The smallest x of this row and of those at most n calendar days older, or of all rows where the first is younger. \
        Null where one of them is null.",
    kernel: Kernel::ByNumber(lowest_in_days),
    ..HIGHEST_IN_DAYS
};

fn highest_in_days(x: &[f64], day: &[f64], n: usize) -> Vec<f64> {
    best_in_days(x, day, n, |a, b| a > b)
}

fn lowest_in_days(x: &[f64], day: &[f64], n: usize) -> Vec<f64> {
    best_in_days(x, day, n, |a, b| a < b)
}

/// Returns the best figure of the rows at most `days` calendar days older than the row, or of all rows if the first is newer. NaN if one of
/// them is NaN. Days must ascend.
fn best_in_days(x: &[f64], day: &[f64], days: usize, beats: fn(f64, f64) -> bool) -> Vec<f64> {
    let mut candidates: VecDeque<(f64, f64)> = VecDeque::new();
    let mut missing_on = f64::NEG_INFINITY;
    let best = |(figure, today): (&f64, &f64)| {
        let first = today - days as f64;
        while candidates.front().is_some_and(|(_, day)| *day < first) {
            candidates.pop_front();
        }
        if figure.is_nan() {
            missing_on = *today;
        } else {
            while candidates.back().is_some_and(|(older, _)| !beats(*older, *figure)) {
                candidates.pop_back();
            }
            candidates.push_back((*figure, *today));
        }
        let is_whole = missing_on < first;
        candidates.front().filter(|_| is_whole).map_or(f64::NAN, |(best, _)| *best)
    };
    x.iter().zip(day).map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn windows_are_those_of_the_calendar_each_taken_by_itself() {
        let x: Vec<f64> = (0..700_i32).map(|i| f64::from(i * 7919 % 613)).collect();
        // Weeks of five days, with a gap of a hundred days.
        let day: Vec<f64> =
            (0..700_i32).map(|i| f64::from(i / 5 * 7 + i % 5 + if i > 400 { 100 } else { 0 })).collect();
        for days in [1, 2, 7, 365, 5000] {
            let by_itself = |row: usize| {
                let rows = (0..=row).filter(|other| day[*other] >= day[row] - f64::from(days));
                rows.map(|other| x[other]).fold(f64::MIN, f64::max)
            };
            let expected: Vec<f64> = (0..x.len()).map(by_itself).collect();
            assert_eq!(best_in_days(&x, &day, days as usize, |a, b| a > b), expected, "{days}");
        }
    }

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

    #[test]
    fn the_lowest_of_three_days_and_a_null_spoils_as_many() {
        let x = [9.0, 4.0, 5.0, f64::NAN, 6.0];
        let day = [1.0, 2.0, 4.0, 5.0, 8.0];
        vectors::assert_figures(
            &lowest_in_days(&x, &day, 2),
            &[Some(9.0), Some(4.0), Some(4.0), None, Some(6.0)],
        );
        vectors::assert_figures(&lowest_in_days(&[], &[], 3), &[]);
    }
}

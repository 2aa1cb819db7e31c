//! Relative volume: today's volume against the usual volume before today.
//!
//! Invariant: a bar is never part of the mean that it is compared with.

use super::indicator::{Indicator, Kernel};
use super::windows::means;

pub(super) const RVOL: Indicator = Indicator {
    name: "rvol",
    description: "Relative volume: volume divided by the mean volume of the n rows before this one, a ratio. \
        Null before n rows have gone before, where one of them or this one is null, and where that mean is zero.",
    arguments: &[
        ("volume", "Volume of the bar, in any unit."),
        ("n", "How many rows before: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Lookback(rvol),
};

fn rvol(volume: &[f64], n: usize) -> Vec<f64> {
    let means = means(volume, n);
    let before = std::iter::once(f64::NAN).chain(means);
    volume.iter().zip(before).map(|(now, usual)| if usual > 0.0 { now / usual } else { f64::NAN }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("rvol", rvol);
    }

    #[test]
    fn compares_with_the_rows_before() {
        vectors::assert_figures(&rvol(&[10.0, 30.0, 50.0, 10.0], 2), &[None, None, Some(2.5), Some(0.25)]);
        vectors::assert_figures(&rvol(&[10.0, 30.0, 0.0], 1), &[None, Some(3.0), Some(0.0)]);
        vectors::assert_figures(&rvol(&[10.0, 30.0], 2), &[None, None]);
        vectors::assert_figures(&rvol(&[], 2), &[]);
    }

    #[test]
    fn a_zero_mean_and_a_null_give_null() {
        vectors::assert_figures(&rvol(&[0.0, 0.0, 5.0, 5.0], 2), &[None, None, None, Some(2.0)]);
        let gap = [4.0, f64::NAN, 4.0, 4.0, 6.0];
        vectors::assert_figures(&rvol(&gap, 2), &[None, None, None, None, Some(1.5)]);
        vectors::assert_figures(&rvol(&[f64::NAN; 3], 2), &[None; 3]);
    }
}

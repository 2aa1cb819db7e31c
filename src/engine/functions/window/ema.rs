//! Exponential moving average, as TA-Lib starts it.
//!
//! Invariant: the average at a row goes back to one seed, the simple average of the first `n` rows without a null.

use super::indicator::{Indicator, Kernel};
use super::windows::means;

pub(super) const EMA: Indicator = Indicator {
    name: "ema",
    words: "Exponential moving average of x with alpha = 2/(n + 1), seeded with the simple average of the first n rows \
        (as TA-Lib does). Null before n rows. A null in x gives null and starts it anew: the next value comes after n \
        more rows.",
    arguments: &[
        ("x", "What is averaged, in its own unit."),
        ("n", "The span in rows: a positive integer literal."),
    ],
    over: "PARTITION BY symbol, history ORDER BY session",
    kernel: Kernel::Lookback(ema),
};

/// Nothing bridges a null: the weight of what lies before it is unknown, so the recursion begins again behind it.
fn ema(x: &[f64], n: usize) -> Vec<f64> {
    let alpha = 2.0 / (n as f64 + 1.0);
    let mut averages = Vec::with_capacity(x.len());
    for (index, run) in x.split(|figure| figure.is_nan()).enumerate() {
        if index > 0 {
            averages.push(f64::NAN);
        }
        let seed_rows = run.get(..n).unwrap_or(run);
        let Some(seed) = means(seed_rows, n).last().copied() else { continue };
        let unseeded = seed_rows.len() - 1;
        averages.extend(std::iter::repeat_n(f64::NAN, unseeded));
        averages.push(seed);
        let mut average = seed;
        for figure in run.iter().skip(n) {
            average += alpha * (figure - average);
            averages.push(average);
        }
    }
    averages
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("ema", ema);
    }

    #[test]
    fn seeds_at_bar_n_and_then_moves_by_alpha() {
        // alpha = 1/2: seed (2 + 4 + 6)/3 = 4, then halfway to 10, then halfway to 3.
        vectors::assert_figures(
            &ema(&[2.0, 4.0, 6.0, 10.0, 3.0], 3),
            &[None, None, Some(4.0), Some(7.0), Some(5.0)],
        );
        vectors::assert_figures(&ema(&[2.0, 4.0], 3), &[None, None]);
        vectors::assert_figures(&ema(&[2.0, 4.0], 1), &[Some(2.0), Some(4.0)]);
        vectors::assert_figures(&ema(&[], 3), &[]);
    }

    #[test]
    fn a_null_starts_it_anew() {
        let gap = [f64::NAN, 2.0, 4.0, f64::NAN, f64::NAN, 6.0, 8.0, 10.0, f64::NAN];
        let expected = [None, None, Some(3.0), None, None, None, Some(7.0), Some(9.0), None];
        vectors::assert_figures(&ema(&gap, 2), &expected);
        vectors::assert_figures(&ema(&[f64::NAN; 3], 2), &[None; 3]);
    }

    #[test]
    fn a_flat_series_stays_where_it_is() {
        assert_eq!(ema(&[0.1; 30], 10)[9..], [0.1; 21]);
    }
}

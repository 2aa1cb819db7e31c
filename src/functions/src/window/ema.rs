//! Exponential moving average, seeded as in TA-Lib.
//!
//! Invariant: the average at a row depends on one seed, the simple average of the first `n` rows without a null.

use super::indicator::{Indicator, Kernel};
use super::recursion::{self, Recursion};
use super::windows::means;

pub(super) const EMA: Indicator = Indicator {
    name: "ema",
    description: "Exponential moving average of x with alpha = 2/(n + 1), seeded with the simple average of the first n rows \
        (as TA-Lib does). Null before n rows. A null in x gives null, and the average starts again after it: the next value comes after n \
        more rows. Where `known` is given, the average is that, and goes on from there.",
    arguments: &[
        ("x", "What is averaged, in its own unit."),
        ("n", "The span in rows: a positive integer literal."),
        ("known", "The average at an earlier row, null at all others; may be left out."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Recursion(ema),
};

fn ema(x: &[f64], n: usize, known: &[f64]) -> Vec<f64> {
    recursion::figures(x, known, &Average { n, alpha: 2.0 / (n as f64 + 1.0) })
}

struct Average {
    n: usize,
    alpha: f64,
}

impl Recursion for Average {
    fn first_figures(&self, rows: &[f64]) -> Vec<f64> {
        let mut averages = Vec::with_capacity(rows.len());
        let seed_rows = rows.get(..self.n).unwrap_or(rows);
        let Some(mut average) = means(seed_rows, self.n).last().copied() else { return averages };
        averages.extend(seed_rows.iter().skip(1).map(|_| f64::NAN));
        averages.push(average);
        for row in rows.iter().skip(self.n) {
            average += self.alpha * (row - average);
            averages.push(average);
        }
        averages
    }

    fn next(&self, before: f64, _: f64, row: f64) -> f64 {
        before + self.alpha * (row - before)
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_ta_lib() {
        vectors::check_lookback("ema", |x, n| ema(x, n, &[]));
    }

    #[test]
    fn seeds_at_bar_n_and_then_moves_by_alpha() {
        // alpha = 1/2: seed (2 + 4 + 6)/3 = 4, then halfway to 10, then halfway to 3.
        vectors::assert_figures(
            &ema(&[2.0, 4.0, 6.0, 10.0, 3.0], 3, &[]),
            &[None, None, Some(4.0), Some(7.0), Some(5.0)],
        );
        vectors::assert_figures(&ema(&[2.0, 4.0], 3, &[]), &[None, None]);
        vectors::assert_figures(&ema(&[2.0, 4.0], 1, &[]), &[Some(2.0), Some(4.0)]);
        vectors::assert_figures(&ema(&[], 3, &[]), &[]);
    }

    #[test]
    fn a_null_starts_it_anew() {
        let gap = [f64::NAN, 2.0, 4.0, f64::NAN, f64::NAN, 6.0, 8.0, 10.0, f64::NAN];
        let expected = [None, None, Some(3.0), None, None, None, Some(7.0), Some(9.0), None];
        vectors::assert_figures(&ema(&gap, 2, &[]), &expected);
        vectors::assert_figures(&ema(&[f64::NAN; 3], 2, &[]), &[None; 3]);
    }

    #[test]
    fn a_flat_series_stays_where_it_is() {
        assert_eq!(ema(&[0.1; 30], 10, &[])[9..], [0.1; 21]);
    }

    #[test]
    fn goes_on_from_a_known_average_to_the_last_bit() {
        let history: Vec<f64> = (0..90_i32).map(|i| 100.0 + f64::from(i * 7919 % 613) / 7.0).collect();
        let expected = ema(&history, 10, &[]);
        // The end of the history, from row 64; the average at row 70 is known.
        let mut known = [f64::NAN; 26];
        known[6] = expected[70];
        assert_eq!(ema(&history[64..], 10, &known)[6..], expected[70..]);
        // A later null restarts it, as without a known figure.
        let gap = [5.0, 4.0, 8.0, f64::NAN, 2.0, 4.0];
        vectors::assert_figures(
            &ema(&gap, 2, &[f64::NAN, 1.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
            &[None, Some(1.0), Some(17.0 / 3.0), None, None, Some(3.0)],
        );
    }
}

//! The stage of Weinstein (Secrets for Profiting in Bull and Bear Markets, 1988), by the average of 150 bars.
//!
//! It classifies a row by its close and that average, and has one state: whether the last clear trend was up or down. It does not use
//! volume or relative strength.
//!
//! Invariant: stage 1 comes only after stage 4, and stage 3 only after stage 2.

use super::indicator::{Indicator, Kernel};
use super::windows::means;

/// Number of bars in the average.
const AVERAGE_BARS: usize = 150;
/// Number of bars over which the average's slope is measured.
const SLOPE_BARS: usize = 20;
/// First bar with a stage: 150 for the first average, 20 more for its slope.
const FIRST_BAR: usize = 170;
/// Slope, in percent, from which the average rises or (negative) falls.
const TREND_SLOPE: f64 = 1.0;
/// Relative rounding error of means: a close that equals its average is neither above nor below it.
const ROUNDING: f64 = 1e-12;

pub(super) const STAGE: Indicator = Indicator {
    name: "stage",
    description: "Stage of Weinstein, with slope = the change of the 150-bar average over 20 bars in percent: 2 (advancing) \
        above an average with slope >= 1, 4 (declining) below one with slope <= -1; otherwise 3 (topping) when the last \
        2 or 4 was 2, and 1 (basing) when it was 4. Null under 170 bars, before any 2 or 4, and where an input is null. \
        Where `known` is given, the last trend is that of this stage.",
    arguments: &[
        ("close", "Adjusted close."),
        ("known", "The stage at an earlier row, null at all others; may be left out."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Class(stage),
};

/// The last clear trend.
#[derive(Debug, Clone, Copy)]
enum Trend {
    Up,
    Down,
}

/// Returns the last clear trend that a stage implies.
fn trend_of(stage: f64) -> Option<Trend> {
    match stage {
        2.0 | 3.0 => Some(Trend::Up),
        1.0 | 4.0 => Some(Trend::Down),
        _ => None,
    }
}

fn stage(close: &[f64], known: &[f64]) -> Vec<Option<i64>> {
    by_average(close, &means(close, AVERAGE_BARS), known)
}

/// Classifies bars. A bar with a missing input has no stage and does not change the last trend.
fn by_average(close: &[f64], sma_150: &[f64], known: &[f64]) -> Vec<Option<i64>> {
    let averages_ago = std::iter::repeat_n(f64::NAN, SLOPE_BARS).chain(sma_150.iter().copied());
    let mut last = None;
    let rising = TREND_SLOPE - 100.0 * ROUNDING;
    let known = known.iter().map(|stage| trend_of(*stage)).chain(std::iter::repeat(None));
    let bars = close.iter().zip(sma_150).zip(averages_ago).zip(1..).zip(known);
    bars.map(|((((close, average), average_ago), bar), known)| {
        let slope = 100.0 * (average / average_ago - 1.0);
        let has_inputs = average_ago > 0.0 && !slope.is_nan() && !close.is_nan();
        last = known.or(last);
        if !has_inputs || bar < FIRST_BAR {
            return None;
        }
        if close - average > ROUNDING * average && slope >= rising {
            last = Some(Trend::Up);
            return Some(2);
        }
        if average - close > ROUNDING * average && slope <= -rising {
            last = Some(Trend::Down);
            return Some(4);
        }
        last.map(|trend| match trend {
            Trend::Up => 3,
            Trend::Down => 1,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_the_definition_written_in_python() {
        let file = vectors::Vectors::read();
        let close: Vec<f64> = file.figures("stage", "close");
        let expected: Vec<Option<i64>> = file.whole_numbers("stage", "stage");
        assert_eq!(stage(&close, &[]), expected);
        assert!([None, Some(1), Some(2), Some(3), Some(4)].iter().all(|stage| expected.contains(stage)));
    }

    /// Returns the stages of these (close, average) pairs, after 169 bars at an average of 100.
    fn after_169_flat_bars(bars: &[(f64, f64)]) -> Vec<Option<i64>> {
        let flat = std::iter::repeat_n((100.0, 100.0), FIRST_BAR - 1);
        let (close, average): (Vec<f64>, Vec<f64>) = flat.chain(bars.iter().copied()).unzip();
        by_average(&close, &average, &[]).split_off(FIRST_BAR - 1)
    }

    #[test]
    fn goes_around_with_the_last_trend_as_its_memory() {
        let bars =
            [(100.0, 100.0), (110.0, 101.0), (101.0, 101.0), (90.0, 99.0), (99.5, 99.0), (110.0, 101.5)];
        assert_eq!(after_169_flat_bars(&bars), [None, Some(2), Some(3), Some(4), Some(1), Some(2)]);
    }

    #[test]
    fn a_close_at_or_on_the_wrong_side_of_the_average_is_no_trend() {
        let bars = [(110.0, 101.0), (101.0, 101.0), (90.0, 101.0), (110.0, 99.0), (110.0, 100.9)];
        assert_eq!(after_169_flat_bars(&bars), [Some(2), Some(3), Some(3), Some(3), Some(3)]);
    }

    #[test]
    fn a_null_has_no_stage_and_the_memory_outlives_it() {
        let bars = [(110.0, 101.0), (f64::NAN, 101.0), (100.0, f64::NAN), (100.0, 100.0)];
        assert_eq!(after_169_flat_bars(&bars), [Some(2), None, None, Some(3)]);
        assert_eq!(by_average(&[f64::NAN; 200], &[f64::NAN; 200], &[]), [None; 200]);
        assert_eq!(by_average(&[], &[], &[]), []);
    }

    #[test]
    fn has_nothing_to_say_under_170_bars() {
        let rising: Vec<f64> = (1..=170_i32).map(f64::from).collect();
        let close: Vec<f64> = rising.iter().map(|average| average + 1.0).collect();
        let stages = by_average(&close, &rising, &[]);
        assert_eq!(stages[..169], [None; 169]);
        assert_eq!(stages[169], Some(2));
    }
}

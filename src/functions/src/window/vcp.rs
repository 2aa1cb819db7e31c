//! The volatility contraction pattern of Minervini (Trade Like a Stock Market Wizard, 2013): a base whose pullbacks become smaller while
//! volume dries up.
//!
//! It knows bars, not stages: the caller selects the bars to check (those in stage 2, or the last one), which saves the work on others.
//!
//! Invariant: the result at a bar depends on the last [`LOOK_BACK`] bars up to it and on no later one.

use super::indicator::{Indicator, Kernel};
use super::pattern::{Pattern, PatternBars};
use super::windows::means;

/// Number of bars that may belong to the base.
const LOOK_BACK: usize = 120;
/// Bars on each side that a swing must exceed.
const SIDE_BARS: usize = 5;
/// Maximum depth of a contraction, relative to the contraction before it.
const MOST_RELATIVE_DEPTH: f64 = 0.75;
/// Maximum depth of the last contraction, in percent.
const LAST_DEPTH: f64 = 12.0;
/// Number of bars of the recent mean volume, which must be below the usual mean volume.
const RECENT_VOLUME: usize = 10;
/// Number of bars of the usual mean volume.
const USUAL_VOLUME: usize = 50;

pub(super) const VCP: Indicator = Indicator {
    name: "vcp",
    description: "Volatility contraction pattern of the last 120 bars, a struct of `contractions`, `depths`, `last_depth` and \
        `pivot`; null where there is none and where the bar is not wanted. Swings stand out from 5 bars on each side, \
        the base begins at the highest; at least two contractions, each at most 0.75 as deep as the one before, the \
        last at most 12 %, and the mean volume of 10 bars below that of 50.",
    arguments: &[
        ("high", "Adjusted high."),
        ("low", "Adjusted low."),
        ("volume", "Adjusted volume."),
        ("wanted", "Whether to look for the pattern at this bar."),
    ],
    over: "PARTITION BY symbol, price_segment ORDER BY session",
    kernel: Kernel::Pattern(vcp),
};

/// A swing; prices are adjusted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Swing {
    High(f64),
    Low(f64),
}

fn vcp(bars: &PatternBars<'_>) -> Vec<Option<Pattern>> {
    let recent = means(bars.volume, RECENT_VOLUME);
    let usual = means(bars.volume, USUAL_VOLUME);
    let volumes = recent.iter().zip(&usual);
    let each_bar = bars.wanted.iter().zip(volumes).enumerate();
    each_bar
        .map(|(bar, (wanted, (recent, usual)))| {
            // A missing mean does not compare as less.
            if !wanted || recent.partial_cmp(usual) != Some(std::cmp::Ordering::Less) {
                return None;
            }
            let last = (bar + 1).saturating_sub(LOOK_BACK)..=bar;
            pattern_of_base(&alternating_swings(&find_swings(
                bars.high.get(last.clone())?,
                bars.low.get(last)?,
            )))
        })
        .collect()
}

/// Returns the swings of bars in their order, a high before a low on one bar.
fn find_swings(high: &[f64], low: &[f64]) -> Vec<Swing> {
    let mut swings = Vec::new();
    for (highs, lows) in high.windows(2 * SIDE_BARS + 1).zip(low.windows(2 * SIDE_BARS + 1)) {
        let (Some(top), Some(bottom)) = (highs.get(SIDE_BARS), lows.get(SIDE_BARS)) else { continue };
        if highs.iter().all(|other| other <= top) {
            swings.push(Swing::High(*top));
        }
        if lows.iter().all(|other| other >= bottom) {
            swings.push(Swing::Low(*bottom));
        }
    }
    swings
}

/// Returns pairs of a high and the low after it, from the highest high on; of consecutive swings of one kind, only the most extreme is in a
/// pair. `None` if no low follows the last high.
fn alternating_swings(swings: &[Swing]) -> Vec<(f64, Option<f64>)> {
    let top = swings.iter().fold(f64::NEG_INFINITY, |top, swing| match swing {
        Swing::High(high) => top.max(*high),
        Swing::Low(_) => top,
    });
    let from_top =
        swings.iter().skip_while(|swing| !matches!(swing, Swing::High(high) if high.total_cmp(&top).is_eq()));
    let mut contractions: Vec<(f64, Option<f64>)> = Vec::new();
    for swing in from_top {
        match (*swing, contractions.last_mut()) {
            (Swing::High(high), Some((last, None))) => *last = last.max(high),
            (Swing::High(high), _) => contractions.push((high, None)),
            (Swing::Low(low), Some((_, last))) => *last = Some(last.map_or(low, |last| last.min(low))),
            (Swing::Low(_), None) => {}
        }
    }
    contractions
}

/// Returns the pattern of a base, if its contractions form one. A last high without a low does not count yet.
fn pattern_of_base(base: &[(f64, Option<f64>)]) -> Option<Pattern> {
    let mut contractions = base.iter().filter_map(|(high, low)| Some((*high, (*low)?)));
    let depths: Vec<f64> = contractions.clone().map(|(high, low)| 100.0 * (high - low) / high).collect();
    let shrinking = depths.windows(2).all(|pair| matches!(pair, [a, b] if *b <= MOST_RELATIVE_DEPTH * a));
    let (pivot, _) = contractions.next_back()?;
    let last = depths.last()?;
    (depths.len() >= 2 && shrinking && *last <= LAST_DEPTH).then_some(Pattern { depths, pivot })
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_the_definition_written_in_python() {
        let file = vectors::Vectors::read();
        let mut count = 0;
        for series in ["base_0", "base_1", "base_2", "base_3"] {
            let (high, low) = (file.figures(series, "high"), file.figures(series, "low"));
            let (volume, wanted) = (file.figures(series, "volume"), vec![true; high.len()]);
            let ours = vcp(&PatternBars { high: &high, low: &low, volume: &volume, wanted: &wanted });
            let figures = |of: fn(&Pattern) -> f64| -> Vec<f64> {
                ours.iter().map(|pattern| pattern.as_ref().map_or(f64::NAN, of)).collect()
            };
            vectors::assert_figures(&figures(|p| p.pivot), &file.optional_figures(series, "vcp_pivot"));
            vectors::assert_figures(
                &figures(|p| p.depths.len() as f64),
                &file.optional_figures(series, "vcp_contractions"),
            );
            vectors::assert_figures(
                &figures(|p| p.depths.last().copied().unwrap()),
                &file.optional_figures(series, "vcp_last_depth"),
            );
            count += ours.iter().flatten().count();
        }
        assert!(count > 20, "{count}");
    }

    /// Straight lines through (bar, price) points; highs are half a point above the line, lows half below.
    fn zigzag(points: &[(usize, f64)]) -> (Vec<f64>, Vec<f64>) {
        let mut line = Vec::new();
        for pair in points.windows(2) {
            let ((from, a), (to, b)) = (pair[0], pair[1]);
            line.extend((from..to).map(|bar| a + (b - a) * (bar - from) as f64 / (to - from) as f64));
        }
        line.push(points[points.len() - 1].1);
        (line.iter().map(|x| x + 0.5).collect(), line.iter().map(|x| x - 0.5).collect())
    }

    fn drying(bars: usize) -> Vec<f64> {
        (0..bars).map(|bar| 1000.0 - bar as f64).collect()
    }

    fn last(points: &[(usize, f64)]) -> Option<Pattern> {
        let (high, low) = zigzag(points);
        let (volume, wanted) = (drying(high.len()), vec![true; high.len()]);
        vcp(&PatternBars { high: &high, low: &low, volume: &volume, wanted: &wanted }).pop().unwrap()
    }

    #[test]
    fn smaller_and_smaller_pullbacks_are_a_pattern() {
        // Highs 100.5, 98.5; lows 79.5, 89.5: depths 20.8955 and 9.1371. The last rise has no low yet.
        let pattern =
            last(&[(0, 60.0), (30, 100.0), (50, 80.0), (70, 98.0), (80, 90.0), (90, 97.0)]).unwrap();
        vectors::assert_figures(&pattern.depths, &[Some(2100.0 / 100.5), Some(900.0 / 98.5)]);
        vectors::assert_figures(&[pattern.pivot], &[Some(98.5)]);
    }

    #[test]
    fn what_does_not_shrink_or_is_deep_or_alone_is_none() {
        let rise = (0, 60.0);
        assert_eq!(last(&[rise, (30, 100.0), (50, 80.0), (70, 98.0), (80, 80.0), (90, 97.0)]), None);
        assert_eq!(last(&[rise, (30, 100.0), (50, 60.0), (70, 98.0), (80, 80.0), (90, 97.0)]), None);
        assert_eq!(last(&[rise, (30, 100.0), (50, 92.0), (70, 98.0)]), None);
        assert_eq!(last(&[rise, (90, 100.0)]), None);
    }

    #[test]
    fn the_last_five_bars_hold_no_swing() {
        let shape = [(0, 60.0), (30, 100.0), (50, 80.0), (70, 98.0), (80, 90.0)];
        for (rise, expected) in [(84, false), (85, true)] {
            let points: Vec<(usize, f64)> = shape.iter().copied().chain([(rise, 95.0)]).collect();
            assert_eq!(last(&points).is_some(), expected, "{rise}");
        }
    }

    #[test]
    fn rising_volume_an_unwanted_bar_and_a_short_history_have_none() {
        let (high, low) = zigzag(&[(0, 60.0), (30, 100.0), (50, 80.0), (70, 98.0), (80, 90.0), (90, 97.0)]);
        let (dry, rising): (Vec<f64>, Vec<f64>) = (drying(91), (0..91).map(f64::from).collect());
        let holds = |volume: &[f64], wanted: bool| {
            let wanted = vec![wanted; 91];
            vcp(&PatternBars { high: &high, low: &low, volume, wanted: &wanted }).pop().unwrap().is_some()
        };
        assert_eq!((holds(&dry, true), holds(&dry, false), holds(&rising, true)), (true, false, false));
        let (none, few): (&[f64], &[f64]) = (&[], &[1.0, 2.0]);
        assert_eq!(vcp(&PatternBars { high: none, low: none, volume: none, wanted: &[] }), []);
        assert_eq!(vcp(&PatternBars { high: few, low: few, volume: few, wanted: &[true; 2] }), [None, None]);
        let gap = vec![f64::NAN; 91];
        assert!(!holds(&gap, true));
    }
}

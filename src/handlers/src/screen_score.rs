//! The score of recorded picks over a horizon, as `explore/ledger` computes it for scans: the mean over sessions, beside all stocks that
//! traded on them, with the interval of the difference.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::Serialize;

/// Fewest blocks of sessions that have an interval.
const FEWEST_BLOCKS: usize = 5;

/// All stocks that traded on a session, over a horizon from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseReturns {
    /// Number of the session, from 1 for the first on file.
    pub session_number: i64,
    /// Their mean return.
    pub return_pct: f64,
    /// Share of them with a return above 0.
    pub rising_pct: f64,
}

/// A pick with its return over a horizon.
#[derive(Debug, Clone, Copy)]
pub(super) struct PickReturn {
    pub session: NaiveDate,
    pub return_pct: f64,
}

/// Returns after picks, beside those of all stocks. The fields are those of the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PickScore {
    pub sessions_after: i64,
    pub pick_count: usize,
    pub pick_days: usize,
    pub mean_return_pct: f64,
    pub base_return_pct: f64,
    pub rising_pct: f64,
    pub base_rising_pct: f64,
    pub excess_pct: f64,
    pub excess_low_pct: Option<f64>,
    pub excess_high_pct: Option<f64>,
    pub block_count: usize,
}

impl PickScore {
    /// Scores picks; `None` if none has a return. Each session counts the same. Neighbouring sessions share most of their returns, so the
    /// interval is computed from the means of blocks of sessions, each as long as the horizon.
    pub(super) fn new(
        picks: &[PickReturn],
        bases: &BTreeMap<NaiveDate, BaseReturns>,
        sessions_after: i64,
    ) -> Option<Self> {
        let mut by_session: BTreeMap<NaiveDate, Vec<f64>> = BTreeMap::new();
        for pick in picks.iter().filter(|pick| bases.contains_key(&pick.session)) {
            by_session.entry(pick.session).or_default().push(pick.return_pct);
        }
        let returns: Vec<f64> = by_session.values().flatten().copied().collect();
        let days: Vec<(BaseReturns, f64)> =
            by_session.iter().filter_map(|(session, of)| Some((*bases.get(session)?, mean(of)?))).collect();
        let mut blocks: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for (base, return_pct) in &days {
            let block = base.session_number / sessions_after.max(1);
            blocks.entry(block).or_default().push(return_pct - base.return_pct);
        }
        let of_days =
            |figure: fn(&(BaseReturns, f64)) -> f64| mean(&days.iter().map(figure).collect::<Vec<_>>());
        let excess_pct = of_days(|(base, return_pct)| return_pct - base.return_pct)?;
        let blocks: Vec<f64> = blocks.values().filter_map(|block| mean(block)).collect();
        let half_width = half_width(&blocks);
        let rising = returns.iter().filter(|return_pct| **return_pct > 0.0).count();
        Some(Self {
            sessions_after,
            pick_count: returns.len(),
            pick_days: days.len(),
            mean_return_pct: of_days(|(_, return_pct)| *return_pct)?,
            base_return_pct: of_days(|(base, _)| base.return_pct)?,
            rising_pct: 100.0 * rising as f64 / returns.len() as f64,
            base_rising_pct: of_days(|(base, _)| base.rising_pct)?,
            excess_pct,
            excess_low_pct: half_width.map(|half| excess_pct - half),
            excess_high_pct: half_width.map(|half| excess_pct + half),
            block_count: blocks.len(),
        })
    }
}

/// Returns half the width of the 95 % interval of the mean: the 97.5th percentile of Student's t by the expansion of Cornish and Fisher, to
/// 0.01 from four degrees on, times the standard error.
fn half_width(blocks: &[f64]) -> Option<f64> {
    let mean = mean(blocks).filter(|_| blocks.len() >= FEWEST_BLOCKS)?;
    let (count, degrees) = (blocks.len() as f64, blocks.len() as f64 - 1.0);
    let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
    let t = 1.959_964 + 2.372_271 / degrees + 2.822_496 / degrees.powi(2) + 2.555_857 / degrees.powi(3);
    Some(t * (squares / degrees / count).sqrt())
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, number).unwrap()
    }

    fn bases(of: impl IntoIterator<Item = (u32, f64, f64)>) -> BTreeMap<NaiveDate, BaseReturns> {
        let base = |(number, return_pct, rising_pct)| {
            (day(number), BaseReturns { session_number: i64::from(number), return_pct, rising_pct })
        };
        of.into_iter().map(base).collect()
    }

    fn picks(of: impl IntoIterator<Item = (u32, f64)>) -> Vec<PickReturn> {
        of.into_iter().map(|(number, return_pct)| PickReturn { session: day(number), return_pct }).collect()
    }

    #[test]
    fn each_session_counts_the_same() {
        // The 2nd has a mean of 4, the 3rd of 1; the 9th has no base.
        let picks = picks([(2, 10.0), (2, -2.0), (3, 1.0), (9, 50.0)]);
        let score = PickScore::new(&picks, &bases([(2, 1.0, 60.0), (3, 2.0, 40.0)]), 5).unwrap();
        let expected = PickScore {
            sessions_after: 5,
            pick_count: 3,
            pick_days: 2,
            mean_return_pct: 2.5,
            base_return_pct: 1.5,
            rising_pct: 200.0 / 3.0,
            base_rising_pct: 50.0,
            excess_pct: 1.0,
            excess_low_pct: None,
            excess_high_pct: None,
            block_count: 1,
        };
        assert_eq!(score, expected);
        assert_eq!(PickScore::new(&picks[3..], &bases([(2, 1.0, 60.0)]), 5), None);
    }

    /// Five blocks of five sessions have the excesses 1, 2, 3, 4 and 5: a mean of 3 and a standard error of the square root of 1/2.
    /// Student's t of four degrees is 2.776 at 97.5 %.
    #[test]
    fn the_interval_rests_on_blocks_as_long_as_the_horizon() {
        let of_blocks = |blocks: u32| {
            let numbers = (5..5 * blocks + 5).collect::<Vec<_>>();
            let picks = picks(numbers.iter().map(|number| (*number, f64::from(number / 5) + 0.5)));
            PickScore::new(&picks, &bases(numbers.iter().map(|number| (*number, 0.5, 50.0))), 5).unwrap()
        };
        let score = of_blocks(5);
        assert_eq!((score.block_count, score.pick_days, score.excess_pct), (5, 25, 3.0));
        let half = 2.776 * 0.5_f64.sqrt();
        assert!((score.excess_low_pct.unwrap() - (3.0 - half)).abs() < 0.01, "{score:?}");
        assert!((score.excess_high_pct.unwrap() - (3.0 + half)).abs() < 0.01, "{score:?}");
        assert_eq!((of_blocks(4).block_count, of_blocks(4).excess_low_pct), (4, None));
    }
}

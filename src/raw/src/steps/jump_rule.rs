//! Moves from one bar's close to the next bar that no ordinary session shows, the formula book's "Unexplained jump"; and misprinted prices
//! of a bar.
//!
//! Markets with price bands have one rule, markets without bands another. If bands hold a stock, any move beyond them is an action that is
//! missing from the files. Without bands, a stock may lose half its price after its results, and only a move near the ratio of a split
//! counts as one. This module classifies ratios only; [`crate::steps::adjust`] selects the bars to compare.

use std::cmp::Ordering;

use chrono::NaiveDate;

use parquote_catalogue::operation::Market;

/// Class of a move that no action explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// A move that any session may have.
    Ordinary,
    /// Beyond usual price bands, in a market without bands.
    Large,
    /// An action that no file has: a new price segment starts.
    Unexplained,
}

/// The close of a bar, and the open and close of the next one, all unadjusted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PriceStep {
    pub(crate) before: f64,
    pub(crate) open: f64,
    pub(crate) close: f64,
    /// The day of the next bar.
    pub(crate) date: NaiveDate,
    /// Sessions of the market from the first bar to the next one.
    pub(crate) sessions_apart: u32,
}

/// The ratios of a bar's prices to the close before it that count as an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JumpRule {
    limits: FarRatios,
    /// True if bands hold prices. Without them only opens near a split of up to [`MOST_SHARES`] count.
    has_bands: bool,
}

/// Ratios below the first and above the second are far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FarRatios(f64, f64);

/// Moves that price bands make impossible.
const WITH_BANDS: FarRatios = FarRatios(0.70, 1.45);
/// Moves at least as large as about a split of one share into two, or the reverse.
const WITHOUT_BANDS: FarRatios = FarRatios(0.55, 1.9);
/// Moves that no stock makes during an absence of some weeks.
const AFTER_ABSENCE: FarRatios = FarRatios(0.4, 2.5);

/// Sessions between two bars up to which a stock is regarded as merely not traded.
const SHORT_ABSENCE: u32 = 5;
/// Maximum number of shares that a split makes of one, or merges into one: its ratio is 1/n or n for n from 2 to this.
const MOST_SHARES: u32 = 100;
/// Maximum relative distance of a ratio from that of a split: the overnight move in addition to the split.
const MOST_DISTANCE: f64 = 0.03;
/// The same maximum for two prices some weeks apart.
const MOST_DISTANCE_IN_WEEKS: f64 = 0.10;
/// Tolerance for the arithmetic of two prices whose ratio is right on a limit.
const ROUNDING: f64 = 1e-9;

impl JumpRule {
    pub(crate) const fn for_market(market: Market) -> Self {
        let has_bands = market.has_price_bands();
        Self { limits: if has_bands { WITH_BANDS } else { WITHOUT_BANDS }, has_bands }
    }

    /// Classifies a move. An erroneous open alone is not enough: the close must be far too.
    pub(crate) fn classify(self, step: PriceStep) -> Move {
        let PriceStep { before, open, close, date, sessions_apart } = step;
        let is_far =
            |limits: FarRatios| [open, close].iter().all(|price| self.is_far(*price, before, date, limits));
        let is_one_way = (open > before) == (close > before);
        let is_near = sessions_apart <= SHORT_ABSENCE || is_far(AFTER_ABSENCE);
        if !(is_one_way && is_near && is_far(WITH_BANDS)) {
            Move::Ordinary
        } else if self.has_bands
            || (self.limits.excludes(open / before) && nearest_split(open / before).is_some())
        {
            Move::Unexplained
        } else {
            Move::Large
        }
    }

    /// Returns true if a price is so far from the previous close and from the close of its bar, on one side of both, that it is a misprint.
    pub(crate) fn is_misprint(self, price: f64, before: f64, close: f64, date: NaiveDate) -> bool {
        let is_far = |from: f64| self.is_far(price, from, date, self.limits);
        is_far(before) && is_far(close) && (price > before) == (price > close)
    }

    /// Returns true if a price is far from another, by the ratio and by more than two ticks: at 0.10 a tick may be half of the price.
    fn is_far(self, price: f64, from: f64, date: NaiveDate, limits: FarRatios) -> bool {
        limits.excludes(price / from) && (price - from).abs() > 2.0 * self.tick(date) + ROUNDING
    }

    /// Returns the shares that one share became, if a price ratio is that of a split. Above 16 the ratios of splits are so close together
    /// that every ratio is near one: with bands, where other actions (demergers) are jumps too, only round numbers count.
    pub(crate) fn shares_made(self, ratio: f64) -> Option<f64> {
        let split = nearest_split(ratio)?;
        let shares = split.max(split.recip()).round();
        (!self.has_bands || shares <= 16.0 || shares % 5.0 < 0.5).then_some(split.recip())
    }

    /// Returns the tick of low prices, in the market's currency. NSE reduced it to 0.01 for prices below 250 in June 2024.
    fn tick(self, date: NaiveDate) -> f64 {
        let is_old = NaiveDate::from_ymd_opt(2024, 6, 1).is_some_and(|change| date < change);
        if self.has_bands && is_old { 0.05 } else { 0.01 }
    }
}

impl FarRatios {
    fn excludes(self, ratio: f64) -> bool {
        ratio < self.0 || ratio > self.1
    }
}

/// Returns the shares that one share became between two prices some weeks apart, if their ratio is that of a split.
pub(crate) fn shares_made_in_weeks(before: f64, after: f64) -> Option<f64> {
    let ratio = after / before;
    let shares = ratio.max(ratio.recip());
    let whole = shares.round();
    let is_near = (shares / whole - 1.0).abs() <= MOST_DISTANCE_IN_WEEKS;
    (WITHOUT_BANDS.excludes(ratio) && is_near).then_some(if ratio < 1.0 { whole } else { whole.recip() })
}

/// Returns the ratio of the split that a price ratio is near: 1/n or n for a number of shares n. Above 17 the splits are so close that
/// several are near; round numbers are preferred, since companies choose them.
fn nearest_split(ratio: f64) -> Option<f64> {
    let is_falling = ratio < 1.0;
    let shares = if is_falling { ratio.recip() } else { ratio };
    let distance = |n: &u32| {
        let part = shares / f64::from(*n);
        (if is_falling { part.recip() } else { part } - 1.0).abs()
    };
    let candidates = (2..=MOST_SHARES).filter(|n| distance(n) <= MOST_DISTANCE + ROUNDING);
    let best = candidates.min_by(|a, b| {
        (a % 5 != 0, distance(a)).partial_cmp(&(b % 5 != 0, distance(b))).unwrap_or(Ordering::Equal)
    });
    best.map(f64::from).map(|n| if is_falling { n.recip() } else { n })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// Starts from a close of 1,024, so that ratios are exact.
    fn step(open: f64, close: f64) -> PriceStep {
        let [before, open, close] = [1.0, open, close].map(|ratio| ratio * 1024.0);
        PriceStep { before, open, close, date: day("2026-01-05"), sessions_apart: 1 }
    }

    fn classes(market: Market, ratios: &[f64]) -> Vec<Move> {
        ratios.iter().map(|ratio| JumpRule::for_market(market).classify(step(*ratio, *ratio))).collect()
    }

    #[test]
    fn price_bands_make_every_far_move_a_jump() {
        use Move::{Ordinary, Unexplained};
        let ratios = [0.699_999, 0.70, 0.71, 1.0, 1.45, 1.450_001, 0.66, 0.05, 3.3];
        let moves = [
            Unexplained, Ordinary, Ordinary, Ordinary, Ordinary, Unexplained, Unexplained, Unexplained,
            Unexplained,
        ];
        assert_eq!(classes(Market::India, &ratios), moves);
    }

    #[test]
    fn without_bands_only_what_looks_like_a_split_is_a_jump() {
        use Move::{Large, Ordinary, Unexplained};
        // Falls after results, and rises after offers: none is near a split, however large.
        for ratio in
            [0.659, 0.566, 0.641, 0.55, 0.5151, 0.4849, 0.40, 0.2801, 1.46, 1.8, 1.9, 1.93, 2.07, 2.5, 3.4]
        {
            assert_eq!(classes(Market::Us, &[ratio]), [Large], "{ratio}");
        }
        for ratio in [0.5, 0.333, 0.25, 0.2, 0.1, 0.05, 0.02, 2.0, 2.021, 3.0, 10.0, 20.0, 50.0] {
            assert_eq!(classes(Market::Us, &[ratio]), [Unexplained], "{ratio}");
        }
        assert_eq!(classes(Market::Us, &[0.70, 0.8, 1.0, 1.2, 1.45]), [Ordinary; 5]);
    }

    #[test]
    fn near_is_three_percent_of_the_split_and_not_more() {
        use Move::{Large, Unexplained};
        // 1/2, 1/3, 1/4, 2, 3 and 10, each times 0.97 and 1.03, then a ten-thousandth outside.
        for split in [1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 2.0, 3.0, 10.0] {
            let at = [split * 0.97, split * 1.03, 0.97 * split, split / (1.0 / 1.03)];
            assert_eq!(classes(Market::Us, &at), [Unexplained; 4], "{split}");
            assert_eq!(classes(Market::Us, &[split * 0.9699, split * 1.0301]), [Large; 2], "{split}");
        }
    }

    #[test]
    fn a_split_makes_at_most_a_hundred_shares() {
        use Move::{Large, Unexplained};
        let near = [0.01, 0.0097, 1.0 / 99.0, 100.0, 103.0, 99.0, 97.5];
        assert_eq!(classes(Market::Us, &near), [Unexplained; 7]);
        assert_eq!(classes(Market::Us, &[0.009_69, 0.005, 103.1, 150.0]), [Large; 4]);
        // There is a gap between 15 (to 15.45) and 16 (from 15.52), and between 1/16 and 1/17; from 17 on the splits are so close that
        // every ratio is near one.
        assert_eq!(classes(Market::Us, &[15.48, 1.0 / 16.5]), [Large; 2]);
        assert_eq!(classes(Market::Us, &[17.5, 1.0 / 17.5, 41.5]), [Unexplained; 3]);
    }

    #[test]
    fn a_ratio_that_is_no_number_is_no_jump() {
        for market in Market::ALL {
            assert_eq!(classes(market, &[f64::NAN]), [Move::Ordinary]);
        }
    }

    #[test]
    fn open_and_close_are_far_on_one_side() {
        use Move::{Large, Ordinary, Unexplained};
        let india = |open, close| JumpRule::for_market(Market::India).classify(step(open, close));
        assert_eq!([india(0.6, 0.69), india(0.6, 0.71), india(0.71, 0.6)], [Unexplained, Ordinary, Ordinary]);
        assert_eq!([india(1.5, 1.46), india(1.5, 1.4), india(0.6, 1.5)], [Unexplained, Ordinary, Ordinary]);
        // The stock also moves on the day after a split: its open is near the ratio, its close need not be.
        let us = |open, close| JumpRule::for_market(Market::Us).classify(step(open, close));
        assert_eq!(
            [us(0.5, 0.57), us(0.5, 0.98), us(0.53, 0.5), us(10.0, 13.0)],
            [Unexplained, Ordinary, Large, Unexplained]
        );
    }

    #[test]
    fn a_move_of_two_ticks_is_none() {
        use Move::{Ordinary, Unexplained};
        let cents = |market: Market, date: &str, [before, price]: [f64; 2]| {
            let step = PriceStep { before, open: price, close: price, date: day(date), sessions_apart: 1 };
            JumpRule::for_market(market).classify(step)
        };
        let old = |prices| cents(Market::India, "2024-05-31", prices);
        assert_eq!([old([0.1, 0.2]), old([0.1, 0.25]), old([0.15, 0.05])], [Ordinary, Unexplained, Ordinary]);
        let new = |prices| cents(Market::India, "2024-06-03", prices);
        assert_eq!([new([0.02, 0.04]), new([0.1, 0.2])], [Ordinary, Unexplained]);
        assert_eq!(cents(Market::Us, "2020-01-02", [0.02, 0.04]), Ordinary);
        assert_eq!(cents(Market::Us, "2020-01-02", [0.02, 0.2]), Unexplained);
    }

    #[test]
    fn after_an_absence_only_what_no_weeks_explain_counts() {
        use Move::{Ordinary, Unexplained};
        let after = |market: Market, sessions_apart, ratio| {
            JumpRule::for_market(market).classify(PriceStep { sessions_apart, ..step(ratio, ratio) })
        };
        for market in Market::ALL {
            assert_eq!([5, 6, 60].map(|apart| after(market, apart, 10.0)), [Unexplained; 3]);
            assert_eq!([5, 6, 60].map(|apart| after(market, apart, 0.1)), [Unexplained; 3]);
            assert_eq!([5, 6, 60].map(|apart| after(market, apart, 2.0)), [Unexplained, Ordinary, Ordinary]);
            assert_eq!([5, 6, 60].map(|apart| after(market, apart, 0.5)), [Unexplained, Ordinary, Ordinary]);
        }
    }

    #[test]
    fn a_price_far_from_both_closes_is_a_misprint() {
        let date = day("2026-01-05");
        let is = |market, price, [before, close]: [f64; 2]| {
            JumpRule::for_market(market).is_misprint(price, before, close, date)
        };
        assert!(is(Market::India, 150.0, [100.0, 103.0]) && is(Market::India, 10.0, [100.0, 96.0]));
        assert!(!is(Market::India, 150.0, [100.0, 110.0]), "within the ratio of its own close");
        assert!(!is(Market::India, 50.0, [100.0, 51.0]), "a split");
        assert!(!is(Market::India, 100.0, [300.0, 50.0]), "between the two");
        // Without bands a stock doubles and halves within a day or two.
        assert!(!is(Market::Us, 150.0, [100.0, 100.0]) && is(Market::Us, 1000.0, [100.0, 104.0]));
        assert!(!is(Market::India, 0.12, [0.1, 0.1]) && !is(Market::Us, 0.03, [0.01, 0.01]), "a tick or two");
    }

    #[test]
    fn splits_are_of_whole_and_sooner_of_round_numbers() {
        let near = |ratio: f64| {
            nearest_split(ratio).map(|split| if split < 1.0 { -split.recip().round() } else { split })
        };
        assert_eq!([0.5, 0.345, 10.2, 2.1, 0.7].map(near), [Some(-2.0), None, Some(10.0), None, None]);
        assert_eq!([0.0515, 19.4, 51.0, 12.0].map(near), [Some(-20.0), Some(20.0), Some(50.0), Some(12.0)]);
        let made = |market, ratio: f64| {
            JumpRule::for_market(market).shares_made(ratio).map(|made| made.max(made.recip()).round())
        };
        let india = [0.2, 0.0515, 1.0 / 22.0, 11.0].map(|ratio| made(Market::India, ratio));
        assert_eq!(india, [Some(5.0), Some(20.0), None, Some(11.0)]);
        assert_eq!(made(Market::Us, 22.0), Some(22.0));
    }
}

//! Which moves from one bar's close to the next one's open no ordinary session shows: the formula book's "Unexplained jump".
//!
//! There is one rule for markets with price bands and one for those without. Where bands hold a stock, any move beyond them is
//! an action that is missing from the files. Where nothing holds it, a stock may lose half its price after its results, and only
//! a move that looks like a split is taken for one. Here are the ratios alone; which bars are compared is decided in
//! [`crate::raw::steps::adjust`].

use crate::operation::Market;

/// What a move is taken for, as long as no action explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// Every session has such moves.
    Ordinary,
    /// Larger than price bands allow, in a market that has none.
    Large,
    /// An action that no file has: a new price segment starts.
    Unexplained,
}

/// The ratios of an open to the close before it that are taken for a split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JumpRule {
    /// Ratios below it count.
    below: f64,
    /// Ratios above it count.
    above: f64,
    /// Whether only those count that are near one of the ratios of [`MOST_SHARES`].
    only_splits: bool,
}

/// A move that price bands make impossible.
const WITH_BANDS: JumpRule = JumpRule { below: 0.70, above: 1.45, only_splits: false };
/// A move that is at least near a split of one share into two, or the reverse.
const WITHOUT_BANDS: JumpRule = JumpRule { below: 0.55, above: 1.9, only_splits: true };

/// How many shares a split makes of one at most, or one of how many: its ratio is 1/n or n for n from 2 to this.
const MOST_SHARES: u32 = 100;
/// How far a ratio may lie from that of a split, as a part of it: what a stock moves overnight beside the split.
const NEAR: f64 = 0.03;
/// What the arithmetic of two prices may add to a ratio that lies right on a limit.
const ROUNDING: f64 = 1e-9;

impl JumpRule {
    /// The rule of a market.
    pub(crate) const fn of(market: Market) -> Self {
        if market.has_price_bands() { WITH_BANDS } else { WITHOUT_BANDS }
    }

    /// What a move is taken for by its ratio, open over previous unadjusted close.
    pub(crate) fn judge(self, ratio: f64) -> Move {
        if self.is_beyond(ratio) && (!self.only_splits || is_near_a_split(ratio)) {
            Move::Unexplained
        } else if WITH_BANDS.is_beyond(ratio) {
            Move::Large
        } else {
            Move::Ordinary
        }
    }

    fn is_beyond(self, ratio: f64) -> bool {
        ratio < self.below || ratio > self.above
    }
}

/// Whether a ratio lies near 1/n or n for a number of shares n.
fn is_near_a_split(ratio: f64) -> bool {
    (2..=MOST_SHARES).map(f64::from).any(|shares| {
        [ratio * shares, ratio / shares].iter().any(|part| (part - 1.0).abs() <= NEAR + ROUNDING)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(market: Market, ratios: &[f64]) -> Vec<Move> {
        ratios.iter().map(|ratio| JumpRule::of(market).judge(*ratio)).collect()
    }

    #[test]
    fn price_bands_make_every_far_move_a_jump() {
        use Move::{Ordinary, Unexplained};
        let ratios = [0.699_999, 0.70, 0.71, 1.0, 1.45, 1.450_001, 0.66, 0.05, 3.3];
        let moves = [
            Unexplained,
            Ordinary,
            Ordinary,
            Ordinary,
            Ordinary,
            Unexplained,
            Unexplained,
            Unexplained,
            Unexplained,
        ];
        assert_eq!(judged(Market::India, &ratios), moves);
    }

    #[test]
    fn without_bands_only_what_looks_like_a_split_is_a_jump() {
        use Move::{Large, Ordinary, Unexplained};
        // Falls after results, and rises after offers: none is near a split, however far it goes.
        for ratio in
            [0.659, 0.566, 0.641, 0.55, 0.5151, 0.4849, 0.40, 0.2801, 1.46, 1.8, 1.9, 1.93, 2.07, 2.5, 3.4]
        {
            assert_eq!(judged(Market::Us, &[ratio]), [Large], "{ratio}");
        }
        for ratio in [0.5, 0.333, 0.25, 0.2, 0.1, 0.05, 0.02, 2.0, 2.021, 3.0, 10.0, 20.0, 50.0] {
            assert_eq!(judged(Market::Us, &[ratio]), [Unexplained], "{ratio}");
        }
        assert_eq!(judged(Market::Us, &[0.70, 0.8, 1.0, 1.2, 1.45]), [Ordinary; 5]);
    }

    #[test]
    fn near_is_three_percent_of_the_split_and_not_more() {
        use Move::{Large, Unexplained};
        // 1/2, 1/3, 1/4, 2 and 10, each times 0.97 and 1.03, then a ten-thousandth outside.
        for split in [1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 2.0, 3.0, 10.0] {
            let at = [split * 0.97, split * 1.03, 0.97 * split, split / (1.0 / 1.03)];
            assert_eq!(judged(Market::Us, &at), [Unexplained; 4], "{split}");
            assert_eq!(judged(Market::Us, &[split * 0.9699, split * 1.0301]), [Large; 2], "{split}");
        }
    }

    #[test]
    fn a_split_makes_at_most_a_hundred_shares() {
        use Move::{Large, Unexplained};
        let near = [0.01, 0.0097, 1.0 / 99.0, 100.0, 103.0, 99.0, 97.5];
        assert_eq!(judged(Market::Us, &near), [Unexplained; 7]);
        assert_eq!(judged(Market::Us, &[0.009_69, 0.005, 103.1, 150.0]), [Large; 4]);
        // Between 15 (to 15.45) and 16 (from 15.52) there is room, and between 1/16 and 1/17; from 17 on the splits are so close
        // that every ratio is near one.
        assert_eq!(judged(Market::Us, &[15.48, 1.0 / 16.5]), [Large; 2]);
        assert_eq!(judged(Market::Us, &[17.5, 1.0 / 17.5, 41.5]), [Unexplained; 3]);
    }

    #[test]
    fn a_ratio_that_is_no_number_is_no_jump() {
        for market in Market::ALL {
            assert_eq!(judged(market, &[f64::NAN]), [Move::Ordinary]);
        }
    }
}

//! Relative-strength rating: the position of a score among the scores of the universe, 1 to 99.
//!
//! Invariant: members alone set the scale; all stocks are measured on it.

use super::indicator::{Indicator, Kernel};
use super::ranks::{RankPosition, Ranks};

pub(super) const RS_RATING: Indicator = Indicator {
    name: "rs_rating",
    description: "Relative-strength rating 1 to 99: 1 + floor(98 (avg_rank - 1)/(n - 1) + 0.5), clamped, where avg_rank = \
        below + (equal + 1)/2 counts the members of the universe (a member is among its own equals) and n is the number \
        of members with a score. Null for a null score and for n < 2. A null is_member counts as not a member.",
    arguments: &[
        ("score", "Relative-strength score."),
        ("is_member", "Whether the row belongs to the universe."),
    ],
    over: "PARTITION BY session",
    kernel: Kernel::RankAmongMembers(rs_rating),
};

fn rs_rating(score: &[f64], is_member: &[bool]) -> Vec<Option<i64>> {
    let Ranks { standings, set_size: n } =
        Ranks::from_figures(score, |row| is_member.get(row) == Some(&true));
    if n < 2 {
        return vec![None; score.len()];
    }
    standings.into_iter().map(|at| at.map(|at| rating(at, n))).collect()
}

/// Computes in integers, over the denominator 2 (n - 1), so that no half is lost to rounding.
fn rating(RankPosition { below, equal }: RankPosition, n: usize) -> i64 {
    let steps = n as i64 - 1;
    let twice_rank_less_one = 2 * below as i64 + equal as i64 - 1;
    (1 + (98 * twice_rank_less_one + steps).div_euclid(2 * steps)).clamp(1, 99)
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_the_definition_written_in_python() {
        vectors::check_among_members("rs_rating", rs_rating);
    }

    #[test]
    fn spreads_members_over_1_to_99_and_averages_ties() {
        assert_eq!(rs_rating(&[10.0, 30.0, 20.0], &[true; 3]), [Some(1), Some(99), Some(50)]);
        // All equal: avg_rank 2 of 3 -> 1 + floor(49.5) = 50.
        assert_eq!(rs_rating(&[7.0; 3], &[true; 3]), [Some(50); 3]);
        // Two tie at rank 1.5 of 3: 1 + floor(98 x 0.25 + 0.5) = 26.
        assert_eq!(rs_rating(&[1.0, 1.0, 2.0], &[true; 3]), [Some(26), Some(26), Some(99)]);
    }

    #[test]
    fn measures_others_against_the_members() {
        let score = [10.0, 20.0, 30.0, 5.0, 20.0, 40.0, 25.0];
        let is_member = [true, true, true, false, false, false, false];
        // Outsiders: below all -> clamped to 1; equal to the middle -> 50; above all: rank 3.5 -> clamped to 99;
        // between: rank 2.5 -> 1 + floor(98 x 0.75 + 0.5) = 75.
        let expected = [Some(1), Some(50), Some(99), Some(1), Some(50), Some(99), Some(75)];
        assert_eq!(rs_rating(&score, &is_member), expected);
    }

    #[test]
    fn needs_two_members_with_a_score() {
        assert_eq!(rs_rating(&[1.0, f64::NAN, 3.0], &[true, true, false]), [None; 3]);
        assert_eq!(rs_rating(&[1.0, f64::NAN, 3.0], &[true; 3]), [Some(1), None, Some(99)]);
        assert_eq!(rs_rating(&[f64::NAN; 3], &[true; 3]), [None; 3]);
        assert_eq!(rs_rating(&[], &[]), []);
    }
}

//! Relative-strength rank: 1 is the best score of the session.
//!
//! Invariant: all rated stocks count, members of the universe or not; ties share the better rank.

use super::indicator::{Indicator, Kernel};
use super::ranks::{RankPosition, Ranks};

pub(super) const RS_RANK: Indicator = Indicator {
    name: "rs_rank",
    description: "Relative-strength rank: 1 + the number of rows with a better score, members of the universe or not. Null for a \
        null score and where fewer than two members have one, so that a row has a rank when it has a rating. A null \
        is_member counts as not a member.",
    arguments: &[
        ("score", "Relative-strength score."),
        ("is_member", "Whether the row belongs to the universe."),
    ],
    over: "PARTITION BY session",
    kernel: Kernel::RankAmongMembers(rs_rank),
};

fn rs_rank(score: &[f64], is_member: &[bool]) -> Vec<Option<i64>> {
    let scored = score.iter().zip(is_member).filter(|(score, is_member)| **is_member && !score.is_nan());
    if scored.take(2).count() < 2 {
        return vec![None; score.len()];
    }
    let Ranks { standings, set_size } = Ranks::from_figures(score, |_| true);
    let rank = |at: RankPosition| 1 + (set_size - at.below - at.equal) as i64;
    standings.into_iter().map(|at| at.map(rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_the_definition_written_in_python() {
        vectors::check_among_members("rs_rank", rs_rank);
    }

    #[test]
    fn counts_everybody_who_is_better() {
        let score = [10.0, 30.0, 30.0, 20.0, 40.0, f64::NAN];
        let is_member = [true, true, true, false, false, true];
        assert_eq!(rs_rank(&score, &is_member), [Some(5), Some(2), Some(2), Some(4), Some(1), None]);
    }

    #[test]
    fn needs_two_members_with_a_score() {
        assert_eq!(rs_rank(&[1.0, 2.0], &[true, false]), [None, None]);
        assert_eq!(rs_rank(&[f64::NAN; 2], &[true; 2]), [None, None]);
        assert_eq!(rs_rank(&[], &[]), []);
    }
}

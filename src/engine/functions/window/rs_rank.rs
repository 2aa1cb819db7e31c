//! Relative-strength rank: 1 is the best score of the universe.
//!
//! Invariant: ties share the better rank, and someone outside the universe pushes nobody down.

use super::indicator::{Indicator, Kernel};
use super::rs_rating::members;

pub(super) const RS_RANK: Indicator = Indicator {
    name: "rs_rank",
    words: "Relative-strength rank: 1 + the number of members of the universe with a better score. Null for a null score \
        and where fewer than two members have one. A null is_member counts as not a member.",
    arguments: &[
        ("score", "Relative-strength score."),
        ("is_member", "Whether the row belongs to the universe."),
    ],
    over: "PARTITION BY session",
    kernel: Kernel::PlaceAmongMembers(rs_rank),
};

fn rs_rank(score: &[f64], is_member: &[bool]) -> Vec<Option<i64>> {
    let ranks = members(score, is_member);
    let n = ranks.len();
    let rank = |score: &f64| ranks.standing(*score).map(|at| 1 + (n - at.below - at.equal) as i64);
    score.iter().map(|score| if n < 2 { None } else { rank(score) }).collect()
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
    fn counts_better_members_only() {
        let score = [10.0, 30.0, 30.0, 20.0, 40.0, f64::NAN];
        let is_member = [true, true, true, false, false, true];
        assert_eq!(rs_rank(&score, &is_member), [Some(3), Some(1), Some(1), Some(3), Some(1), None]);
    }

    #[test]
    fn needs_two_members_with_a_score() {
        assert_eq!(rs_rank(&[1.0, 2.0], &[true, false]), [None, None]);
        assert_eq!(rs_rank(&[f64::NAN; 2], &[true; 2]), [None, None]);
        assert_eq!(rs_rank(&[], &[]), []);
    }
}

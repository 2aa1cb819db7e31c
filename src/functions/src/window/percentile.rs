//! The percentile of a figure in its partition, or among the members of a set that it need not belong to.
//!
//! Invariant: 0 for a unique smallest figure, 100 for a unique greatest, and the same for all ties.

use super::indicator::{Indicator, Kernel};
use super::ranks::{RankPosition, Ranks};

/// Minimum number of figures; a percentile of fewer is meaningless.
const MIN_FIGURES: usize = 5;

pub(super) const PERCENTILE: Indicator = Indicator {
    name: "percentile",
    description: "Percentile 0 to 100 of x among the rows of the partition: 100 (avg_rank - 1)/(n - 1), rank ascending, \
        averaged on ties, nulls left out. Null where x is null and for n < 5.",
    arguments: &[("x", "What is ranked; more is higher.")],
    over: "PARTITION BY sector",
    kernel: Kernel::Percentile(percentile),
};

pub(super) const PERCENTILE_AMONG: Indicator = Indicator {
    name: "percentile_among",
    description: "Percentile 0 to 100 of x among those rows of the partition that are members: 100 (avg_rank - 1)/(n - 1), where avg_rank = \
        below + (equal + 1)/2 counts members (a member is among its own equals), clamped, and n is the number of members \
        with x. Null where x is null and for n < 5. A null is_member counts as not a member.",
    arguments: &[
        ("x", "What is ranked; more is higher."),
        ("is_member", "Whether the row is one of those that set the scale."),
    ],
    over: "PARTITION BY quarter_index",
    kernel: Kernel::PercentileAmongMembers(percentile_among),
};

fn percentile(x: &[f64]) -> Vec<f64> {
    percentiles_from_ranks(x, Ranks::from_figures(x, |_| true))
}

fn percentile_among(x: &[f64], is_member: &[bool]) -> Vec<f64> {
    percentiles_from_ranks(x, Ranks::from_figures(x, |row| is_member.get(row) == Some(&true)))
}

fn percentiles_from_ranks(x: &[f64], Ranks { standings, set_size: n }: Ranks) -> Vec<f64> {
    if n < MIN_FIGURES {
        return vec![f64::NAN; x.len()];
    }
    // avg_rank - 1 = below + (equal - 1)/2. A non-member may be below or above all of them.
    let steps = 2.0 * (n as f64 - 1.0);
    let percentile =
        |at: RankPosition| (100.0 * ((2 * at.below + at.equal) as f64 - 1.0) / steps).clamp(0.0, 100.0);
    standings.into_iter().map(|at| at.map_or(f64::NAN, percentile)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors;
    use super::*;

    #[test]
    fn agrees_with_the_definition_written_in_python() {
        let file = vectors::Vectors::read();
        let expected = file.optional_figures("cross_section", "percentile");
        vectors::assert_figures(&percentile(&file.figures("cross_section", "score")), &expected);
    }

    #[test]
    fn averages_ties_and_leaves_nulls_out() {
        let x = [5.0, 1.0, f64::NAN, 3.0, 3.0, 2.0];
        vectors::assert_figures(
            &percentile(&x),
            &[Some(100.0), Some(0.0), None, Some(62.5), Some(62.5), Some(25.0)],
        );
        vectors::assert_figures(&percentile(&[4.0; 5]), &[Some(50.0); 5]);
    }

    #[test]
    fn others_are_measured_against_the_members_and_move_none() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 3.0, 3.5, 9.0, f64::NAN];
        let is_member = [true, true, true, true, true, false, false, false, false, true];
        let expected = [0.0, 25.0, 50.0, 75.0, 100.0, 0.0, 50.0, 62.5, 100.0].map(Some);
        vectors::assert_figures(&percentile_among(&x, &is_member), &[&expected[..], &[None]].concat());
        vectors::assert_figures(&percentile_among(&x, &[true, true, true, true]), &[None; 10]);
    }

    #[test]
    fn fewer_than_five_figures_have_none() {
        vectors::assert_figures(&percentile(&[1.0, 2.0, 3.0, 4.0, f64::NAN]), &[None; 5]);
        vectors::assert_figures(&percentile(&[f64::NAN; 6]), &[None; 6]);
        vectors::assert_figures(&percentile(&[]), &[]);
    }
}

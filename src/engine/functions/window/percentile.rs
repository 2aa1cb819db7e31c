//! Percentile of a figure in the set it stands in.
//!
//! Invariant: 0 for a lone smallest figure, 100 for a lone greatest, and the same for all who tie.

use super::indicator::{Indicator, Kernel};
use super::ranks::{Ranks, Standing};

/// Below this many figures a percentile says nothing.
const FEWEST: usize = 5;

pub(super) const PERCENTILE: Indicator = Indicator {
    name: "percentile",
    words: "Percentile 0 to 100 of x among the rows of the partition: 100 (avg_rank - 1)/(n - 1), rank ascending, \
        averaged on ties, nulls left out. Null where x is null and for n < 5.",
    arguments: &[("x", "What is ranked; more is higher.")],
    over: "PARTITION BY sector",
    kernel: Kernel::Place(percentile),
};

fn percentile(x: &[f64]) -> Vec<f64> {
    let Ranks { standings, counted: n } = Ranks::of(x, |_| true);
    if n < FEWEST {
        return vec![f64::NAN; x.len()];
    }
    // avg_rank - 1 = below + (equal - 1)/2, and a figure is always among its own equals.
    let steps = 2.0 * (n as f64 - 1.0);
    let place = |at: Standing| 100.0 * (2 * at.below + at.equal - 1) as f64 / steps;
    standings.into_iter().map(|at| at.map_or(f64::NAN, place)).collect()
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
    fn fewer_than_five_figures_have_none() {
        vectors::assert_figures(&percentile(&[1.0, 2.0, 3.0, 4.0, f64::NAN]), &[None; 5]);
        vectors::assert_figures(&percentile(&[f64::NAN; 6]), &[None; 6]);
        vectors::assert_figures(&percentile(&[]), &[]);
    }
}

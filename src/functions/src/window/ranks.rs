//! Ranks of figures among the rows of a set.
//!
//! The figures are sorted once and then counted, so that n figures cost O(n log n).

/// The rank of each row among the rows of a set.
#[derive(Debug)]
pub(super) struct Ranks {
    /// The rank of each row, in or out of the set; `None` if its figure is NaN.
    pub(super) standings: Vec<Option<RankPosition>>,
    /// Number of rows in the set whose figure is not NaN.
    pub(super) set_size: usize,
}

/// Rank of a figure in a set that it may or may not belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankPosition {
    /// Number of smaller figures in the set.
    pub(super) below: usize,
    /// Number of equal figures in the set.
    pub(super) equal: usize,
}

impl Ranks {
    /// Ranks each figure among the figures of the rows for which `is_member` is true. Positive and negative zero are equal.
    ///
    /// Rows are sorted together with their figures: with a binary search for each figure, the derivation of `rs_history` takes half as long
    /// again.
    pub(super) fn from_figures(figures: &[f64], is_member: impl Fn(usize) -> bool) -> Self {
        let mut ascending: Vec<(f64, usize)> = figures.iter().copied().zip(0..).collect();
        ascending.retain(|(figure, _)| !figure.is_nan());
        ascending.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut standings = vec![None; figures.len()];
        let mut below = 0;
        for ties in ascending.chunk_by(|(one, _), (next, _)| one >= next) {
            let equal = ties.iter().filter(|(_, row)| is_member(*row)).count();
            for (_, row) in ties {
                if let Some(standing) = standings.get_mut(*row) {
                    *standing = Some(RankPosition { below, equal });
                }
            }
            below += equal;
        }
        Self { standings, set_size: below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_count_ties_and_leave_nan_out() {
        let figures = [3.0, f64::NAN, 1.0, 3.0, -0.0, 0.0, 2.0];
        let standing = |below, equal| Some(RankPosition { below, equal });
        let all = Ranks::from_figures(&figures, |_| true);
        let (three, zero) = (standing(4, 2), standing(0, 2));
        assert_eq!(all.standings, [three, None, standing(2, 1), three, zero, zero, standing(3, 1)]);
        assert_eq!(all.set_size, 6);
        // The last figure and the first zero are not in the set.
        let some = Ranks::from_figures(&figures, |row| row < 4 || row == 5);
        let (three, zero) = (standing(2, 2), standing(0, 1));
        assert_eq!(some.standings, [three, None, standing(1, 1), three, zero, zero, standing(2, 0)]);
        assert_eq!(some.set_size, 4);
    }
}

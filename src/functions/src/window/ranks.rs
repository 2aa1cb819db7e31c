//! Ranks among the figures of some rows, ties averaged.
//!
//! It sorts once and then counts, so that n figures cost O(n log n); it knows nothing of members, sessions or ratings.

/// Rank of each row among the counted rows.
#[derive(Debug)]
pub(super) struct Ranks {
    /// Position of each row; `None` if its figure is NaN.
    pub(super) standings: Vec<Option<RankPosition>>,
    /// Number of rows that count.
    pub(super) counted: usize,
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
    /// Ranks `figures` among those of the rows that count. The two zeros are equal.
    ///
    /// Rows are sorted with their figures: with a search for each figure among sorted ones, `rs_history` takes half as long again.
    pub(super) fn from_figures(figures: &[f64], counts: impl Fn(usize) -> bool) -> Self {
        let mut ascending: Vec<(f64, usize)> = figures.iter().copied().zip(0..).collect();
        ascending.retain(|(figure, _)| !figure.is_nan());
        ascending.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut standings = vec![None; figures.len()];
        let mut below = 0;
        for ties in ascending.chunk_by(|(one, _), (next, _)| one >= next) {
            let equal = ties.iter().filter(|(_, row)| counts(*row)).count();
            for (_, row) in ties {
                if let Some(standing) = standings.get_mut(*row) {
                    *standing = Some(RankPosition { below, equal });
                }
            }
            below += equal;
        }
        Self { standings, counted: below }
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
        assert_eq!(all.counted, 6);
        // The last figure and the first zero are not in the set.
        let some = Ranks::from_figures(&figures, |row| row < 4 || row == 5);
        let (three, zero) = (standing(2, 2), standing(0, 1));
        assert_eq!(some.standings, [three, None, standing(1, 1), three, zero, zero, standing(2, 0)]);
        assert_eq!(some.counted, 4);
    }
}

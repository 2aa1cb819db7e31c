//! Places in a set of figures, ties averaged.
//!
//! It sorts once and then looks up, so n figures cost O(n log n); it knows nothing of members, sessions or ratings.
//!
//! Invariant: NaN is never in the set.

/// A set of figures that can say how many of it lie below or at a figure.
#[derive(Debug)]
pub(super) struct Ranks {
    ascending: Vec<f64>,
}

/// Where a figure stands in a set it may or may not belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// How many of the set are smaller.
    pub(super) below: usize,
    /// How many of the set are the same.
    pub(super) equal: usize,
}

impl Ranks {
    /// The set of all `figures` that are not NaN.
    pub(super) fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut ascending: Vec<f64> = figures.filter(|figure| !figure.is_nan()).collect();
        ascending.sort_unstable_by(f64::total_cmp);
        Self { ascending }
    }

    /// How many figures the set holds.
    pub(super) fn len(&self) -> usize {
        self.ascending.len()
    }

    /// The standing of `figure`, or `None` where it is NaN. The two zeros are the same figure.
    pub(super) fn standing(&self, figure: f64) -> Option<Standing> {
        if figure.is_nan() {
            return None;
        }
        let below = self.ascending.partition_point(|other| *other < figure);
        let rest = self.ascending.get(below..).unwrap_or_default();
        // Scores hardly tie, so the end of the ties is sought only where there is one.
        let ties = rest.first().is_some_and(|next| *next <= figure);
        let equal = if ties { rest.partition_point(|other| *other <= figure) } else { 0 };
        Some(Standing { below, equal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_count_ties_and_leave_nan_out() {
        let ranks = Ranks::of([3.0, f64::NAN, 1.0, 3.0, -0.0, 0.0].into_iter());
        assert_eq!(ranks.len(), 5);
        assert_eq!(ranks.standing(3.0), Some(Standing { below: 3, equal: 2 }));
        assert_eq!(ranks.standing(0.0), Some(Standing { below: 0, equal: 2 }));
        assert_eq!(ranks.standing(2.0), Some(Standing { below: 3, equal: 0 }));
        assert_eq!(ranks.standing(f64::NAN), None);
    }
}

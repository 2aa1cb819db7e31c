//! Recursions: each figure is computed from its row and from the figure of the row before; the first figures are computed from rows alone.
//!
//! Nothing bridges a null: the weight of the rows before it is unknown, so that a recursion restarts after it. It may also continue from a
//! known figure, so that earlier rows need not be processed again.
//!
//! Invariant: from a known figure on, the figures equal those of the whole history to the last bit.

/// A recursion over rows without a null between them.
pub(super) trait Recursion {
    /// Returns the figures of the first rows of a history, NaN until its first figure.
    fn first_figures(&self, rows: &[f64]) -> Vec<f64>;

    /// Returns the figure at a row, from that at the row before.
    fn next(&self, before: f64, row_before: f64, row: f64) -> f64;
}

/// Returns the figures of a history. `known` has figures that were computed earlier, NaN at all other rows; it may be empty. The last of
/// these figures replaces the computed figure of its row.
pub(super) fn figures(x: &[f64], known: &[f64], recursion: &impl Recursion) -> Vec<f64> {
    let Some(row) = known.iter().rposition(|figure| !figure.is_nan()) else {
        return from_start(x, recursion);
    };
    let (before, later_rows) = x.split_at_checked(row + 1).unwrap_or((x, &[]));
    let mut figures = from_start(before, recursion);
    figures.truncate(row);
    let mut last = known.get(row).copied().unwrap_or(f64::NAN);
    figures.push(last);
    for (row_before, row) in x.iter().skip(row).zip(later_rows).take_while(|(_, row)| !row.is_nan()) {
        last = recursion.next(last, *row_before, *row);
        figures.push(last);
    }
    figures.extend(from_start(x.get(figures.len()..).unwrap_or_default(), recursion));
    figures
}

fn from_start(x: &[f64], recursion: &impl Recursion) -> Vec<f64> {
    let mut figures = Vec::with_capacity(x.len());
    for (index, rows) in x.split(|figure| figure.is_nan()).enumerate() {
        if index > 0 {
            figures.push(f64::NAN);
        }
        figures.extend(recursion.first_figures(rows));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Running sums, the first of them missing.
    struct Sum;

    impl Recursion for Sum {
        fn first_figures(&self, rows: &[f64]) -> Vec<f64> {
            let mut sum = 0.0;
            let mut sums: Vec<f64> = rows
                .iter()
                .map(|row| {
                    sum += row;
                    sum
                })
                .collect();
            sums.iter_mut().take(1).for_each(|first| *first = f64::NAN);
            sums
        }

        fn next(&self, before: f64, _: f64, row: f64) -> f64 {
            before + row
        }
    }

    fn text(figures: &[f64]) -> String {
        let texts: Vec<String> = figures.iter().map(f64::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn begins_anew_behind_a_null() {
        let x = [f64::NAN, 1.0, 2.0, f64::NAN, f64::NAN, 3.0, 4.0, f64::NAN];
        assert_eq!(text(&super::figures(&x, &[], &Sum)), "NaN NaN 3 NaN NaN NaN 7 NaN");
        assert_eq!(text(&super::figures(&[], &[], &Sum)), "");
    }

    #[test]
    fn goes_on_from_the_last_known_figure() {
        let x = [1.0, 2.0, 3.0, 4.0, f64::NAN, 5.0, 6.0];
        let known = |row: usize| {
            let mut known = [f64::NAN; 7];
            known[0] = 70.0;
            known[row] = 100.0;
            known
        };
        assert_eq!(text(&super::figures(&x, &known(1), &Sum)), "NaN 100 103 107 NaN NaN 11");
        assert_eq!(text(&super::figures(&x, &known(6), &Sum)), "NaN 3 6 10 NaN NaN 100");
    }
}

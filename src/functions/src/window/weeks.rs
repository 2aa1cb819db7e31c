//! Daily figures by week: the last row of each completed week, and the current week up to the row.
//!
//! It knows no formula. A row sees the weeks before its own at their ends, and its own week at the row, so that a figure of a past row
//! never changes when the week continues.

/// Computes `figure` for each row, from the last rows of the weeks before its own (oldest first) and the row itself.
///
/// Rows of one week must be neighbours; a week without rows does not count.
pub(super) fn by_week(x: &[f64], week: &[f64], figure: impl Fn(&[f64], f64) -> f64) -> Vec<f64> {
    let mut ended: Vec<f64> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    x.iter()
        .zip(week)
        .map(|(x, week)| {
            if let Some((last, last_week)) = before.replace((*x, *week))
                && last_week.total_cmp(week).is_ne()
            {
                ended.push(last);
            }
            figure(&ended, *x)
        })
        .collect()
}

/// Returns the newest `n` of `ended`, if there are that many.
pub(super) fn newest(ended: &[f64], n: usize) -> Option<&[f64]> {
    ended.get(ended.len().checked_sub(n)?..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_sees_the_ends_of_the_weeks_before_and_itself() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let week = [10.0, 10.0, 11.0, 11.0, 13.0];
        let sums = by_week(&x, &week, |ended, now| 10.0 * ended.iter().sum::<f64>() + now);
        assert_eq!(sums, [1.0, 2.0, 23.0, 24.0, 65.0]);
    }

    #[test]
    fn the_newest_are_all_or_none() {
        assert_eq!(newest(&[1.0, 2.0, 3.0], 2), Some(&[2.0, 3.0][..]));
        assert_eq!(newest(&[1.0], 2), None);
    }
}

//! Daily figures by week: each completed week is represented by its last row, the current week by the row itself.
//!
//! The figure of a row uses the last rows of earlier weeks and the row itself, so that it never changes when the week continues.

/// Computes `figure` for each row, from the last rows of all earlier weeks, oldest first, and from the row itself.
///
/// Rows of one week must be neighbours; a week without rows does not count.
pub(super) fn by_week(x: &[f64], week: &[f64], figure: impl Fn(&[f64], f64) -> f64) -> Vec<f64> {
    let mut ended_weeks: Vec<f64> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    x.iter()
        .zip(week)
        .map(|(x, week)| {
            if let Some((last, last_week)) = before.replace((*x, *week))
                && last_week.total_cmp(week).is_ne()
            {
                ended_weeks.push(last);
            }
            figure(&ended_weeks, *x)
        })
        .collect()
}

/// Returns the figures of the newest `n` weeks; `None` if there are fewer.
pub(super) fn newest_weeks(weeks: &[f64], n: usize) -> Option<&[f64]> {
    weeks.get(weeks.len().checked_sub(n)?..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_sees_the_ends_of_the_weeks_before_and_itself() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let week = [10.0, 10.0, 11.0, 11.0, 13.0];
        let sums = by_week(&x, &week, |ended_weeks, now| 10.0 * ended_weeks.iter().sum::<f64>() + now);
        assert_eq!(sums, [1.0, 2.0, 23.0, 24.0, 65.0]);
    }

    #[test]
    fn the_newest_are_all_or_none() {
        assert_eq!(newest_weeks(&[1.0, 2.0, 3.0], 2), Some(&[2.0, 3.0][..]));
        assert_eq!(newest_weeks(&[1.0], 2), None);
    }
}

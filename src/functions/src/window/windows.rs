//! Folds over the last n rows, at a constant cost per row, without the drift of a running sum.
//!
//! The rows are cut into blocks from the start of the partition (after van Herk 1992; Gil and Werman 1993). A window covers the end of one
//! block, whole blocks, and the beginning of another: a fold from the right over the first, one from the left over the last, combined once
//! per row. No state outlives the window, so that an error or a missing figure has no effect after it leaves.
//!
//! Blocks restart at fixed rows: the length of a block is a power of two, at most [`FIXED_ROWS`]. A history that lacks its first rows has
//! the same blocks if the number of these rows is a multiple of [`FIXED_ROWS`].
//!
//! Invariant: a value depends only on the figures in its window, and the order of its additions only on the position of the window among
//! the blocks. A longer history with the same start gives the same bits, and so does a history whose start is cut off at a fixed row.

/// Number of rows after which the blocks of every window restart.
pub const FIXED_ROWS: usize = 64;

/// Computes `combine` over each row and the `n - 1` before it, or over all rows if there are fewer.
///
/// `combine` must be associative up to rounding and give NaN if either side is NaN.
pub(super) fn fold_windows(x: &[f64], n: usize, combine: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let length = block_length(n);
    // Folds of each block up to a row, and from a row to the block's end.
    let mut heads = Vec::with_capacity(x.len());
    let mut tails = Vec::with_capacity(x.len());
    for block in x.chunks(length) {
        let mut head = None;
        heads.extend(block.iter().map(|figure| {
            let fold = head.map_or(*figure, |head| combine(head, *figure));
            *head.insert(fold)
        }));
        let mut younger = None;
        tails.extend(block.iter().rev().map(|figure| {
            let fold = younger.map_or(*figure, |younger| combine(*figure, younger));
            *younger.insert(fold)
        }));
        if let Some(added) = tails.len().checked_sub(block.len()).and_then(|first| tails.get_mut(first..)) {
            added.reverse();
        }
    }
    let block_folds: Vec<f64> = heads.chunks(length).filter_map(|block| block.last().copied()).collect();
    let mut blocks = (0, 0);
    let mut between = None;
    let fold = |(row, head): (usize, &f64)| {
        let first = (row + 1).saturating_sub(n);
        let (oldest, newest) = (first / length, row / length);
        if oldest == newest {
            // No window is shorter than a block, so that a window inside one block starts with it.
            return *head;
        }
        if blocks != (oldest, newest) {
            blocks = (oldest, newest);
            between =
                block_folds.get(oldest + 1..newest).unwrap_or_default().iter().copied().reduce(&combine);
        }
        let older = tails.get(first).copied().unwrap_or(f64::NAN);
        combine(between.map_or(older, |between| combine(older, between)), *head)
    };
    heads.iter().enumerate().map(fold).collect()
}

/// Returns the block length for windows of `n` rows: the largest power of two up to both `n` and `FIXED_ROWS`.
fn block_length(n: usize) -> usize {
    1 << n.clamp(1, FIXED_ROWS).ilog2()
}

/// Returns the mean of each row and the `n - 1` before it; NaN before there are `n`.
///
/// The mean of a window with one constant value is that value to the last bit: a flat price is neither above nor below its average.
pub(super) fn means(x: &[f64], n: usize) -> Vec<f64> {
    let mut means = fold_windows(x, n, |older, younger| older + younger);
    let length = n as f64;
    let mut before = f64::NAN;
    let mut run = 0;
    for (row, (mean, figure)) in means.iter_mut().zip(x).enumerate() {
        run = if figure.total_cmp(&before).is_eq() { run + 1 } else { 1 };
        before = *figure;
        *mean = if row + 1 < n {
            f64::NAN
        } else if run >= n {
            *figure
        } else {
            *mean / length
        };
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_cover_the_last_n_rows_or_all_there_are() {
        let x = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let sums = |n| fold_windows(&x, n, |a, b| a + b);
        assert_eq!(sums(1), x);
        assert_eq!(sums(3), [1.0, 3.0, 7.0, 14.0, 28.0, 56.0, 112.0]);
        assert_eq!(sums(7), [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0]);
        assert_eq!(sums(usize::MAX), [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0]);
        assert!(fold_windows(&[], 3, |a, b| a + b).is_empty());
    }

    #[test]
    fn folds_are_those_of_each_window_taken_by_itself() {
        let x: Vec<f64> = (0..700_i32).map(|i| f64::from(i * 7919 % 613)).collect();
        for n in [1, 2, 3, 10, 50, 63, 64, 65, 127, 128, 200, 252, 600, 1000] {
            let by_itself = |row: usize| x[(row + 1).saturating_sub(n)..=row].iter().sum::<f64>();
            let expected: Vec<f64> = (0..x.len()).map(by_itself).collect();
            assert_eq!(fold_windows(&x, n, |a, b| a + b), expected, "{n}");
        }
    }

    #[test]
    fn a_history_cut_at_a_fixed_row_keeps_every_bit() {
        let history: Vec<f64> = (0..700_i32).map(|i| 100.0 + f64::from(i * 7919 % 613) / 7.0).collect();
        for n in [1, 7, 10, 20, 50, 150, 200, 252] {
            let all_means = means(&history, n);
            for cut in [FIXED_ROWS, 5 * FIXED_ROWS] {
                let end_means = means(&history[cut..], n);
                let same = |row: usize| end_means[row - cut].to_bits() == all_means[row].to_bits();
                assert!((cut + n..history.len()).all(same), "{n} rows from {cut}");
            }
        }
    }

    #[test]
    fn a_missing_figure_spoils_the_windows_that_hold_it_and_no_other() {
        let sums = fold_windows(&[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0, 7.0], 3, |a, b| a + b);
        let missing: Vec<bool> = sums.iter().map(|sum| sum.is_nan()).collect();
        assert_eq!(missing, [false, false, true, true, true, false, false]);
        assert_eq!(sums[5..], [15.0, 18.0]);
    }

    #[test]
    fn a_huge_figure_leaves_no_error_behind() {
        let means = means(&[0.25, 1e17, 0.25, 0.75, 0.5, 1.0], 2);
        assert_eq!(means[3..], [0.5, 0.625, 0.75]);
    }

    #[test]
    fn a_flat_window_has_its_value_as_mean() {
        // Ten times 0.1, added one by one, is 0.9999999999999999.
        assert_eq!(means(&[0.1; 12], 10)[9..], [0.1, 0.1, 0.1]);
    }

    #[test]
    fn a_longer_history_keeps_every_bit() {
        let history: Vec<f64> = (0..500_i32).map(|i| 100.0 + f64::from(i * 7919 % 613) / 7.0).collect();
        for n in [1, 7, 50, 200] {
            let all_means = means(&history, n);
            for rows in [1, 49, 50, 51, 333] {
                let first_means = means(&history[..rows], n);
                assert!(first_means.iter().zip(&all_means).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
        }
    }
}

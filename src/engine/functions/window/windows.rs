//! Folds over the last n rows, at a constant cost a row, without the drift of a running sum.
//!
//! The rows are cut into blocks of n from the start of the partition on (van Herk 1992; Gil and Werman 1993). A window
//! then covers the end of one block and the beginning of the next: one fold from the right over the older block, one
//! from the left over the younger, combined once a row. It holds no state that outlives two blocks, so an error or a
//! missing figure is forgotten as soon as it leaves the window.
//!
//! Invariant: a value is made of the figures in its window alone, and the order of its additions depends only on the
//! row's distance from the partition's start; a longer history with the same start gives the same bits.

/// `combine` over each row and the `n - 1` before it, or over all rows there are when these are fewer.
///
/// `combine` must be associative up to rounding and give NaN when either side is NaN.
pub(super) fn fold_windows(x: &[f64], n: usize, combine: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut folds = Vec::with_capacity(x.len());
    // Folds of the block before, each from that row to the block's end; none before the first block.
    let mut tails: Vec<f64> = Vec::with_capacity(n.min(x.len()));
    for block in x.chunks(n.max(1)) {
        let older = tails.iter().skip(1).map(|tail| Some(*tail)).chain(std::iter::repeat(None));
        let mut head = None;
        for (figure, tail) in block.iter().zip(older) {
            let fold = head.map_or(*figure, |head| combine(head, *figure));
            head = Some(fold);
            folds.push(tail.map_or(fold, |tail| combine(tail, fold)));
        }
        tails.clear();
        tails.extend_from_slice(block);
        let mut younger = None;
        for tail in tails.iter_mut().rev() {
            *tail = younger.map_or(*tail, |younger| combine(*tail, younger));
            younger = Some(*tail);
        }
    }
    folds
}

/// The mean of each row and the `n - 1` before it; NaN before there are `n`.
///
/// The mean of a window that holds one value throughout is that value to the last bit: a flat price is neither above
/// nor below its own average.
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
        let long: Vec<f64> = (0..500_i32).map(|i| 100.0 + f64::from(i * 7919 % 613) / 7.0).collect();
        for n in [1, 7, 50, 200] {
            let of_long = means(&long, n);
            for rows in [1, 49, 50, 51, 333] {
                let of_short = means(&long[..rows], n);
                assert!(of_short.iter().zip(&of_long).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
        }
    }
}

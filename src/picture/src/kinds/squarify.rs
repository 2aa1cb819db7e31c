//! Squarified treemaps: cuts a rectangle into rectangles of given areas, each as close to a square as possible.
//!
//! Algorithm of Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000). Sizes must come largest first, and none may be so small relative
//! to the largest that rounding loses its area.

use crate::shape::Area;

/// Returns one rectangle per size, in proportion to it; together they fill the area.
pub(super) fn squarify(sizes: &[f64], area: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let unit = area.width() * area.height() / total;
    let areas: Vec<f64> = sizes.iter().map(|size| size * unit).collect();
    let mut left = area;
    let mut rest = areas.as_slice();
    let mut placed = Vec::with_capacity(sizes.len());
    while !rest.is_empty() {
        let side = left.width().min(left.height());
        let count = (1..rest.len())
            .find(|count| worst_aspect_ratio(rest, *count, side) < worst_aspect_ratio(rest, count + 1, side))
            .unwrap_or(rest.len());
        let (row, later) = rest.split_at(count);
        left = place_row(row, left, &mut placed);
        rest = later;
    }
    placed
}

/// Returns the worst aspect ratio of the first `count` areas, placed along `side`.
fn worst_aspect_ratio(areas: &[f64], count: usize, side: f64) -> f64 {
    let row = areas.get(..count).unwrap_or(areas);
    let sum: f64 = row.iter().sum();
    let ratio = |area: f64| (side * side * area / (sum * sum)).max(sum * sum / (side * side * area));
    // Areas come largest first, so the worst is at one end.
    [row.first(), row.last()].into_iter().flatten().map(|area| ratio(*area)).fold(0.0, f64::max)
}

/// Places a row along the shorter side, and returns the rest of the area.
fn place_row(row: &[f64], area: Area, placed: &mut Vec<Area>) -> Area {
    let sum: f64 = row.iter().sum();
    let is_wide = area.width() >= area.height();
    let depth = if is_wide { sum / area.height() } else { sum / area.width() };
    let mut at = if is_wide { area.top } else { area.left };
    for size in row {
        let next = at + size / depth;
        placed.push(if is_wide {
            Area { left: area.left, top: at, right: area.left + depth, bottom: next }
        } else {
            Area { left: at, top: area.top, right: next, bottom: area.top + depth }
        });
        at = next;
    }
    if is_wide { Area { left: area.left + depth, ..area } } else { Area { top: area.top + depth, ..area } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Area = Area { left: 0.0, top: 0.0, right: 6.0, bottom: 4.0 };

    /// The example of the paper: sizes 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4, with the aspect ratios of its figure.
    #[test]
    fn the_published_example_comes_out() {
        let placed = squarify(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], PAPER);
        let shown: Vec<String> = placed
            .iter()
            .map(|a| format!("{:.2} {:.2} {:.2}x{:.2}", a.left, a.top, a.width(), a.height()))
            .collect();
        assert_eq!(
            shown,
            [
                "0.00 0.00 3.00x2.00", "0.00 2.00 3.00x2.00", "3.00 0.00 1.71x2.33", "4.71 0.00 1.29x2.33",
                "3.00 2.33 1.20x1.67", "4.20 2.33 1.20x1.67", "5.40 2.33 0.60x1.67",
            ]
        );
        let ratio = |a: &Area| (a.width() / a.height()).max(a.height() / a.width());
        let ratios: Vec<f64> = placed.iter().map(ratio).collect();
        let published =
            [3.0 / 2.0, 3.0 / 2.0, 49.0 / 36.0, 49.0 / 27.0, 25.0 / 18.0, 25.0 / 18.0, 25.0 / 9.0];
        assert!(ratios.iter().zip(published).all(|(a, b)| (a - b).abs() < 1e-9), "{ratios:?}");
    }

    #[test]
    fn areas_fill_the_rectangle_and_keep_their_proportions() {
        for sizes in [vec![1.0], vec![5.0; 40], (1..300).rev().map(f64::from).collect(), vec![1e6, 1.0, 1.0]]
        {
            let total: f64 = sizes.iter().sum();
            let placed = squarify(&sizes, PAPER);
            assert_eq!(placed.len(), sizes.len());
            for (size, area) in sizes.iter().zip(&placed) {
                assert!((area.width() * area.height() - size / total * 24.0).abs() < 1e-6);
                assert!(area.left >= -1e-9 && area.right <= 6.0 + 1e-6 && area.bottom <= 4.0 + 1e-6);
            }
        }
        assert!(squarify(&[], PAPER).is_empty());
    }
}

//! Placement of labels without overlap.
//!
//! Along a line, labels are pushed apart as little as possible; on a plane, each takes the first free position around its point. A label
//! without a free position is left out: the table next to the picture has it.

use super::shape::Area;

/// Places labels along an axis: as near to `wanted` as possible, at least `gap` apart, within `low` and `high`. If there is no room for
/// all, the last ones are `None`.
pub(super) fn place_labels(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<Option<f64>> {
    let room = ((high - low) / gap + 1e-9).floor() + 1.0;
    let count = wanted.len().min(room.max(0.0) as usize);
    let mut order: Vec<(usize, f64)> = wanted.iter().copied().enumerate().take(count).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Labels that touch move as one block around the mean of their wanted positions, so that none moves farther than necessary.
    let mut blocks: Vec<(f64, Vec<usize>)> = Vec::new();
    for (at, position) in order {
        let mut block = (position, vec![at]);
        while let Some((before, members)) = blocks.pop_if(|before| {
            let reach = gap * (before.1.len() + block.1.len()) as f64 / 2.0;
            block_middle(block.0, &block.1, gap, low, high)
                - block_middle(before.0, &before.1, gap, low, high)
                < reach
        }) {
            let (a, b) = (members.len() as f64, block.1.len() as f64);
            let merged = members.into_iter().chain(block.1).collect();
            block = ((before * a + block.0 * b) / (a + b), merged);
        }
        blocks.push(block);
    }
    let mut positions = vec![None; wanted.len()];
    for (mean, members) in blocks {
        let first = block_middle(mean, &members, gap, low, high) - gap * (members.len() as f64 - 1.0) / 2.0;
        for (nth, at) in members.into_iter().enumerate() {
            if let Some(position) = positions.get_mut(at) {
                *position = Some(first + gap * nth as f64);
            }
        }
    }
    positions
}

/// Returns the middle of a block that wants to be at `mean`, clamped to the bounds.
fn block_middle(mean: f64, members: &[usize], gap: f64, low: f64, high: f64) -> f64 {
    let half = gap * (members.len() as f64 - 1.0) / 2.0;
    mean.min(high - half).max(low + half)
}

/// Position of a label on a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlacedLabel {
    pub area: Area,
    /// True if the label is so far from its point that a line must connect them.
    pub is_far: bool,
}

/// Returns the nearest free position of a label around `point`: within `bounds`, and over no area of `taken`; `None` if there is none.
pub(super) fn place_beside(
    point: (f64, f64),
    size: (f64, f64),
    bounds: &Area,
    taken: &[Area],
) -> Option<PlacedLabel> {
    // Right, left, above, below, then the corners.
    const DIRECTIONS: [(f64, f64); 8] = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, -1.0),
        (0.0, 1.0),
        (0.8, -0.8),
        (0.8, 0.8),
        (-0.8, -0.8),
        (-0.8, 0.8),
    ];
    const NEAR_DISTANCE: f64 = 9.0;
    let (width, height) = size;
    [NEAR_DISTANCE, 16.0, 26.0, 38.0, 52.0].into_iter().find_map(|far| {
        DIRECTIONS.into_iter().find_map(|(right, down)| {
            let x = point.0 + right * (far + width / 2.0);
            let y = point.1 + down * (far + height / 2.0);
            let area = Area {
                left: x - width / 2.0,
                top: y - height / 2.0,
                right: x + width / 2.0,
                bottom: y + height / 2.0,
            };
            let is_inside = area.left >= bounds.left
                && area.right <= bounds.right
                && area.top >= bounds.top
                && area.bottom <= bounds.bottom;
            let is_free = is_inside && !taken.iter().any(|other| other.overlaps(&area));
            is_free.then_some(PlacedLabel { area, is_far: far > NEAR_DISTANCE })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_where_they_want_to_be() {
        assert_eq!(place_labels(&[30.0, 10.0], 10.0, 0.0, 100.0), [Some(30.0), Some(10.0)]);
    }

    #[test]
    fn labels_that_touch_move_apart_by_halves() {
        assert_eq!(place_labels(&[50.0, 52.0], 10.0, 0.0, 100.0), [Some(46.0), Some(56.0)]);
        assert_eq!(place_labels(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [Some(40.0), Some(50.0), Some(60.0)]);
        assert_eq!(place_labels(&[2.0, 1.0], 10.0, 0.0, 100.0), [Some(10.0), Some(0.0)]);
        assert_eq!(
            place_labels(&[99.0, 100.0, 95.0], 10.0, 0.0, 100.0),
            [Some(90.0), Some(100.0), Some(80.0)]
        );
    }

    #[test]
    fn more_than_fit_are_left_out() {
        assert_eq!(place_labels(&[5.0, 5.0, 5.0], 10.0, 0.0, 10.0), [Some(0.0), Some(10.0), None]);
        assert_eq!(place_labels(&[5.0], 10.0, 0.0, -20.0), [None]);
        assert!(place_labels(&[], 10.0, 0.0, 10.0).is_empty());
    }

    #[test]
    fn a_label_takes_the_first_free_place() {
        let bounds = Area { left: 0.0, top: 0.0, right: 200.0, bottom: 200.0 };
        let first = place_beside((100.0, 100.0), (40.0, 10.0), &bounds, &[]).expect("room");
        assert_eq!(first.area, Area { left: 109.0, top: 95.0, right: 149.0, bottom: 105.0 });
        let second = place_beside((100.0, 100.0), (40.0, 10.0), &bounds, &[first.area]).expect("room");
        assert!(second.area.right <= 91.0 && !second.is_far);
        assert_eq!(place_beside((100.0, 100.0), (300.0, 10.0), &bounds, &[]), None);
    }
}

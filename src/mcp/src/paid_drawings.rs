//! Charts that callers paid for recently. A page in a chat redraws, as SVG and in its host's theme, the chart just drawn for the model;
//! that is free.
//!
//! The record is in memory only: behind several servers, or after a restart, a redraw may be charged.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time within which a page may redraw for free.
const KEPT: Duration = Duration::from_mins(10);
/// Free redraws: one in either theme, and one when a host shows the page again.
const AGAIN: u8 = 3;
/// Most recorded drawings; the oldest are dropped first.
const MOST: usize = 1_024;

/// Charts that callers paid for.
#[derive(Debug, Default)]
pub(super) struct PaidDrawings(Mutex<VecDeque<PaidDrawing>>);

#[derive(Debug)]
struct PaidDrawing {
    /// Key of the drawing: owner and content.
    of: String,
    at: Instant,
    again: u8,
}

impl PaidDrawings {
    /// Records a paid drawing.
    pub(super) fn keep(&self, of: String, at: Instant) {
        self.with(at, |drawings| {
            drawings.retain(|known| known.of != of);
            drawings.truncate(MOST - 1);
            drawings.push_front(PaidDrawing { of, at, again: AGAIN });
        });
    }

    /// Returns true if a drawing may be redrawn for free, and counts the redraw.
    pub(super) fn draws_again(&self, of: &str, at: Instant) -> bool {
        self.with(at, |drawings| {
            let drawing = drawings.iter_mut().find(|known| known.of == of && known.again > 0);
            drawing.map(|drawing| drawing.again -= 1).is_some()
        })
    }

    fn with<T>(&self, at: Instant, change: impl FnOnce(&mut VecDeque<PaidDrawing>) -> T) -> T {
        let mut drawings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drawings.retain(|known| at.saturating_duration_since(known.at) < KEPT);
        change(&mut drawings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_paid_is_drawn_again_a_few_times_and_for_a_while() {
        let (drawings, now) = (PaidDrawings::default(), Instant::now());
        drawings.keep("a".to_owned(), now);
        assert!(!drawings.draws_again("b", now));
        let times = (0..5).filter(|_| drawings.draws_again("a", now)).count();
        assert_eq!(times, usize::from(AGAIN));
        drawings.keep("a".to_owned(), now);
        assert!(!drawings.draws_again("a", now + KEPT));
        for number in 0..2 * MOST {
            drawings.keep(number.to_string(), now);
        }
        assert!(!drawings.draws_again("0", now) && drawings.draws_again("2000", now));
        assert_eq!(drawings.0.lock().unwrap().len(), MOST);
    }
}

//! Charts that callers paid for recently. After the model received a chart, a page in the chat draws it again as SVG in the host's theme;
//! this second drawing is free.
//!
//! The record is in memory only: behind several servers, or after a restart, a redraw may be charged.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time within which a page may redraw for free.
const REDRAW_TIME: Duration = Duration::from_mins(10);
/// Free redraws: one in either theme, and one when a host shows the page again.
const FREE_REDRAWS: u8 = 3;
/// Most recorded drawings; the oldest are dropped first.
const MOST_DRAWINGS: usize = 1_024;

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
        self.change_current(at, |drawings| {
            drawings.retain(|known| known.of != of);
            drawings.truncate(MOST_DRAWINGS - 1);
            drawings.push_front(PaidDrawing { of, at, again: FREE_REDRAWS });
        });
    }

    /// Returns true if a drawing may be redrawn for free, and counts the redraw.
    pub(super) fn draws_again(&self, of: &str, at: Instant) -> bool {
        self.change_current(at, |drawings| {
            let drawing = drawings.iter_mut().find(|known| known.of == of && known.again > 0);
            drawing.map(|drawing| drawing.again -= 1).is_some()
        })
    }

    fn change_current<T>(&self, at: Instant, change: impl FnOnce(&mut VecDeque<PaidDrawing>) -> T) -> T {
        let mut drawings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drawings.retain(|known| at.saturating_duration_since(known.at) < REDRAW_TIME);
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
        assert_eq!(times, usize::from(FREE_REDRAWS));
        drawings.keep("a".to_owned(), now);
        assert!(!drawings.draws_again("a", now + REDRAW_TIME));
        for number in 0..2 * MOST_DRAWINGS {
            drawings.keep(number.to_string(), now);
        }
        assert!(!drawings.draws_again("0", now) && drawings.draws_again("2000", now));
        assert_eq!(drawings.0.lock().unwrap().len(), MOST_DRAWINGS);
    }
}

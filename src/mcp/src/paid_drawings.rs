//! Charts that callers paid for recently. After the model received a chart, a page in the chat draws it again as SVG in the host's theme;
//! this second drawing is free.
//!
//! The record is in memory only: behind several servers, or after a restart, a redraw may be charged.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time within which a page may redraw for free.
const REDRAW_TIME: Duration = Duration::from_mins(10);
/// Number of free redraws: one in each theme, and one when a host shows the page again.
const FREE_REDRAWS: u8 = 3;
/// Most recorded drawings; the oldest are dropped first.
const MOST_DRAWINGS: usize = 1_024;

/// Charts that callers paid for.
#[derive(Debug, Default)]
pub(super) struct PaidDrawings(Mutex<VecDeque<PaidDrawing>>);

#[derive(Debug)]
struct PaidDrawing {
    /// Owner and content of the drawing.
    key: String,
    drawn_at: Instant,
    redraws_left: u8,
}

impl PaidDrawings {
    /// Records a paid drawing.
    pub(super) fn record(&self, key: String, now: Instant) {
        self.change_current(now, |drawings| {
            drawings.retain(|drawing| drawing.key != key);
            drawings.truncate(MOST_DRAWINGS - 1);
            drawings.push_front(PaidDrawing { key, drawn_at: now, redraws_left: FREE_REDRAWS });
        });
    }

    /// Returns true if a drawing may be redrawn for free, and counts the redraw.
    pub(super) fn use_free_redraw(&self, key: &str, now: Instant) -> bool {
        self.change_current(now, |drawings| {
            let drawing = drawings.iter_mut().find(|drawing| drawing.key == key && drawing.redraws_left > 0);
            drawing.map(|drawing| drawing.redraws_left -= 1).is_some()
        })
    }

    fn change_current<T>(&self, now: Instant, change: impl FnOnce(&mut VecDeque<PaidDrawing>) -> T) -> T {
        let mut drawings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drawings.retain(|drawing| now.saturating_duration_since(drawing.drawn_at) < REDRAW_TIME);
        change(&mut drawings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_paid_is_drawn_again_a_few_times_and_for_a_while() {
        let (drawings, now) = (PaidDrawings::default(), Instant::now());
        drawings.record("a".to_owned(), now);
        assert!(!drawings.use_free_redraw("b", now));
        let times = (0..5).filter(|_| drawings.use_free_redraw("a", now)).count();
        assert_eq!(times, usize::from(FREE_REDRAWS));
        drawings.record("a".to_owned(), now);
        assert!(!drawings.use_free_redraw("a", now + REDRAW_TIME));
        for number in 0..2 * MOST_DRAWINGS {
            drawings.record(number.to_string(), now);
        }
        assert!(!drawings.use_free_redraw("0", now) && drawings.use_free_redraw("2000", now));
        assert_eq!(drawings.0.lock().unwrap().len(), MOST_DRAWINGS);
    }
}

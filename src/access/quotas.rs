//! How often each key called, in its present day and hour. Counting is exact: a request takes its cost from both windows
//! in one step under the lock of its key's shard, or takes nothing; what proves free is given back.
//!
//! The file has the counts of all servers; here is what it said last, and what was counted since.

use dashmap::DashMap;

use super::clock::Window;
use crate::operation::Quota;
use crate::state::{Counted, CounterDelta};

/// Counters by the number of their key.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    counters: DashMap<i64, Counter>,
}

/// Which window has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullWindow {
    Day,
    Hour,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counter {
    day: i64,
    day_used: u32,
    hour: i64,
    hour_used: u32,
    /// What the file does not have yet, of the same windows.
    pending: Pending,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pending {
    day: i64,
    hour: i64,
    total: i64,
    /// When it was last used; 0 if the file has everything.
    touched_at: i64,
}

impl Quotas {
    /// Takes a cost from both windows, or nothing. What is left comes back.
    pub(super) fn take(&self, key: i64, quota: Quota, cost: u32, at: i64) -> Result<Quota, FullWindow> {
        let mut counter = self.counters.entry(key).or_default();
        counter.turn(Window::of(at));
        if counter.day_used.saturating_add(cost) > quota.day {
            return Err(FullWindow::Day);
        }
        if counter.hour_used.saturating_add(cost) > quota.hour {
            return Err(FullWindow::Hour);
        }
        counter.day_used += cost;
        counter.hour_used += cost;
        counter.note(i64::from(cost), i64::from(cost), i64::from(cost), at);
        Ok(counter.left(quota))
    }

    /// Gives a cost back to the windows it was taken from at that moment, as far as they are still the present ones.
    pub(super) fn give_back(&self, key: i64, cost: u32, taken_at: i64) {
        let mut counter = self.counters.entry(key).or_default();
        let window = Window::of(taken_at);
        let day = if counter.day == window.day { cost.min(counter.day_used) } else { 0 };
        let hour = if counter.hour == window.hour { cost.min(counter.hour_used) } else { 0 };
        counter.day_used -= day;
        counter.hour_used -= hour;
        counter.note(-i64::from(day), -i64::from(hour), -i64::from(cost), taken_at);
    }

    /// What is left of a key's allowance.
    pub(super) fn left(&self, key: i64, quota: Quota, at: i64) -> Quota {
        let Some(counter) = self.counters.get(&key) else { return quota };
        let mut counter = *counter;
        counter.turn(Window::of(at));
        counter.left(quota)
    }

    /// Takes what the file does not have yet, as of now: what was used in a window that is over is no part of the present one,
    /// and an old window that came late would take the file back to it, with the counts of other servers.
    pub(super) fn pending(&self, at: i64) -> Vec<CounterDelta> {
        let mut deltas = Vec::new();
        for mut entry in self.counters.iter_mut().filter(|entry| entry.pending.touched_at != 0) {
            entry.turn(Window::of(at));
            let pending = std::mem::take(&mut entry.pending);
            deltas.push(CounterDelta {
                key_id: *entry.key(),
                day: entry.day,
                day_used: pending.day,
                hour: entry.hour,
                hour_used: pending.hour,
                total: pending.total,
                last_used_at: pending.touched_at,
            });
        }
        deltas
    }

    /// Puts back what could not be written.
    pub(super) fn put_back(&self, deltas: &[CounterDelta]) {
        for delta in deltas {
            let mut counter = self.counters.entry(delta.key_id).or_default();
            let day = if counter.day == delta.day { delta.day_used } else { 0 };
            let hour = if counter.hour == delta.hour { delta.hour_used } else { 0 };
            let touched_at = counter.pending.touched_at.max(delta.last_used_at);
            counter.note(day, hour, delta.total, touched_at);
        }
    }

    /// Follows what the file says: its count, and on top what it does not have yet. What the file says of a window before the
    /// present one is old, however far back that lies: only a clock turns a window back, never another server's count.
    pub(super) fn follow(&self, stand: impl IntoIterator<Item = Counted>) {
        for stored in stand {
            let mut counter = self.counters.entry(stored.key_id).or_default();
            let (day, hour) = (stored.day.max(counter.day), stored.hour.max(counter.hour));
            counter.turn(Window { day, hour });
            if counter.day == stored.day {
                counter.day_used = clamp(stored.day_used + counter.pending.day);
            }
            if counter.hour == stored.hour {
                counter.hour_used = clamp(stored.hour_used + counter.pending.hour);
            }
        }
    }
}

impl Counter {
    /// Begins new windows. One that lies further back than the last is a corrected clock: counting goes on there, or
    /// else a wrong date would shut a key out for as long.
    fn turn(&mut self, now: Window) {
        if now.day > self.day || now.day < self.day - 1 {
            (self.day, self.day_used, self.pending.day) = (now.day, 0, 0);
        }
        if now.hour > self.hour || now.hour < self.hour - 1 {
            (self.hour, self.hour_used, self.pending.hour) = (now.hour, 0, 0);
        }
    }

    fn note(&mut self, day: i64, hour: i64, total: i64, at: i64) {
        self.pending.day += day;
        self.pending.hour += hour;
        self.pending.total += total;
        self.pending.touched_at = self.pending.touched_at.max(at);
    }

    fn left(&self, quota: Quota) -> Quota {
        Quota {
            day: quota.day.saturating_sub(self.day_used),
            hour: quota.hour.saturating_sub(self.hour_used),
        }
    }
}

fn clamp(used: i64) -> u32 {
    u32::try_from(used.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::clock::NOON;
    use super::*;

    const QUOTA: Quota = Quota { day: 50, hour: 10 };

    fn left(day: u32, hour: u32) -> Quota {
        Quota { day, hour }
    }

    #[test]
    fn both_windows_are_taken_from_or_neither() {
        let quotas = Quotas::default();
        assert_eq!(quotas.take(1, QUOTA, 7, NOON), Ok(left(43, 3)));
        assert_eq!(quotas.take(1, QUOTA, 4, NOON), Err(FullWindow::Hour));
        assert_eq!(quotas.take(1, QUOTA, 3, NOON), Ok(left(40, 0)));
        assert_eq!(quotas.take(1, QUOTA, 0, NOON), Ok(left(40, 0)));
        assert_eq!(quotas.take(2, QUOTA, 51, NOON), Err(FullWindow::Day));
        assert_eq!(quotas.left(1, QUOTA, NOON + 3_599), left(40, 0));
        // The next hour is fresh, the day goes on; midnight makes both fresh.
        assert_eq!(quotas.left(1, QUOTA, NOON + 3_600), left(40, 10));
        assert_eq!(quotas.take(1, QUOTA, 1, NOON + 3_600), Ok(left(39, 9)));
        assert_eq!(quotas.left(1, QUOTA, NOON + 43_199), left(39, 10));
        assert_eq!(quotas.left(1, QUOTA, NOON + 43_200), left(50, 10));
    }

    #[test]
    fn what_was_taken_before_the_hour_is_not_given_back_to_the_next() {
        let quotas = Quotas::default();
        quotas.take(1, QUOTA, 1, NOON - 1).unwrap();
        quotas.take(1, QUOTA, 1, NOON).unwrap();
        quotas.give_back(1, 1, NOON - 1);
        assert_eq!(quotas.left(1, QUOTA, NOON), left(49, 9));
        quotas.give_back(1, 1, NOON);
        assert_eq!(quotas.left(1, QUOTA, NOON), left(50, 10));
    }

    #[test]
    fn a_clock_that_steps_back_a_little_gives_nothing_and_a_lot_begins_anew() {
        let quotas = Quotas::default();
        quotas.take(1, QUOTA, 5, NOON).unwrap();
        assert_eq!(quotas.left(1, QUOTA, NOON - 10), left(45, 5));
        assert_eq!(quotas.left(1, QUOTA, NOON - 86_400 * 400), left(50, 10));
    }

    #[test]
    fn a_thousand_at_once_on_fifty_are_fifty() {
        let quotas = Quotas::default();
        let taken = AtomicU32::new(0);
        let quota = left(50, 1_000);
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| {
                    let got = (0..100).filter(|_| quotas.take(1, quota, 1, NOON).is_ok()).count();
                    taken.fetch_add(got as u32, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(taken.into_inner(), 50);
        assert_eq!(quotas.left(1, quota, NOON), left(0, 950));
    }

    #[test]
    fn the_file_is_followed_and_gets_each_count_once() {
        let quotas = Quotas::default();
        quotas.take(1, QUOTA, 2, NOON).unwrap();
        let deltas = quotas.pending(NOON);
        assert_eq!((deltas[0].day_used, deltas[0].hour_used, deltas[0].total), (2, 2, 2));
        assert_eq!(quotas.pending(NOON), []);
        // Another server counted 5; here one more was taken while the file was written.
        quotas.take(1, QUOTA, 1, NOON).unwrap();
        let Window { day, hour } = Window::of(NOON);
        let counted = Counted { key_id: 1, day, day_used: 7, hour, hour_used: 7 };
        quotas.follow([counted]);
        assert_eq!(quotas.left(1, QUOTA, NOON), left(42, 2));
        // A write that failed is tried again with what came since.
        let lost = quotas.pending(NOON);
        quotas.put_back(&lost);
        quotas.take(1, QUOTA, 1, NOON).unwrap();
        assert_eq!(quotas.pending(NOON)[0].day_used, 2);
    }

    #[test]
    fn an_old_row_of_the_file_turns_no_window_back() {
        let quotas = Quotas::default();
        quotas.take(1, QUOTA, 5, NOON).unwrap();
        let now = Window::of(NOON);
        for (days, hours) in [(0, 1), (0, 2), (1, 5), (2, 48), (400, 9_600)] {
            let (day, hour) = (now.day - days, now.hour - hours);
            quotas.follow([Counted { key_id: 1, day, day_used: 9, hour, hour_used: 9 }]);
            // Of the same day the file's count holds, and what it does not have yet comes on top: 50 - 9 - 5.
            assert_eq!(quotas.left(1, QUOTA, NOON), left(36, 5), "{days} days, {hours} hours");
        }
        assert_eq!(quotas.pending(NOON)[0].day_used, 5);
    }

    #[test]
    fn what_is_written_late_is_of_the_present_window() {
        let quotas = Quotas::default();
        quotas.take(1, QUOTA, 5, NOON).unwrap();
        // The file could not be written for three hours.
        let late = quotas.pending(NOON + 3 * 3_600)[0];
        let now = Window::of(NOON + 3 * 3_600);
        assert_eq!((late.day, late.day_used, late.hour, late.hour_used), (now.day, 5, now.hour, 0));
        assert_eq!(late.total, 5);
    }
}

//! Calls of each key by operation since the last write. These are statistics for owners; no limit depends on them.
//!
//! Counting a call locks the shard of its key and looks up its operation; a write removes all counts at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use dashmap::DashMap;

use super::clock::Window;
use parquote_state::UseDelta;

/// Maximum number of retained unwritten counts; beyond it the oldest are lost.
const MOST_COUNTS: usize = 100_000;

/// Calls by key and operation.
#[derive(Debug, Default)]
pub(super) struct UsageCounts {
    by_key: DashMap<i64, HashMap<Box<str>, CallCount>>,
    /// Counts that could not be written.
    unwritten: Mutex<Vec<UseDelta>>,
}

/// Result of a call, for its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// The call was answered and not refunded.
    Answered,
    /// The call was refused because of the tier or a quota.
    Refused,
}

/// The calls of an operation by a key.
#[derive(Debug, Clone, Copy, Default)]
struct CallCount {
    /// Number of answered calls.
    calls: u32,
    /// Number of refused calls.
    refused: u32,
}

impl CallCount {
    /// Converts the count of a key, a day and an operation to its stored form.
    fn into_delta(self, (key_id, day, operation): (i64, i64, Box<str>)) -> UseDelta {
        UseDelta { key_id, day, operation, calls: self.calls, refused: self.refused }
    }
}

impl UsageCounts {
    pub(super) fn count(&self, key: i64, operation: &str, end: CallEnd) {
        let mut key_counts = self.by_key.entry(key).or_default();
        let count = match key_counts.get_mut(operation) {
            Some(count) => count,
            None => key_counts.entry(operation.into()).or_default(),
        };
        match end {
            CallEnd::Answered => count.calls = count.calls.saturating_add(1),
            CallEnd::Refused => count.refused = count.refused.saturating_add(1),
        }
    }

    /// Removes and returns the unwritten counts. Those since the last write, a second ago, count for the present day.
    pub(super) fn take_pending(&self, now: i64) -> Vec<UseDelta> {
        let mut deltas = std::mem::take(&mut *self.unwritten.lock().unwrap_or_else(PoisonError::into_inner));
        let day = Window::from_unix(now).day;
        for mut key_counts in self.by_key.iter_mut().filter(|key_counts| !key_counts.is_empty()) {
            let key_id = *key_counts.key();
            deltas.extend(
                key_counts.drain().map(|(operation, count)| count.into_delta((key_id, day, operation))),
            );
        }
        deltas
    }

    /// Restores counts that could not be written.
    pub(super) fn put_back(&self, deltas: Vec<UseDelta>) {
        let mut sums: HashMap<(i64, i64, Box<str>), CallCount> = HashMap::new();
        for delta in deltas {
            let sum = sums.entry((delta.key_id, delta.day, delta.operation)).or_default();
            sum.calls = sum.calls.saturating_add(delta.calls);
            sum.refused = sum.refused.saturating_add(delta.refused);
        }
        let mut unwritten: Vec<UseDelta> =
            sums.into_iter().map(|(key_day_operation, count)| count.into_delta(key_day_operation)).collect();
        unwritten.sort_unstable_by_key(|delta| -delta.day);
        unwritten.truncate(MOST_COUNTS);
        *self.unwritten.lock().unwrap_or_else(PoisonError::into_inner) = unwritten;
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::NOON;
    use super::*;

    #[test]
    fn what_is_taken_is_gone_and_what_is_put_back_keeps_its_day() {
        let counts = UsageCounts::default();
        for end in [CallEnd::Answered, CallEnd::Answered, CallEnd::Refused] {
            counts.count(1, "company/profile", end);
        }
        let taken = counts.take_pending(NOON);
        assert_eq!((taken.len(), taken[0].calls, taken[0].refused, taken[0].day), (1, 2, 1, 20_000));
        assert!(counts.take_pending(NOON).is_empty());
        counts.put_back(taken);
        counts.count(1, "company/profile", CallEnd::Answered);
        let both = counts.take_pending(NOON + 86_400);
        let reported: Vec<_> = both.iter().map(|delta| (delta.day, delta.calls)).collect();
        assert_eq!(reported, [(20_000, 2), (20_001, 1)]);
        counts.put_back(both.clone().into_iter().chain(both).collect());
        let mut sums: Vec<_> =
            counts.take_pending(NOON).iter().map(|delta| (delta.day, delta.calls)).collect();
        sums.sort_unstable();
        assert_eq!(sums, [(20_000, 4), (20_001, 2)]);
    }
}

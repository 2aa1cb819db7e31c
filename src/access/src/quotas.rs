//! How often each key called, in its present day and hour. Counting is exact: a request takes its cost from both windows
//! in one step under the lock of its key's shard, or takes nothing; what proves free is given back.
//!
//! The file has the counts of all servers; here is what it said last, what was counted since, and what is leased.

use dashmap::DashMap;
use tokio::sync::oneshot::Receiver;

use super::key_counter::{Backing, KeyCounter, Take, Taken, Untaken, UsageReport};
use parquote_catalogue::operation::Quota;
use parquote_state::{CounterStanding, Leased};

/// Counters by the number of their key.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    counters: DashMap<i64, KeyCounter>,
}

impl Quotas {
    /// Takes a cost from both windows, or nothing.
    pub(super) fn take(&self, key: i64, take: Take, backing: Backing) -> Result<Taken, Untaken> {
        self.counters.entry(key).or_default().take(take, backing)
    }

    /// Gives a cost back to the windows it was taken from at that moment, as far as they are still the present ones.
    pub(super) fn give_back(&self, key: i64, cost: u32, taken_at: i64) {
        self.counters.entry(key).or_default().give_back(cost, taken_at);
    }

    /// What is left of a key's allowance.
    pub(super) fn left(&self, key: i64, quota: Quota, at: i64) -> Quota {
        self.counters.get(&key).map_or(quota, |counter| counter.left_at(quota, at))
    }

    /// Waits for the next report of a key, which asks for so much.
    pub(super) fn wait(&self, key: i64, cost: u32) -> Receiver<()> {
        self.counters.entry(key).or_default().wait(cost)
    }

    /// What there is to report of some keys, or of all, where so many servers count.
    pub(super) fn reports(&self, keys: Option<&[i64]>, at: i64, servers: u32) -> Vec<UsageReport> {
        if let Some(keys) = keys {
            let some = keys.iter().filter_map(|key| Some((*key, self.counters.get_mut(key)?)));
            return some.filter_map(|(key, mut counter)| counter.report(key, at, servers)).collect();
        }
        let open = self.counters.iter_mut().filter(|counter| !counter.is_settled());
        open.filter_map(|mut counter| {
            let key = *counter.key();
            counter.report(key, at, servers)
        })
        .collect()
    }

    /// Takes up how a report ended.
    pub(super) fn settle(&self, reports: &[UsageReport], leased: &[Leased], at: i64) {
        let mut leased = leased.iter().peekable();
        for UsageReport { ask, .. } in reports {
            let Some(mut counter) = self.counters.get_mut(&ask.used.key_id) else { continue };
            match leased.next_if(|leased| leased.standing.counted.key_id == ask.used.key_id) {
                Some(leased) => counter.settle(ask, leased, at),
                // The key is gone.
                None => counter.wake(),
            }
        }
    }

    /// Puts back what could not be written.
    pub(super) fn put_back(&self, reports: &[UsageReport]) {
        for report in reports {
            self.counters.entry(report.ask.used.key_id).or_default().put_back(report);
        }
    }

    /// Gives back all leases with the next report.
    pub(super) fn release(&self) {
        self.counters.iter_mut().for_each(|mut counter| counter.release());
    }

    /// What was used of a key and not reported yet counts for the key that takes its place.
    pub(super) fn hand_over(&self, old: i64, new: i64) {
        let Some(unreported) = self.counters.get(&old).map(|counter| counter.unreported()) else { return };
        self.counters.entry(new).or_default().take_over(&unreported);
    }

    /// Follows what the file says.
    pub(super) fn follow(&self, standings: &[CounterStanding]) {
        for standing in standings {
            self.counters.entry(standing.counted.key_id).or_default().follow(standing);
        }
    }

    /// Forgets everything: the file is another one.
    pub(super) fn clear(&self) {
        self.counters.clear();
    }
}

#[cfg(test)]
mod tests;

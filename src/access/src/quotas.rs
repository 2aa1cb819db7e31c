//! Use of each key in the present day and hour. Counting is exact: a request takes its cost from both windows in one step under the lock of
//! its key's shard, or takes nothing; calls that turn out to be free are refunded.
//!
//! The state has the counts of all servers. This module has the last counts read from the state, the use since then, and the leases.

use dashmap::DashMap;
use tokio::sync::oneshot::Receiver;

use super::key_counter::{Backing, Charge, KeyCounter, TakeError, TakeOutcome, UsageReport};
use parquote_catalogue::operation::Quota;
use parquote_state::{CounterStanding, GrantedLease};

/// Counters by key number.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    counters: DashMap<i64, KeyCounter>,
}

impl Quotas {
    /// Takes a cost from both windows or, with an error, from neither.
    pub(super) fn take_cost(
        &self,
        key: i64,
        charge: Charge,
        backing: Backing,
    ) -> Result<TakeOutcome, TakeError> {
        self.counters.entry(key).or_default().take_cost(charge, backing)
    }

    /// Refunds a cost to the windows of `taken_at`, if they are still the present ones.
    pub(super) fn refund(&self, key: i64, cost: u32, taken_at: i64) {
        self.counters.entry(key).or_default().refund(cost, taken_at);
    }

    /// Returns the remainder of a key's quotas at a time.
    pub(super) fn remaining(&self, key: i64, quota: Quota, at: i64) -> Quota {
        self.counters.get(&key).map_or(quota, |counter| counter.left_at(quota, at))
    }

    /// Registers a call that waits for a lease; the channel closes with the next report of the key.
    pub(super) fn wait(&self, key: i64, cost: u32) -> Receiver<()> {
        self.counters.entry(key).or_default().wait(cost)
    }

    /// Builds the reports of some keys, or of all for `None`; `servers` is the number of servers that count.
    pub(super) fn reports(&self, keys: Option<&[i64]>, at: i64, servers: u32) -> Vec<UsageReport> {
        if let Some(keys) = keys {
            let counters = keys.iter().filter_map(|key| Some((*key, self.counters.get_mut(key)?)));
            return counters.filter_map(|(key, mut counter)| counter.report(key, at, servers)).collect();
        }
        let unsettled = self.counters.iter_mut().filter(|counter| !counter.is_settled());
        unsettled
            .filter_map(|mut counter| {
                let key = *counter.key();
                counter.report(key, at, servers)
            })
            .collect()
    }

    /// Applies the results of reports.
    pub(super) fn settle(&self, reports: &[UsageReport], leased: &[GrantedLease], at: i64) {
        let mut leased = leased.iter().peekable();
        for UsageReport { request, .. } in reports {
            let Some(mut counter) = self.counters.get_mut(&request.used.key_id) else { continue };
            match leased.next_if(|leased| leased.standing.usage.key_id == request.used.key_id) {
                Some(leased) => counter.settle(request, leased, at),
                // The state has no such key any more.
                None => counter.wake_waiting(),
            }
        }
    }

    /// Restores reports that could not be written.
    pub(super) fn put_back(&self, reports: &[UsageReport]) {
        for report in reports {
            self.counters.entry(report.request.used.key_id).or_default().put_back(report);
        }
    }

    /// Returns all leases with the next report.
    pub(super) fn release(&self) {
        self.counters.iter_mut().for_each(|mut counter| counter.release());
    }

    /// Adds the unreported use of a replaced key to its successor.
    pub(super) fn move_unreported_use(&self, old: i64, new: i64) {
        let Some(unreported) = self.counters.get(&old).map(|counter| counter.unreported_use()) else {
            return;
        };
        self.counters.entry(new).or_default().add_unreported(&unreported);
    }

    /// Applies the counts of the state.
    pub(super) fn apply_standings(&self, standings: &[CounterStanding]) {
        for standing in standings {
            self.counters.entry(standing.usage.key_id).or_default().apply_standing(standing);
        }
    }

    /// Discards all counts, because the state file was replaced.
    pub(super) fn clear(&self) {
        self.counters.clear();
    }
}

#[cfg(test)]
mod tests;

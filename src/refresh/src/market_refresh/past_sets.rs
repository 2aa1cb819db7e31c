//! Past sets: derived as of earlier days, and opened on request alone.

use std::collections::{BTreeMap, BTreeSet};

use super::MarketRefresh;
use parquote_set::{Root, Set};

/// The past sets of a market that were read, by number. A set whose check has not ended is in neither list.
#[derive(Default)]
pub(super) struct PastSets {
    sets: BTreeMap<u64, Set>,
    /// Numbers of the sets that cannot be read or that were refused.
    left_out: BTreeSet<u64>,
}

impl PastSets {
    /// Drops the sets that were deleted; returns true if clients could request one of them.
    fn drop_deleted(&mut self, available: &BTreeSet<u64>) -> bool {
        let before = self.sets.len();
        self.sets.retain(|number, _| available.contains(number));
        self.left_out.retain(|number| available.contains(number));
        self.sets.len() != before
    }

    fn contains(&self, number: u64) -> bool {
        self.sets.contains_key(&number) || self.left_out.contains(&number)
    }
}

impl MarketRefresh {
    /// Reads the past sets that were added, and drops those that were deleted. If they cannot be listed, nothing changes.
    pub(super) async fn find_past_sets(&mut self) {
        let root = self.location.sets.past();
        let numbers: BTreeSet<u64> = match root.numbers(self.market).await {
            Ok(numbers) => numbers.into_iter().collect(),
            Err(error) => return tracing::debug!(market = %self.market, %error, "past sets are not listed"),
        };
        let mut is_changed = self.past.drop_deleted(&numbers);
        for number in numbers {
            if !self.past.contains(number) {
                is_changed |= self.add_past_set(&root, number).await;
            }
        }
        if is_changed {
            self.publish_past_sets();
        }
    }

    /// Adds a past set, or leaves it out with a warning; returns true if it was added. A set whose check has not ended is read
    /// again at the next scan.
    async fn add_past_set(&mut self, root: &Root, number: u64) -> bool {
        let market = self.market;
        let set = match root.read(market, number).await {
            Ok(set) => set,
            Err(error) => {
                tracing::warn!(%market, number, %error, "a past set is left out");
                self.past.left_out.insert(number);
                return false;
            }
        };
        let is_admitted = root.is_admitted(&set);
        if is_admitted == Some(true) {
            self.past.sets.insert(number, set);
            return true;
        }
        if is_admitted == Some(false) {
            let day = set.as_of.map(|day| day.to_string()).unwrap_or_default();
            tracing::warn!(%market, number, day, "a past set is left out, because it was refused");
            self.past.left_out.insert(number);
        }
        false
    }

    pub(super) fn publish_past_sets(&self) {
        if let Some(snapshots) = &self.snapshots {
            snapshots.retain_past_sets(self.market, self.past.sets.values().cloned().collect());
        }
    }
}

//! Finds sets of a market that are newer than the examined ones.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;
use parquote_set::{Root, Set, SetError};

/// The numbers of the sets already examined.
#[derive(Debug, Default)]
pub(super) struct ExaminedSets {
    /// Number of the newest examined set.
    pub(super) newest: u64,
    /// Sets with invalid manifests, and the time of the next attempt.
    invalid: BTreeMap<u64, Instant>,
}

impl ExaminedSets {
    /// Time before an invalid manifest is read again.
    const RETRY_PAUSE: Duration = Duration::from_mins(1);

    /// Returns the newest set above number `served` that was not examined yet. Sets with invalid manifests are skipped.
    ///
    /// # Errors
    /// A folder or store that fails; a store that has lost the served set and all later ones.
    pub(super) async fn next(
        &mut self,
        market: Market,
        sets: &Root,
        served: u64,
    ) -> Result<Option<Set>, SetError> {
        let now = Instant::now();
        let due = self.invalid.iter().filter(|(_, next)| **next <= now).map(|(number, _)| *number);
        let mut numbers: BTreeSet<u64> = due.filter(|number| *number > served).collect();
        match sets.newest_other_than(market, self.newest).await? {
            Some(newest) if newest > self.newest => drop(numbers.insert(newest)),
            Some(newest) if newest < served && matches!(sets, Root::Bucket(_)) => {
                return Err(SetError::StoreLostSets { market, newest, served });
            }
            // Newer sets were deleted: the next set may reuse their numbers.
            Some(newest) => {
                self.newest = newest.max(served);
                self.invalid.retain(|number, _| *number <= newest);
            }
            None => {}
        }
        while let Some(number) = numbers.pop_last() {
            match sets.read(market, number).await {
                Ok(set) => {
                    self.invalid.remove(&number);
                    return Ok(Some(set));
                }
                Err(error @ SetError::Manifest { .. }) => {
                    if self.invalid.insert(number, now + Self::RETRY_PAUSE).is_none() {
                        tracing::warn!(%market, number, %error, "a set is passed over");
                        // The sets between this one and the newest examined one may be valid.
                        let others = sets.numbers(market).await?.into_iter();
                        numbers.extend(others.filter(|other| (self.newest + 1..number).contains(other)));
                    }
                }
                Err(SetError::NoSuchSet { .. }) => drop(self.invalid.remove(&number)),
                Err(error) => return Err(error),
            }
        }
        // Sets published by this server get numbers above all others, valid or not.
        self.newest =
            self.invalid.last_key_value().map_or(self.newest, |(number, _)| self.newest.max(*number));
        Ok(None)
    }
}

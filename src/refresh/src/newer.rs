//! Which sets of a market are newer than those that are known.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use parquote_catalogue::operation::Market;
use parquote_set::{Root, Set, SetError};

/// The numbers that were looked at.
#[derive(Debug, Default)]
pub(super) struct Newer {
    /// The newest of them.
    pub(super) known: u64,
    /// Those whose manifests are not sound, and when each is read again.
    unsound: BTreeMap<u64, Instant>,
}

impl Newer {
    /// The pause before an unsound manifest is read again.
    const PAUSE: Duration = Duration::from_mins(1);

    /// The newest set above `served` that is not known yet. One whose manifest is not sound is passed over.
    ///
    /// # Errors
    /// A folder or store that fails, a store that has lost the set that is served and all behind it.
    pub(super) async fn next(
        &mut self,
        market: Market,
        sets: &Root,
        served: u64,
    ) -> Result<Option<Set>, SetError> {
        let now = Instant::now();
        let again = self.unsound.iter().filter(|(_, next)| **next <= now).map(|(number, _)| *number);
        let mut numbers: BTreeSet<u64> = again.filter(|number| *number > served).collect();
        match sets.newest_other_than(market, self.known).await? {
            Some(newest) if newest > self.known => drop(numbers.insert(newest)),
            Some(newest) if newest < served && matches!(sets, Root::Bucket(_)) => {
                return Err(SetError::Backwards { market, newest, served });
            }
            // What was known above it was taken away: the next set may have its number.
            Some(newest) => {
                self.known = newest.max(served);
                self.unsound.retain(|number, _| *number <= newest);
            }
            None => {}
        }
        while let Some(number) = numbers.pop_last() {
            match sets.read(market, number).await {
                Ok(set) => {
                    self.unsound.remove(&number);
                    return Ok(Some(set));
                }
                Err(error @ SetError::Manifest { .. }) => {
                    if self.unsound.insert(number, now + Self::PAUSE).is_none() {
                        tracing::warn!(%market, number, %error, "a set is passed over");
                        // What is between it and the known one may be sound.
                        let others = sets.numbers(market).await?.into_iter();
                        numbers.extend(others.filter(|other| (self.known + 1..number).contains(other)));
                    }
                }
                Err(SetError::Gone { .. }) => drop(self.unsound.remove(&number)),
                Err(error) => return Err(error),
            }
        }
        // Sets that are published here take numbers above all that are taken.
        self.known = self.unsound.last_key_value().map_or(self.known, |(number, _)| self.known.max(*number));
        Ok(None)
    }
}

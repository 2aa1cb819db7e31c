//! When plain files are taken in: after all of them have been left alone for a while. A file that somebody writes into without end
//! is not waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parquote_set::{FileVersion, Set};

/// Plain files by path.
pub(super) type PlainFiles = BTreeMap<String, FileVersion>;

/// The plain files that wait for their quiet time.
#[derive(Debug, Default)]
pub(super) struct Resting(BTreeMap<String, Sighting>);

#[derive(Debug)]
struct Sighting {
    /// None where the file is gone.
    version: Option<FileVersion>,
    /// Since when it has been as it is.
    since: Instant,
    /// The last look at which it rested, or else the first look.
    busy_since: Instant,
}

/// What comes of the wait.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Something was written a moment ago.
    Wait,
    /// What changed may be taken in, except for these files, which are still being written.
    Taken {
        /// The paths of files that are not waited for.
        busy: BTreeSet<String>,
    },
}

impl Resting {
    /// A file that has not rested for so many quiet times is not waited for.
    const PATIENCE: u32 = 5;

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Looks at the files that changed, as they are now; what was there long before this process need not be watched.
    pub(super) fn look<'a>(
        &mut self,
        now: &PlainFiles,
        changed: impl Iterator<Item = &'a String>,
        quiet: Duration,
        is_first: bool,
    ) -> Rest {
        let changed: BTreeSet<&String> = changed.collect();
        self.0.retain(|path, _| changed.contains(path));
        let at = Instant::now();
        let (mut busy, mut is_waiting) = (BTreeSet::new(), false);
        for path in changed {
            let version = now.get(path);
            let watched = match self.0.get_mut(path) {
                Some(watched) => watched,
                None if is_first && version.is_none_or(|version| age(version) >= quiet) => continue,
                None => {
                    is_waiting = true;
                    let watched = Sighting { version: version.cloned(), since: at, busy_since: at };
                    self.0.insert(path.clone(), watched);
                    continue;
                }
            };
            if watched.version.as_ref() != version {
                (watched.version, watched.since) = (version.cloned(), at);
            } else if at - watched.since >= quiet {
                // Its own time says nothing: who copies a folder may keep the times of its files.
                watched.busy_since = at;
                continue;
            }
            if at - watched.busy_since >= quiet * Self::PATIENCE {
                busy.insert(path.clone());
            } else {
                is_waiting = true;
            }
        }
        if is_waiting { Rest::Wait } else { Rest::Taken { busy } }
    }
}

/// Has files stand as a set took them in, so that they count as unchanged.
pub(super) fn as_before(now: &mut PlainFiles, set: Option<&Set>, busy: &BTreeSet<String>) {
    for path in busy {
        match set.and_then(|set| set.inbox.get(path)) {
            Some(before) => drop(now.insert(path.clone(), before.clone())),
            None => drop(now.remove(path)),
        }
    }
}

/// How long ago a plain file was written, by its own time; no time where it lies in the future.
fn age(seen: &FileVersion) -> Duration {
    let written = UNIX_EPOCH + Duration::from_nanos(seen.written);
    SystemTime::now().duration_since(written).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks may be further apart than the quiet time; a file that is written between any two of them is busy all the same.
    #[test]
    fn a_file_that_changes_from_look_to_look_is_busy_however_seldom_looks_are() {
        let (path, quiet) = ("stocks.parquet".to_owned(), Duration::from_nanos(1));
        let version =
            |bytes| FileVersion { bytes, written: u64::MAX / 2, tag: String::new(), hash: String::new() };
        let mut resting = Resting::default();
        let mut look = |bytes| {
            let now = PlainFiles::from([(path.clone(), version(bytes))]);
            resting.look(&now, [&path].into_iter(), quiet, false)
        };
        assert_eq!(look(1), Rest::Wait);
        assert_eq!(look(2), Rest::Taken { busy: BTreeSet::from([path.clone()]) });
        assert_eq!(look(2), Rest::Taken { busy: BTreeSet::new() });
    }

    /// Files that are copied with their times, one after the other: no look takes in the first of them alone.
    #[test]
    fn a_file_that_comes_with_an_old_time_of_its_own_rests_as_others_do() {
        let path = "stocks.parquet".to_owned();
        let version = FileVersion { bytes: 1, written: 0, tag: String::new(), hash: String::new() };
        let now = PlainFiles::from([(path.clone(), version)]);
        let look = |resting: &mut Resting, is_first| {
            resting.look(&now, [&path].into_iter(), Duration::from_hours(1), is_first)
        };
        let mut resting = Resting::default();
        assert_eq!(look(&mut resting, true), Rest::Taken { busy: BTreeSet::new() });
        assert_eq!(look(&mut resting, false), Rest::Wait);
        assert_eq!(look(&mut resting, false), Rest::Wait);
    }
}

//! Delays plain files until all of them have been unchanged for a quiet time. A file that is written without pause is not waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parquote_set::{FileVersion, Set};

/// Plain files by path.
pub(super) type PlainFiles = BTreeMap<String, FileVersion>;

/// Changed plain files in their quiet time.
#[derive(Debug, Default)]
pub(super) struct QuietFiles(BTreeMap<String, Sighting>);

/// The state of a changed file at the last scan.
#[derive(Debug)]
struct Sighting {
    /// `None` if the file was removed.
    version: Option<FileVersion>,
    /// Time since which the file is unchanged.
    since: Instant,
    /// Time of the last scan at which the quiet time had passed, or else of the first scan.
    busy_since: Instant,
}

/// The decision about changed files after a scan.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScanResult {
    /// A file was written within the quiet time.
    Wait,
    /// All changes may be used, except those of files that are still being written.
    Ready {
        /// Paths of the files that are still being written.
        busy: BTreeSet<String>,
    },
}

impl QuietFiles {
    /// Number of quiet times after which a file that keeps changing is not waited for.
    const MOST_QUIET_WAITS: u32 = 5;

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Records the state of the changed files; at the first scan, files older than the quiet time need not wait.
    pub(super) fn update<'a>(
        &mut self,
        now: &PlainFiles,
        changed: impl Iterator<Item = &'a String>,
        quiet: Duration,
        is_first: bool,
    ) -> ScanResult {
        let changed: BTreeSet<&String> = changed.collect();
        self.0.retain(|path, _| changed.contains(path));
        let scanned_at = Instant::now();
        let (mut busy, mut is_waiting) = (BTreeSet::new(), false);
        for path in changed {
            let version = now.get(path);
            let watched = match self.0.get_mut(path) {
                Some(watched) => watched,
                None if is_first && version.is_none_or(|version| age_of_file(version) >= quiet) => continue,
                None => {
                    is_waiting = true;
                    let watched =
                        Sighting { version: version.cloned(), since: scanned_at, busy_since: scanned_at };
                    self.0.insert(path.clone(), watched);
                    continue;
                }
            };
            if watched.version.as_ref() != version {
                (watched.version, watched.since) = (version.cloned(), scanned_at);
            } else if scanned_at - watched.since >= quiet {
                // The file's modification time is not used, because copying a folder may preserve the times of its files.
                watched.busy_since = scanned_at;
                continue;
            }
            if scanned_at - watched.busy_since >= quiet * Self::MOST_QUIET_WAITS {
                busy.insert(path.clone());
            } else {
                is_waiting = true;
            }
        }
        if is_waiting { ScanResult::Wait } else { ScanResult::Ready { busy } }
    }
}

/// Replaces the versions of these files by the versions in the set, so that they count as unchanged.
pub(super) fn with_versions_of_set(now: &mut PlainFiles, set: Option<&Set>, busy: &BTreeSet<String>) {
    for path in busy {
        match set.and_then(|set| set.inbox.get(path)) {
            Some(before) => drop(now.insert(path.clone(), before.clone())),
            None => drop(now.remove(path)),
        }
    }
}

/// Returns the time since a plain file was modified, by its modification time; zero if that is in the future.
fn age_of_file(seen: &FileVersion) -> Duration {
    let written = UNIX_EPOCH + Duration::from_nanos(seen.written);
    SystemTime::now().duration_since(written).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans may be further apart than the quiet time; a file that is written between any two of them still counts as busy.
    #[test]
    fn a_file_that_changes_between_scans_is_busy_however_rare_scans_are() {
        let (path, quiet) = ("stocks.parquet".to_owned(), Duration::from_nanos(1));
        let version =
            |bytes| FileVersion { bytes, written: u64::MAX / 2, tag: String::new(), hash: String::new() };
        let mut files = QuietFiles::default();
        let mut scan = |bytes| {
            let now = PlainFiles::from([(path.clone(), version(bytes))]);
            files.update(&now, [&path].into_iter(), quiet, false)
        };
        assert_eq!(scan(1), ScanResult::Wait);
        assert_eq!(scan(2), ScanResult::Ready { busy: BTreeSet::from([path.clone()]) });
        assert_eq!(scan(2), ScanResult::Ready { busy: BTreeSet::new() });
    }

    /// Files copied one after the other with preserved times: no scan may use the first of them alone.
    #[test]
    fn a_file_with_an_old_modification_time_waits_like_others() {
        let path = "stocks.parquet".to_owned();
        let version = FileVersion { bytes: 1, written: 0, tag: String::new(), hash: String::new() };
        let now = PlainFiles::from([(path.clone(), version)]);
        let scan = |files: &mut QuietFiles, is_first| {
            files.update(&now, [&path].into_iter(), Duration::from_hours(1), is_first)
        };
        let mut files = QuietFiles::default();
        assert_eq!(scan(&mut files, true), ScanResult::Ready { busy: BTreeSet::new() });
        assert_eq!(scan(&mut files, false), ScanResult::Wait);
        assert_eq!(scan(&mut files, false), ScanResult::Wait);
    }
}

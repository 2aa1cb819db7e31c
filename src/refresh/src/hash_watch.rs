//! Checks the files of all served sets against their hashes, on a separate thread. Loading a set checks only small tables, so this thread
//! reads each file when it is first served, then once a day. It only reports; `market_refresh` decides about a set with a damaged file.

use std::collections::BTreeSet;
use std::sync::Weak;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::WeakUnboundedSender;

use super::audience::Audience;
use super::finding::{Finding, Level};
use super::snapshots::Snapshots;
use super::status::RefreshStatus;
use super::wake::WakeReason;
use parquote_catalogue::operation::Market;
use parquote_catalogue::thread_priority;
use parquote_set::StoredFile;

/// Interval at which all files are read again.
const FULL_READ_INTERVAL: Duration = Duration::from_hours(24);
/// Pause between two searches for unread files.
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);

/// The state of the thread; the thread runs until the refresher is dropped.
pub(super) struct HashWatch {
    pub alive: Weak<()>,
    pub snapshots: Weak<Snapshots>,
    pub status: RefreshStatus,
    pub wake: WeakUnboundedSender<WakeReason>,
}

impl HashWatch {
    /// Starts the thread; if that fails, only `parquote check --hashes` checks hashes.
    pub(super) fn start(self) {
        if let Err(error) = thread::Builder::new().name("hashes".to_owned()).spawn(move || self.run()) {
            tracing::warn!(%error, "long files are not held against their hashes");
        }
    }

    fn run(self) {
        thread_priority::lower(thread_priority::IDLE);
        let (mut read_hashes, mut started) = (BTreeSet::new(), Instant::now());
        while self.alive.strong_count() > 0 {
            if started.elapsed() > FULL_READ_INTERVAL {
                (read_hashes, started) = (BTreeSet::new(), Instant::now());
            }
            match self.next_unread(&read_hashes) {
                Some((market, table, file)) => {
                    self.check_file(market, &table, &file);
                    read_hashes.extend(file.hash().map(str::to_owned));
                }
                None => thread::sleep(SEARCH_INTERVAL),
            }
        }
    }

    /// Returns a served file whose hash is not among those of the files already read.
    fn next_unread(&self, read_hashes: &BTreeSet<String>) -> Option<(Market, String, StoredFile)> {
        let snapshots = self.snapshots.upgrade()?;
        let views = [Audience::Members, Audience::Public].map(|audience| snapshots.snapshot_for(audience));
        views.iter().find_map(|snapshot| {
            Market::ALL.into_iter().find_map(|market| {
                let files = snapshot.market(market)?.files().iter();
                let mut files = files.flat_map(|(table, files)| files.iter().map(move |file| (table, file)));
                let is_unread = |file: &StoredFile| {
                    file.path().and(file.hash()).is_some_and(|hash| !read_hashes.contains(hash))
                };
                let (table, file) = files.find(|(_, file)| is_unread(file))?;
                Some((market, table.clone(), file.clone()))
            })
        })
    }

    fn check_file(&self, market: Market, table: &str, file: &StoredFile) {
        let Some(damage) = file.damage() else {
            self.status.clear_damage(market, file.hash().unwrap_or_default());
            return;
        };
        let finding = Finding {
            file: Some(file.location()),
            ..Finding::new(Level::Error, market, damage, StoredFile::REMEDY).of_table(table)
        };
        tracing::error!("{finding}");
        self.status.record_damage(market, file.hash().unwrap_or_default(), finding);
        if let Some(wake) = self.wake.upgrade() {
            let _gone = wake.send(WakeReason::Changed);
        }
    }
}

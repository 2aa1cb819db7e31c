//! Keeps access control and the state file in agreement, on a thread of its own: it reads keys that another program changed, and writes
//! counts. At the end every count is in the file. If the file cannot be used, it retries at growing intervals, and operators see that.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::access_control::AccessControl;
use super::clock::Window;
use super::web_sessions::{IDLE_S, LONGEST_S};
use crate::state::{Keeping, StateError, Store};

/// How often the file is looked at, which takes some microseconds.
const LOOK: Duration = Duration::from_millis(100);
/// How often counts are written.
const WRITE: Duration = Duration::from_secs(1);
/// The longest pause between two tries to use a file that could not be used: a disk that has room again is found soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often the log says that the file still cannot be used.
const SAID: Duration = Duration::from_mins(1);
/// How often what nobody needs any more is deleted.
const SWEEP: Duration = Duration::from_hours(1);
/// Within this time a server has followed a change of the file, if its machine is not out of breath.
pub const FOLLOWED: Duration = Duration::from_millis(250);

/// How the state file stands, for operators.
#[derive(Debug, Default)]
pub struct StateFailures {
    /// How often it could not be read or written.
    count: AtomicU64,
    /// Whether the last try failed.
    failing: AtomicBool,
}

impl StateFailures {
    /// How often the file could not be read or written.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether it cannot be read or written now.
    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }
}

/// How far a try came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    Read,
    Written,
}

/// When the file is tried again, and when the log says that it cannot be used.
#[derive(Debug, Default)]
struct Pauses {
    failures: u32,
    /// Whether a write failed: reads that succeed say nothing then, as on a full disk.
    is_unwritten: bool,
    try_at: Option<Instant>,
    say_at: Option<Instant>,
}

/// The thread, until it is told to stop.
#[derive(Debug)]
pub struct StateSync {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works on.
struct SyncedState {
    access: Arc<AccessControl>,
    store: Store,
    /// The version of the file that access control has followed; `None` when the last try failed.
    followed: Option<i64>,
    sweep_at: Instant,
}

/// What is kept now.
fn kept(now: i64) -> Keeping {
    const DAY: i64 = 24 * 3_600;
    Keeping {
        now,
        sessions_made: now - LONGEST_S,
        // Uses are written a minute late at most.
        sessions_used: now - IDLE_S - 120,
        app_codes: now - DAY,
        keys: now - 90 * DAY,
        activity: now - 400 * DAY,
        lines: 2_000,
        usage_day: Window::of(now).day - 400,
    }
}

impl StateSync {
    /// Starts the thread; it tells in `failures` how often the state file could not be read or written, and whether it still
    /// cannot.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(access: Arc<AccessControl>, store: Store, failures: Arc<StateFailures>) -> io::Result<Self> {
        let (stop, stopped) = channel();
        // The first look follows the file once more: it may have changed since access control was opened.
        let synced = SyncedState { access, store, followed: None, sweep_at: Instant::now() };
        let thread = thread::Builder::new()
            .name("sync".to_owned())
            .spawn(move || keep(synced, &stopped, &failures))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for StateSync {
    /// Ends the thread and waits for its last write.
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that keeps the state file had failed");
        }
    }
}

fn keep(mut synced: SyncedState, stopped: &Receiver<()>, failures: &StateFailures) {
    let mut pauses = Pauses::default();
    let mut write_at = Instant::now() + WRITE;
    loop {
        let now = Instant::now();
        if pauses.is_over(now) {
            let mut tried = Tried::Read;
            let mut done = synced.look();
            if done.is_ok() && now >= write_at {
                tried = Tried::Written;
                done = synced.write(now);
                // A write that failed is tried again with the next look.
                write_at = if done.is_ok() { now + WRITE } else { now };
            }
            pauses.note(tried, done, now, failures);
        }
        if stopped.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    if let Err(error) = synced.access.flush_all(&mut synced.store) {
        failures.count.fetch_add(1, Ordering::Relaxed);
        tracing::error!(cause = std::error::Error::source(&error), "{error}; the last counts are lost");
    }
}

impl Pauses {
    /// Whether the file may be tried.
    fn is_over(&self, now: Instant) -> bool {
        self.try_at.is_none_or(|at| now >= at)
    }

    /// Takes note of how a try ended, and sets the next.
    fn note(&mut self, tried: Tried, done: Result<(), StateError>, now: Instant, failures: &StateFailures) {
        let Err(error) = done else {
            if self.is_unwritten && tried == Tried::Read {
                return;
            }
            if self.failures > 0 {
                tracing::info!("the state file can be used again after {} tries in vain", self.failures);
            }
            failures.failing.store(false, Ordering::Relaxed);
            *self = Self::default();
            return;
        };
        failures.count.fetch_add(1, Ordering::Relaxed);
        failures.failing.store(true, Ordering::Relaxed);
        self.is_unwritten |= tried == Tried::Written;
        self.failures = self.failures.saturating_add(1);
        self.try_at = Some(now + self.pause());
        if self.say_at.is_none_or(|at| now >= at) {
            self.say_at = Some(now + SAID);
            let cause = std::error::Error::source(&error);
            tracing::error!(
                cause,
                tries = self.failures,
                "{error}; it is tried again, and counts are kept until then"
            );
        }
    }

    /// Twice as long after each failure.
    fn pause(&self) -> Duration {
        LOOK.saturating_mul(2_u32.saturating_pow(self.failures.min(16))).min(LONGEST_PAUSE)
    }
}

impl SyncedState {
    /// Writes counts, and now and then deletes what nobody needs any more.
    fn write(&mut self, now: Instant) -> Result<(), StateError> {
        self.access.flush(&mut self.store)?;
        if now < self.sweep_at {
            return Ok(());
        }
        self.sweep_at = now + SWEEP;
        let gone = self.store.sweep(&kept(self.access.now()))?;
        if gone > 0 {
            tracing::info!(keys = gone, "keys that ended long ago are deleted from the state file");
        }
        self.access.follow(&self.store)
    }

    /// Follows the file if another program has changed it.
    fn look(&mut self) -> Result<(), StateError> {
        let version = self.store.version_of_others()?;
        if self.followed != Some(version) {
            self.followed = None;
            self.access.follow(&self.store)?;
            self.followed = Some(version);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::NOON;
    use super::super::{AccessError, Secret};
    use super::*;
    use crate::operation::Quota;
    use crate::state::NewKey;

    fn new(secret: &Secret) -> NewKey {
        NewKey { hash: secret.hash(), created_at: NOON, ..NewKey::of_test(0) }
    }

    fn access(store: &Store) -> Arc<AccessControl> {
        Arc::new(AccessControl::open(store, 10, Arc::new(|| NOON)).unwrap())
    }

    #[test]
    fn changes_of_others_are_taken_up_and_counts_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut others = Store::open(&path).unwrap();
        let store = Store::open(&path).unwrap();
        let mut synced =
            SyncedState { access: access(&store), store, followed: None, sweep_at: Instant::now() };
        let secret = Secret::generate().unwrap();
        synced.look().unwrap();
        assert_eq!(synced.access.identify([secret.reveal()], None), Err(AccessError::Unknown));
        let id = others.insert_key(&new(&secret)).unwrap();
        synced.look().unwrap();
        let key = synced.access.identify(["", secret.reveal(), secret.reveal()], None).unwrap();
        for _ in 0..3 {
            synced.access.reserve(&key, 1).unwrap();
        }
        synced.access.flush(&mut synced.store).unwrap();
        let again = access(&others);
        assert_eq!(again.allowance(&key).left, Quota { day: 47, hour: 7 });
        others.revoke_key(id, NOON).unwrap();
        synced.look().unwrap();
        assert_eq!(synced.access.identify([secret.reveal()], None), Err(AccessError::Revoked));
    }

    #[test]
    fn a_file_that_cannot_be_used_is_tried_ever_more_seldom() {
        let failed = || Err(StateError::Locked { path: "state.db".into() });
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        let mut tries = 0;
        // Five minutes of looks, ten a second.
        for look in 0..3_000 {
            let now = began + LOOK * look;
            if pauses.is_over(now) {
                tries += 1;
                pauses.note(Tried::Read, failed(), now, &failures);
            }
        }
        // 0.2 + 0.4 + ... + 25.6 s, then every half minute.
        assert_eq!((tries, failures.count()), (17, 17));
        assert!(failures.is_failing());
        pauses.note(Tried::Read, Ok(()), began, &failures);
        assert!(!failures.is_failing() && pauses.is_over(began));
    }

    #[test]
    fn a_disk_that_can_be_read_and_not_written_is_no_file_that_can_be_used() {
        let failed = || Err(StateError::Locked { path: "state.db".into() });
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        pauses.note(Tried::Written, failed(), began, &failures);
        pauses.note(Tried::Read, Ok(()), began, &failures);
        assert!(failures.is_failing() && !pauses.is_over(began));
        pauses.note(Tried::Written, Ok(()), began, &failures);
        assert!(!failures.is_failing() && pauses.is_over(began));
    }

    #[test]
    fn two_servers_on_one_file_learn_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut stores = [Store::open(&path).unwrap(), Store::open(&path).unwrap()];
        let secret = Secret::generate().unwrap();
        stores[0].insert_key(&new(&secret)).unwrap();
        let accesses = [access(&stores[0]), access(&stores[1])];
        let key = accesses[0].identify([secret.reveal()], None).unwrap();
        for access in &accesses {
            access.reserve(&key, 2).unwrap();
        }
        accesses[0].flush(&mut stores[0]).unwrap();
        accesses[1].flush(&mut stores[1]).unwrap();
        accesses[0].follow(&stores[0]).unwrap();
        for access in &accesses {
            assert_eq!(access.allowance(&key).left, Quota { day: 46, hour: 6 });
        }
    }

    #[test]
    fn the_last_counts_are_written_when_it_stops() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        let secret = Secret::generate().unwrap();
        store.insert_key(&new(&secret)).unwrap();
        let access = access(&store);
        let key = access.identify([secret.reveal()], None).unwrap();
        let sync = StateSync::start(Arc::clone(&access), store, Arc::default()).unwrap();
        access.reserve(&key, 4).unwrap();
        drop(sync);
        assert_eq!(Store::open(&path).unwrap().counters().unwrap()[0].counted.day_used, 4);
    }
}

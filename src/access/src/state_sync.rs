//! A thread that synchronizes access control and state: it reads keys changed by other programs, writes counts and leases calls. At
//! shutdown it writes every count and returns every lease. If the state cannot be used, it retries at growing intervals, visible to
//! operators.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::access_control::AccessControl;
use super::clock::Window;
use super::leasing::SyncWake;
use super::state_failures::{AttemptKind, Pauses, StateFailures};
use super::web_sessions::{IDLE_S, LONGEST_S};
use parquote_state::{RetentionLimits, StateError, Store};

/// Interval between two reads of the state, each of which takes some microseconds.
const READ_INTERVAL: Duration = Duration::from_millis(100);
/// Interval between two writes of counts.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between two deletions of expired data.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);
/// Time within which every server has applied a change of the state, unless its machine is overloaded.
pub const SYNC_TIME: Duration = Duration::from_millis(250);

/// A handle of the sync thread; dropping it ends the thread.
#[derive(Debug)]
pub struct StateSync {
    wake: Sender<SyncWake>,
    thread: Option<JoinHandle<()>>,
}

/// Access control, the state, and the progress of their synchronization.
struct SyncedState {
    access: Arc<AccessControl>,
    store: Store,
    /// Version of the state that access control has applied; `None` before the first read and after a failure.
    applied_version: Option<i64>,
    sweep_at: Instant,
}

fn retention_limits(now: i64) -> RetentionLimits {
    const DAY: i64 = 24 * 3_600;
    RetentionLimits {
        now,
        sessions_made: now - LONGEST_S,
        // Uses are written at most a minute late.
        sessions_used: now - IDLE_S - 120,
        app_codes: now - DAY,
        keys: now - 90 * DAY,
        activity: now - 400 * DAY,
        lines: 2_000,
        usage_day: Window::from_unix(now).day - 400,
        lease_day: Window::from_unix(now).day - 1,
        servers: now - DAY,
    }
}

impl StateSync {
    /// Starts the thread, which records failures of the state in `failures`.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn start(access: Arc<AccessControl>, store: Store, failures: Arc<StateFailures>) -> io::Result<Self> {
        let (wake, wakes) = channel();
        access.leasing.start_leasing(wake.clone());
        // The first read applies the state again, because it may have changed since access control was opened.
        let mut synced = SyncedState { access, store, applied_version: None, sweep_at: Instant::now() };
        // The server is registered before its first call, because it must know if other servers count too. A failed write is retried.
        if let Err(error) = synced.register_server().and_then(|()| synced.follow_state()) {
            tracing::warn!(cause = std::error::Error::source(&error), "{error}");
        }
        let thread = thread::Builder::new()
            .name("sync".to_owned())
            .spawn(move || run_sync(synced, &wakes, &failures))?;
        Ok(Self { wake, thread: Some(thread) })
    }
}

impl Drop for StateSync {
    /// Ends the thread and waits for its last write.
    fn drop(&mut self) {
        // Fails only if the thread has already ended.
        let _ = self.wake.send(SyncWake::Stop);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that keeps the state file had failed");
        }
    }
}

fn run_sync(mut synced: SyncedState, wakes: &Receiver<SyncWake>, failures: &StateFailures) {
    let mut pauses = Pauses::default();
    let (mut read_at, mut write_at) = (Instant::now(), Instant::now() + WRITE_INTERVAL);
    // Keys with requested leases.
    let mut requested = BTreeSet::new();
    loop {
        let now = Instant::now();
        if pauses.pause_end(if requested.is_empty() { read_at } else { now }) <= now {
            // A failed write is retried with the next read.
            let is_due = now >= write_at || pauses.has_failed_write();
            let mut attempt = AttemptKind::Read;
            // On a database server, changed keys are not read before a lease: its report fails if there are changes that were not applied.
            let mut done = Ok(());
            if now >= read_at || !synced.store.is_on_a_server() {
                read_at = now + READ_INTERVAL;
                done = synced.follow_state();
            }
            if done.is_ok() && (is_due || !requested.is_empty()) {
                attempt = AttemptKind::Write;
                done = if is_due { synced.write(now) } else { synced.lease(&requested) };
                write_at = if is_due { now + WRITE_INTERVAL } else { write_at };
            }
            pauses.record_attempt(attempt, done, now, failures);
            synced.access.leasing.set_state_unreachable(failures.reason().is_some());
            requested.clear();
        }
        let next = wakes.recv_timeout(pauses.pause_end(read_at).saturating_duration_since(Instant::now()));
        if next == Err(RecvTimeoutError::Disconnected) {
            break;
        }
        // All requests so far are answered together.
        let received: Vec<SyncWake> = next.into_iter().chain(wakes.try_iter()).collect();
        if received.contains(&SyncWake::Stop) {
            break;
        }
        requested.extend(received.into_iter().filter_map(SyncWake::key));
    }
    if let Err(error) = synced.access.flush_all(&mut synced.store) {
        failures.record_failure(&error);
        tracing::error!(cause = std::error::Error::source(&error), "{error}; the last counts are lost");
    }
}

impl SyncedState {
    /// Requests leases of these keys.
    fn lease(&mut self, keys: &BTreeSet<i64>) -> Result<(), StateError> {
        self.register_server()?;
        let keys: Vec<i64> = keys.iter().copied().collect();
        self.access.lease(&mut self.store, &keys)
    }

    /// Registers the server in the state, if it has no number yet.
    fn register_server(&mut self) -> Result<(), StateError> {
        if self.access.leasing.server() == 0 {
            let number = self.store.enter_server(self.access.now())?;
            self.access.leasing.set_server(number);
        }
        Ok(())
    }

    /// Writes counts and, once per interval, deletes expired data.
    fn write(&mut self, now: Instant) -> Result<(), StateError> {
        self.register_server()?;
        self.access.flush(&mut self.store)?;
        if now < self.sweep_at {
            return Ok(());
        }
        self.sweep_at = now + SWEEP_INTERVAL;
        let deleted = self.store.sweep(&retention_limits(self.access.now()))?;
        if deleted > 0 {
            tracing::info!(keys = deleted, "keys that ended long ago are deleted from the state file");
        }
        self.access.sync_from_store(&self.store)
    }

    /// Reads and applies the state if another program changed it or replaced its file.
    fn follow_state(&mut self) -> Result<(), StateError> {
        let began = Instant::now();
        if self.store.reopen_if_replaced()? {
            tracing::warn!(
                file = %self.store.location(),
                "the state file was replaced: the file that is there now is used from now on, and counts of the last second are lost"
            );
            self.access.reset_after_replacement();
            self.applied_version = None;
        }
        let version = self.store.version_of_others()?;
        if self.applied_version != Some(version) {
            self.applied_version = None;
            self.access.sync_from_store(&self.store)?;
            self.applied_version = Some(version);
        }
        self.access.last_sync_start.send_replace(Some(began));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::access_control::ReserveError;
    use super::super::clock::NOON;
    use super::super::key_counter::Backing;
    use super::super::{AccessError, Key, Secret};
    use super::*;
    use crate::on_postgres::{new_key, state_at};
    use parquote_catalogue::operation::Quota;
    use parquote_state::{KeyChange, NewActivity, NewKey};

    fn new(secret: &Secret) -> NewKey {
        NewKey { hash: secret.hash(), created_at: NOON, ..new_key(0) }
    }

    fn access(store: &Store) -> Arc<AccessControl> {
        Arc::new(AccessControl::open(store, 10, Arc::new(|| NOON)).unwrap())
    }

    /// Returns the store of one server, and access control with the store of another server on the same file.
    fn two_servers() -> (tempfile::TempDir, Store, SyncedState) {
        let folder = tempfile::tempdir().unwrap();
        let [others, store] =
            [(); 2].map(|()| Store::open(state_at(&folder.path().join("state.db"))).unwrap());
        let synced =
            SyncedState { access: access(&store), store, applied_version: None, sweep_at: Instant::now() };
        (folder, others, synced)
    }

    fn take(access: &AccessControl, key: &Arc<Key>, cost: u32) {
        assert!(access.try_reserve(key, cost, Backing::Memory).is_ok());
    }

    #[test]
    fn changes_of_others_are_applied_and_counts_survive() {
        let (_folder, mut others, mut synced) = two_servers();
        let secret = Secret::generate().unwrap();
        synced.follow_state().unwrap();
        assert_eq!(synced.access.identify([secret.reveal()], None), Err(AccessError::Unknown));
        let id = others.insert_key(&new(&secret)).unwrap();
        synced.follow_state().unwrap();
        let key = synced.access.identify(["", secret.reveal(), secret.reveal()], None).unwrap();
        for _ in 0..3 {
            take(&synced.access, &key, 1);
        }
        synced.access.flush(&mut synced.store).unwrap();
        let again = access(&others);
        assert_eq!(again.allowance(&key).left, Quota { day: 47, hour: 7 });
        others.revoke_key(id, NOON).unwrap();
        synced.follow_state().unwrap();
        assert_eq!(synced.access.identify([secret.reveal()], None), Err(AccessError::Revoked));
    }

    #[tokio::test]
    async fn what_another_server_made_is_known_after_a_look_that_began_later() {
        let (_folder, mut others, mut synced) = two_servers();
        let access = Arc::clone(&synced.access);
        synced.register_server().unwrap();
        synced.follow_state().unwrap();
        assert!(!access.wait_for_other_servers().await, "nobody else is there");
        others.enter_server(NOON).unwrap();
        access.sync_from_store(&synced.store).unwrap();
        let secret = Secret::generate().unwrap();
        others.insert_key(&new(&secret)).unwrap();
        assert!(access.identify([secret.reveal()], None).is_err());
        let (follows, ()) =
            tokio::join!(access.wait_for_other_servers(), async { synced.follow_state().unwrap() });
        assert!(follows && access.identify([secret.reveal()], None).is_ok());
    }

    #[test]
    fn two_servers_on_one_file_learn_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut stores = [Store::open(state_at(&path)).unwrap(), Store::open(state_at(&path)).unwrap()];
        let secret = Secret::generate().unwrap();
        stores[0].insert_key(&new(&secret)).unwrap();
        let accesses = [access(&stores[0]), access(&stores[1])];
        let key = accesses[0].identify([secret.reveal()], None).unwrap();
        for access in &accesses {
            take(access, &key, 2);
        }
        accesses[0].flush(&mut stores[0]).unwrap();
        accesses[1].flush(&mut stores[1]).unwrap();
        accesses[0].sync_from_store(&stores[0]).unwrap();
        for access in &accesses {
            assert_eq!(access.allowance(&key).left, Quota { day: 46, hour: 6 });
        }
    }

    #[test]
    fn the_last_counts_are_written_when_it_stops() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(state_at(&path)).unwrap();
        let secret = Secret::generate().unwrap();
        store.insert_key(&new(&secret)).unwrap();
        let access = access(&store);
        let key = access.identify([secret.reveal()], None).unwrap();
        let sync = StateSync::start(Arc::clone(&access), store, Arc::default()).unwrap();
        take(&access, &key, 4);
        drop(sync);
        assert_eq!(Store::open(state_at(&path)).unwrap().counters().unwrap()[0].usage.day_used, 4);
    }

    /// Calls by a key, requesting a lease if there is none.
    fn call(access: &AccessControl, store: &mut Store, id: i64) -> bool {
        loop {
            let key = access.key(id).unwrap();
            match access.try_reserve(&key, 1, Backing::Lease) {
                Ok(_) => return true,
                Err(ReserveError::Refused(_)) => return false,
                Err(ReserveError::Unleased(unleased)) => {
                    let _waits = access.quotas.wait(unleased, 1);
                    access.lease(store, &[unleased]).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_key_that_is_replaced_while_its_calls_are_leased_gives_no_call_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut stores = [Store::open(state_at(&path)).unwrap(), Store::open(state_at(&path)).unwrap()];
        let (old, secret) = (Secret::generate().unwrap(), Secret::generate().unwrap());
        let id = stores[0].insert_key(&new(&old)).unwrap();
        let accesses = [access(&stores[0]), access(&stores[1])];
        for (access, store) in accesses.iter().zip(&mut stores) {
            access.leasing.set_server(store.enter_server(NOON).unwrap());
            access.sync_from_store(store).unwrap();
        }
        for _ in 0..3 {
            assert!(call(&accesses[0], &mut stores[0], id));
        }
        // Replaced by another program; the first server does not know that yet and continues.
        let change = KeyChange::Rotate { old: id, new: &new(&secret), until: NOON + 60 };
        let noted = NewActivity::by_command_line(NOON, "A", "rotated a key");
        let second = stores[1].change(&change, &noted).unwrap().unwrap();
        accesses[1].sync_from_store(&stores[1]).unwrap();
        let replacement = accesses[1].key(second).unwrap();
        assert!(accesses[1].allowance(&replacement).left.hour <= 7);
        assert!(call(&accesses[0], &mut stores[0], id));
        // Its next report fails because keys changed, so it follows first; both keys then share one quota.
        accesses[0].flush(&mut stores[0]).unwrap();
        let mut given = 4;
        for nth in [1, 0, 1, 1, 0, 0, 1, 0, 1, 0] {
            let id = if nth == 0 { id } else { second };
            given += i32::from(call(&accesses[nth], &mut stores[nth], id));
        }
        // The other server may hold the rest.
        assert!((8..=10).contains(&given), "{given}");
    }
}

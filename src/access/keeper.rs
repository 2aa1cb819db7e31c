//! Keeps the gate and the state file together, on a thread of its own: keys that another program changed are taken up,
//! and counts are written. At the end everything that was counted is in the file.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::gate::Gate;
use crate::state::{StateError, Store};

/// How often the file is looked at, which takes some microseconds.
const LOOK: Duration = Duration::from_millis(100);
/// Counts are written at every tenth look: each second.
const LOOKS_A_WRITE: u32 = 10;
/// Within this time a server has followed a change of the file, if its machine is not out of breath.
pub const FOLLOWED: Duration = Duration::from_millis(250);

/// The thread, until it is told to stop.
#[derive(Debug)]
pub struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works on.
struct Kept {
    gate: Arc<Gate>,
    store: Store,
    /// The version of the file that the gate has followed; `None` when the last try failed.
    followed: Option<i64>,
}

impl Keeper {
    /// Starts the thread; it counts in `failures` how often the state file could not be read or written.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(gate: Arc<Gate>, store: Store, failures: Arc<AtomicU64>) -> io::Result<Self> {
        let (stop, stopped) = channel();
        // The first look follows the file once more: it may have changed since the gate was opened.
        let kept = Kept { gate, store, followed: None };
        let thread = thread::Builder::new()
            .name("keeper".to_owned())
            .spawn(move || keep(kept, &stopped, &failures))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Keeper {
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

fn keep(mut kept: Kept, stopped: &Receiver<()>, failures: &AtomicU64) {
    let report = |result: Result<(), StateError>| {
        if let Err(error) = result {
            failures.fetch_add(1, Ordering::Relaxed);
            tracing::error!(cause = std::error::Error::source(&error), "{error}; it is tried again");
        }
    };
    for look in 1_u32.. {
        report(kept.look());
        if look.is_multiple_of(LOOKS_A_WRITE) {
            report(kept.gate.flush(&mut kept.store));
        }
        if stopped.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    report(kept.gate.flush(&mut kept.store));
}

impl Kept {
    /// Follows the file if another program has changed it.
    fn look(&mut self) -> Result<(), StateError> {
        let version = self.store.version_of_others()?;
        if self.followed != Some(version) {
            self.followed = None;
            self.gate.follow(&self.store)?;
            self.followed = Some(version);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AccessError, Secret};
    use super::*;
    use crate::operation::{Quota, Tier};
    use crate::state::NewKey;

    const NOON: i64 = 20_000 * 86_400 + 43_200 - 19_800;

    fn new(secret: &Secret) -> NewKey {
        NewKey {
            hash: secret.hash(),
            hint: secret.hint().to_owned(),
            tier: Tier::Free.word().to_owned(),
            owner: "A".to_owned(),
            note: String::new(),
            quota_day: None,
            quota_hour: None,
            created_at: NOON,
            expires_at: None,
        }
    }

    fn gate(store: &Store) -> Arc<Gate> {
        Arc::new(Gate::open(store, 10, Arc::new(|| NOON)).unwrap())
    }

    #[test]
    fn changes_of_others_are_taken_up_and_counts_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut others = Store::open(&path).unwrap();
        let store = Store::open(&path).unwrap();
        let mut kept = Kept { gate: gate(&store), store, followed: None };
        let secret = Secret::generate().unwrap();
        kept.look().unwrap();
        assert_eq!(kept.gate.identify([secret.reveal()], None), Err(AccessError::Unknown));
        let id = others.insert_key(&new(&secret)).unwrap();
        kept.look().unwrap();
        let key = kept.gate.identify(["", secret.reveal(), secret.reveal()], None).unwrap();
        for _ in 0..3 {
            kept.gate.reserve(&key, 1).unwrap();
        }
        kept.gate.flush(&mut kept.store).unwrap();
        let again = gate(&others);
        assert_eq!(again.allowance(&key).left, Quota { day: 47, hour: 7 });
        others.revoke_key(id, NOON).unwrap();
        kept.look().unwrap();
        assert_eq!(kept.gate.identify([secret.reveal()], None), Err(AccessError::Revoked));
    }

    #[test]
    fn two_servers_on_one_file_learn_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut stores = [Store::open(&path).unwrap(), Store::open(&path).unwrap()];
        let secret = Secret::generate().unwrap();
        stores[0].insert_key(&new(&secret)).unwrap();
        let gates = [gate(&stores[0]), gate(&stores[1])];
        let key = gates[0].identify([secret.reveal()], None).unwrap();
        for gate in &gates {
            gate.reserve(&key, 2).unwrap();
        }
        gates[0].flush(&mut stores[0]).unwrap();
        gates[1].flush(&mut stores[1]).unwrap();
        gates[0].follow(&stores[0]).unwrap();
        for gate in &gates {
            assert_eq!(gate.allowance(&key).left, Quota { day: 46, hour: 6 });
        }
    }

    #[test]
    fn the_last_counts_are_written_when_it_stops() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        let secret = Secret::generate().unwrap();
        store.insert_key(&new(&secret)).unwrap();
        let gate = gate(&store);
        let key = gate.identify([secret.reveal()], None).unwrap();
        let keeper = Keeper::start(Arc::clone(&gate), store, Arc::default()).unwrap();
        gate.reserve(&key, 4).unwrap();
        drop(keeper);
        assert_eq!(Store::open(&path).unwrap().counters().unwrap()[0].counted.day_used, 4);
    }
}

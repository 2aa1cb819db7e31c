//! Leasing of calls: facts about the servers on the state, and the channel to the sync thread, which requests leases.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::key_counter::Backing;
use parquote_state::SEEN_S;

/// Maximum time for which a call waits for a lease. The state usually grants one within milliseconds.
pub(super) const LEASE_WAIT: Duration = Duration::from_secs(2);

/// A message to the sync thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncWake {
    /// Requests a lease of the key with this number.
    Lease(i64),
    /// Ends the thread.
    Stop,
}

impl SyncWake {
    pub(super) const fn key(self) -> Option<i64> {
        match self {
            Self::Lease(key) => Some(key),
            Self::Stop => None,
        }
    }
}

/// The facts that decide if a call needs a lease.
#[derive(Debug, Default)]
pub(super) struct LeaseState {
    /// Channel to the sync thread; without a thread, no other server counts.
    wake: OnceLock<Sender<SyncWake>>,
    /// Number of this server in the state; 0 before it is registered.
    server: AtomicI64,
    /// Number of servers that count, including this one; 0 before the first answer of the state.
    servers: AtomicU32,
    /// True while the state cannot be written.
    is_unreachable: AtomicBool,
    /// Time of this server's last heartbeat in the state, in Unix seconds.
    seen_at: AtomicI64,
    /// Policy while the state cannot be reached.
    outage_policy: OutagePolicy,
}

/// Policy for calls beyond the leases while the state cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum OutagePolicy {
    /// Admits calls if this server is alone: no other server can have joined on an unreachable file.
    #[default]
    AdmitsIfAlone,
    /// Refuses calls: other servers may still reach the database and lease the same quotas.
    Refuses,
    /// Admits calls.
    Admits,
}

impl LeaseState {
    /// Makes calls be taken from leases, which the thread at the other end of `wake` requests.
    pub(super) fn start_leasing(&self, wake: Sender<SyncWake>) {
        // The first thread wins; there is never a second one.
        let _ = self.wake.set(wake);
    }

    pub(super) fn request_lease(&self, key: i64) {
        if let Some(wake) = self.wake.get() {
            // If the thread has ended, waiting calls time out.
            let _ = wake.send(SyncWake::Lease(key));
        }
    }

    /// Creates the facts for a state in a file or on a database server.
    pub(super) fn for_state(is_on_a_server: bool) -> Self {
        Self {
            outage_policy: if is_on_a_server { OutagePolicy::Refuses } else { OutagePolicy::AdmitsIfAlone },
            ..Self::default()
        }
    }

    /// Sets the policy to admit all calls while the state cannot be reached.
    pub(super) fn admit_during_outage(&mut self) {
        self.outage_policy = OutagePolicy::Admits;
    }

    /// Returns true if calls are admitted without a lease while the state cannot be reached.
    pub(super) fn admits_without_lease(&self) -> bool {
        self.outage_policy == OutagePolicy::Admits
            || (self.outage_policy == OutagePolicy::AdmitsIfAlone && self.is_alone())
    }

    /// Returns the present source of calls. A single server continues without the state, because no other one counts.
    pub(super) fn backing(&self) -> Backing {
        let is_unbacked =
            self.wake.get().is_none() || (self.is_state_unreachable() && self.admits_without_lease());
        if is_unbacked { Backing::Memory } else { Backing::Lease }
    }

    pub(super) fn is_alone(&self) -> bool {
        self.servers() == 1
    }

    pub(super) fn is_state_unreachable(&self) -> bool {
        self.is_unreachable.load(Ordering::Relaxed)
    }

    pub(super) fn set_state_unreachable(&self, is_unreachable: bool) {
        self.is_unreachable.store(is_unreachable, Ordering::Relaxed);
    }

    /// Returns true if this server's next heartbeat is due.
    pub(super) fn is_heartbeat_due(&self, now: i64) -> bool {
        self.seen_at.load(Ordering::Relaxed).abs_diff(now) >= SEEN_S.unsigned_abs()
    }

    pub(super) fn set_seen(&self, now: i64) {
        self.seen_at.store(now, Ordering::Relaxed);
    }

    pub(super) fn servers(&self) -> u32 {
        self.servers.load(Ordering::Relaxed)
    }

    pub(super) fn server(&self) -> i64 {
        self.server.load(Ordering::Relaxed)
    }

    /// Sets this server's number in the state; 0 if it has none.
    pub(super) fn set_server(&self, number: i64) {
        self.server.store(number, Ordering::Relaxed);
        if number == 0 {
            self.servers.store(0, Ordering::Relaxed);
        }
    }

    /// Sets the number of servers; ignored while this server has no number.
    pub(super) fn set_servers(&self, servers: u32) {
        if self.server() != 0 {
            self.servers.store(servers, Ordering::Relaxed);
        }
    }
}

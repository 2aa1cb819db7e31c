//! How calls come by leases: what this server knows of others on the state file, and the wait for what the thread that keeps the file
//! asks it for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::key_counter::Backing;
use crate::state::SEEN_S;

/// How long a call waits for a lease. The file is asked at once, and answers within milliseconds.
pub(super) const LEASE_WAIT: Duration = Duration::from_secs(2);

/// What wakes the thread that keeps the state file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncWake {
    /// A lease of this key is asked for.
    Lease(i64),
    /// It is to end.
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

/// What this server knows of others on the state file.
#[derive(Debug, Default)]
pub(super) struct Leasing {
    /// Wakes the thread that keeps the state file. Without one nobody else counts.
    wake: OnceLock<Sender<SyncWake>>,
    /// The number of this server in the file; 0 until it has one.
    server: AtomicI64,
    /// How many servers count, this one among them; 0 as long as the file was never asked.
    servers: AtomicU32,
    /// Whether the file cannot be written now.
    is_away: AtomicBool,
    /// When the file was last told that this server lives.
    seen_at: AtomicI64,
}

impl Leasing {
    /// From here on calls are taken from leases, which the thread behind this sender asks for.
    pub(super) fn begin(&self, wake: Sender<SyncWake>) {
        // A second thread on the same access control is not started.
        let _ = self.wake.set(wake);
    }

    /// Asks for a lease.
    pub(super) fn ask(&self, key: i64) {
        if let Some(wake) = self.wake.get() {
            // Where the thread has ended, whoever waits does so in vain.
            let _ = wake.send(SyncWake::Lease(key));
        }
    }

    /// What calls are taken from now. A server that is alone goes on without the file: nobody else counts.
    pub(super) fn backing(&self) -> Backing {
        let goes_alone = self.wake.get().is_none() || (self.is_away() && self.is_alone());
        if goes_alone { Backing::Memory } else { Backing::Lease }
    }

    pub(super) fn is_alone(&self) -> bool {
        self.servers() == 1
    }

    pub(super) fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    pub(super) fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    /// Whether the file is to be told again that this server lives.
    pub(super) fn is_unseen(&self, now: i64) -> bool {
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

    /// The file has this server under a number, or none any more.
    pub(super) fn set_server(&self, number: i64) {
        self.server.store(number, Ordering::Relaxed);
        if number == 0 {
            self.servers.store(0, Ordering::Relaxed);
        }
    }

    /// So many servers count, as the file says; of no interest to one that it does not have.
    pub(super) fn set_servers(&self, servers: u32) {
        if self.server() != 0 {
            self.servers.store(servers, Ordering::Relaxed);
        }
    }
}

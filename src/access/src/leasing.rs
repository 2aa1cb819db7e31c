//! How calls come by leases: what this server knows of others on the state file, and the wait for what the thread that keeps the file
//! asks it for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::key_counter::Backing;
use parquote_state::SEEN_S;

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
    /// What is done while the state cannot be reached.
    away: Away,
}

/// What a server does beyond its leases while the state cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Away {
    /// It goes on if it is alone: on a file nobody else can have come since.
    #[default]
    ServesAlone,
    /// Nothing: others may have come, on machines that reach the state.
    Refuses,
    /// It goes on.
    Serves,
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

    /// Of servers that share a file, or of those that share a database.
    pub(super) fn over(is_on_a_server: bool) -> Self {
        Self { away: if is_on_a_server { Away::Refuses } else { Away::ServesAlone }, ..Self::default() }
    }

    /// From here on calls are let in while the state cannot be reached.
    pub(super) fn serve_away(&mut self) {
        self.away = Away::Serves;
    }

    /// Whether calls are let in without a lease while the state cannot be reached.
    pub(super) fn goes_alone(&self) -> bool {
        self.away == Away::Serves || (self.away == Away::ServesAlone && self.is_alone())
    }

    /// What calls are taken from now. A server that is alone goes on without the file: nobody else counts.
    pub(super) fn backing(&self) -> Backing {
        let is_unbacked = self.wake.get().is_none() || (self.is_away() && self.goes_alone());
        if is_unbacked { Backing::Memory } else { Backing::Lease }
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

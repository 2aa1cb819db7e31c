//! Whether the server can answer, and whether it is about to stop. It answers all the same while it is about to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parquote_access::StateFailures;

/// Whether requests can be answered: from the first snapshot on, until the server is told to stop. Beside it stands whether the
/// state file can be used. A server whose file cannot still answers and counts, so that this alone takes it out of no balancer:
/// a full disk that all of them share would take out all.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    has_data: Arc<AtomicBool>,
    draining: Draining,
    pub(super) state: Arc<StateFailures>,
}

/// Whether the server is about to stop: callers are sent away from then on, one reply each.
#[derive(Debug, Clone, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Readiness {
    /// Not ready yet, over the state file whose failures these are.
    pub fn over(state: Arc<StateFailures>) -> Self {
        Self { state, ..Self::default() }
    }

    /// Requests can be answered from now on.
    pub fn has_data(&self) {
        self.has_data.store(true, Ordering::Release);
    }

    /// The server is about to stop; whether it was ready until now.
    pub fn drain(&self) -> bool {
        let was_ready = self.is_ready();
        self.draining.0.store(true, Ordering::Release);
        was_ready
    }

    /// Whether new requests are welcome.
    pub(super) fn is_ready(&self) -> bool {
        self.has_data.load(Ordering::Acquire) && !self.draining.is_on()
    }

    /// Whether it is about to stop, for whoever sends callers away.
    pub fn draining(&self) -> Draining {
        self.draining.clone()
    }
}

impl Draining {
    pub(super) fn is_on(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

//! Readiness and draining. A draining server still answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parquote_access::StateFailures;

/// Readiness for requests: from the first snapshot on, until the server drains. The health of the state file is reported in addition, but
/// does not count: a server without it still answers and counts, and a full disk shared by all servers would take all of them out of the
/// balancer.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    has_data: Arc<AtomicBool>,
    draining: DrainFlag,
    pub(super) state: Arc<StateFailures>,
}

/// A flag, set when the server is about to stop: each connection then gets one more reply.
#[derive(Debug, Clone, Default)]
pub struct DrainFlag(Arc<AtomicBool>);

impl Readiness {
    /// Builds the state of a server that is not ready, with the failures of its state file.
    pub fn with_state_failures(state: Arc<StateFailures>) -> Self {
        Self { state, ..Self::default() }
    }

    /// Marks the data as loaded.
    pub fn mark_loaded(&self) {
        self.has_data.store(true, Ordering::Release);
    }

    /// Starts draining; returns true if the server was ready until then.
    pub fn drain(&self) -> bool {
        let was_ready = self.is_ready();
        self.draining.0.store(true, Ordering::Release);
        was_ready
    }

    /// Returns true if the server accepts new requests.
    pub(super) fn is_ready(&self) -> bool {
        self.has_data.load(Ordering::Acquire) && !self.draining.is_draining()
    }

    /// Returns the draining flag.
    pub fn draining(&self) -> DrainFlag {
        self.draining.clone()
    }
}

impl DrainFlag {
    pub(super) fn is_draining(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

//! Counters of connections for operators: open, accepted, and ended by the server, by reason. Updates never block.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of connections.
#[derive(Debug, Default)]
pub struct ConnectionFigures {
    accepted: AtomicU64,
    closed: AtomicU64,
    /// Connections that the server ended, by reason.
    ended: [AtomicU64; EndReason::ALL.len()],
}

parquote_catalogue::word_enum! {
    /// Reason for which the server ended a connection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum EndReason {
        /// Its address had the maximum of connections, all busy.
        Address = "address",
        /// It was idle, and its place was needed.
        Room = "room",
        /// It was idle for too long.
        Idle = "idle",
        /// Its caller read no bytes of a reply for too long.
        Stalled = "stalled",
    }
    const ALL "All reasons.";
    fn word "Returns the reason as a label of figures.";
}

impl ConnectionFigures {
    pub(super) fn count_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_close(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_end(&self, reason: EndReason) {
        if let Some(count) = self.ended.get(reason as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of open connections.
    pub(super) fn open(&self) -> u64 {
        // `closed` is read first, so that a connection closed in between is in `accepted` already.
        let closed = self.closed.load(Ordering::Relaxed);
        self.accepted_count().saturating_sub(closed)
    }

    /// Returns the number of connections ever accepted, open ones included.
    pub(super) fn accepted_count(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Returns the number of connections ended by the server, by the word for the reason.
    pub(super) fn ends_by_reason(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.ended.iter().map(|count| count.load(Ordering::Relaxed));
        EndReason::ALL.map(EndReason::word).into_iter().zip(counts)
    }
}

//! Counters of connections for operators: open, accepted, and ended by the server, by reason. Updates never block.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of connections.
#[derive(Debug, Default)]
pub struct ConnectionFigures {
    taken: AtomicU64,
    left: AtomicU64,
    ended: [AtomicU64; EndReason::ALL.len()],
}

/// Reason for which the server ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndReason {
    /// Its address had its maximum of connections, all busy.
    Address,
    /// It was idle, and its place was needed.
    Room,
    /// It was idle for too long.
    Idle,
    /// Its caller read nothing of a reply for too long.
    Stalled,
}

impl EndReason {
    pub(super) const ALL: [Self; 4] = [Self::Address, Self::Room, Self::Idle, Self::Stalled];

    const fn word(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Room => "room",
            Self::Idle => "idle",
            Self::Stalled => "stalled",
        }
    }
}

impl ConnectionFigures {
    pub(super) fn take(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn leave(&self) {
        self.left.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self, reason: EndReason) {
        if let Some(count) = self.ended.get(reason as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of open connections.
    pub(super) fn open(&self) -> u64 {
        // `left` is read first, so that a connection closed in between is in `taken` already.
        let left = self.left.load(Ordering::Relaxed);
        self.taken().saturating_sub(left)
    }

    /// Returns the number of connections ever accepted, open ones included.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Returns the number of connections ended by the server, by the word for the reason.
    pub(super) fn ended(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.ended.iter().map(|count| count.load(Ordering::Relaxed));
        EndReason::ALL.map(EndReason::word).into_iter().zip(counts)
    }
}

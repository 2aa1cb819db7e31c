//! What connections tell operators: how many are open, how many there were, and why the server ended some. Nothing waits for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many connections there are and were.
#[derive(Debug, Default)]
pub struct ConnectionFigures {
    taken: AtomicU64,
    left: AtomicU64,
    ended: [AtomicU64; EndReason::ALL.len()],
}

/// Why the server ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndReason {
    /// Its address had as many as it may, and all were at work.
    Address,
    /// It was idle, and its place was needed.
    Room,
    /// It was idle for too long.
    Idle,
    /// Its caller took nothing of a reply for too long.
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

    /// Connections that are open.
    pub(super) fn open(&self) -> u64 {
        // Read first: one that leaves meanwhile was taken before.
        let left = self.left.load(Ordering::Relaxed);
        self.taken().saturating_sub(left)
    }

    /// Connections that there were, with those that are open.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Connections that the server ended, by the word for its reason.
    pub(super) fn ended(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.ended.iter().map(|count| count.load(Ordering::Relaxed));
        EndReason::ALL.map(EndReason::word).into_iter().zip(counts)
    }
}

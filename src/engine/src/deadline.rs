//! The moment by which a call must be answered, the wait for its turn included. All work for a call has the same deadline.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::EngineError;

/// The moment by which a call must be answered.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    /// So much time from now on.
    pub fn after(limit: Duration) -> Self {
        Self { at: Instant::now() + limit, limit }
    }

    /// So much time from now on, if that is earlier.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        let sooner = Self::after(limit);
        if sooner.at < self.at { sooner } else { self }
    }

    /// The moment.
    pub fn at(self) -> Instant {
        self.at
    }

    /// That the time is over.
    pub fn overrun(self) -> EngineError {
        EngineError::Deadline { limit_ms: self.limit.as_millis() as u64 }
    }
}

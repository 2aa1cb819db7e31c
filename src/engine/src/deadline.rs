//! The deadline of a call, which includes its time in the queue. All work for a call shares it.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::EngineError;

/// Time by which a call must be answered.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    /// Returns the deadline `limit` from now.
    pub fn after(limit: Duration) -> Self {
        Self { at: Instant::now() + limit, limit }
    }

    /// Returns the earlier of this deadline and a deadline `limit` from now.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        let sooner = Self::after(limit);
        if sooner.at < self.at { sooner } else { self }
    }

    /// Returns the instant of the deadline.
    pub fn at(self) -> Instant {
        self.at
    }

    /// Returns the error for a passed deadline.
    pub fn timeout_error(self) -> EngineError {
        EngineError::Deadline(self.limit.as_millis() as u64)
    }
}

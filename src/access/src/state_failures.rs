//! Failures of the state, for operators, and the backoff of retries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use parquote_state::StateError;

/// Pause after the first failure, before doubling.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum pause between two attempts, short enough to notice soon that a disk has room again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Interval of log messages while the state cannot be used.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Failures of the state, for operators.
#[derive(Debug, Default)]
pub struct StateFailures {
    /// Number of failed reads and writes.
    count: AtomicU64,
    /// Reason of the last attempt's failure; `None` if it succeeded.
    reason: Mutex<Option<String>>,
}

impl StateFailures {
    /// Returns the number of failed reads and writes.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns the reason why the state cannot be read or written at present; `None` if it can.
    pub fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn record_failure(&self, error: &StateError) {
        self.count.fetch_add(1, Ordering::Relaxed);
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
    }

    fn record_recovery(&self) {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Kind of an attempt to use the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptKind {
    Read,
    Write,
}

/// Times of the next attempt and of the next log message.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    failures: u32,
    /// True after a failed write. A read may still succeed, for example on a full disk, and does not reset it.
    has_failed_write: bool,
    try_at: Option<Instant>,
    log_at: Option<Instant>,
}

impl Pauses {
    /// Returns the later of a time and the end of the pause.
    pub(super) fn pause_end(&self, at: Instant) -> Instant {
        self.try_at.map_or(at, |end| end.max(at))
    }

    /// Returns true if a write failed and none has succeeded since.
    pub(super) const fn has_failed_write(&self) -> bool {
        self.has_failed_write
    }

    /// Records the result of an attempt, and sets the time of the next one after a failure.
    pub(super) fn record_attempt(
        &mut self,
        attempt: AttemptKind,
        outcome: Result<(), StateError>,
        now: Instant,
        failures: &StateFailures,
    ) {
        let Err(error) = outcome else {
            if self.has_failed_write && attempt == AttemptKind::Read {
                return;
            }
            if self.failures > 0 {
                tracing::info!("the state file can be used again after {} tries in vain", self.failures);
            }
            failures.record_recovery();
            *self = Self::default();
            return;
        };
        failures.record_failure(&error);
        self.has_failed_write |= attempt == AttemptKind::Write;
        self.failures = self.failures.saturating_add(1);
        self.try_at = Some(now + self.pause());
        if self.log_at.is_none_or(|at| now >= at) {
            self.log_at = Some(now + LOG_INTERVAL);
            let cause = std::error::Error::source(&error);
            tracing::error!(
                cause,
                tries = self.failures,
                "{error}; it is retried, and counts are held in memory until then"
            );
        }
    }

    /// Returns the pause after the present number of failures, which doubles with each one.
    fn pause(&self) -> Duration {
        PAUSE.saturating_mul(2_u32.saturating_pow(self.failures.min(16))).min(LONGEST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_tried_ever_more_seldom() {
        let failed = || Err(StateError::Locked("state.db".into()));
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        let mut tries = 0;
        // Five minutes of looks, ten per second.
        for look in 0..3_000 {
            let now = began + PAUSE * look;
            if pauses.pause_end(now) <= now {
                tries += 1;
                pauses.record_attempt(AttemptKind::Read, failed(), now, &failures);
            }
        }
        // 0.2 + 0.4 + ... + 25.6 s, then every half minute.
        assert_eq!((tries, failures.count()), (17, 17));
        assert!(failures.reason().is_some());
        pauses.record_attempt(AttemptKind::Read, Ok(()), began, &failures);
        assert!(failures.reason().is_none() && pauses.pause_end(began) <= began);
    }

    #[test]
    fn a_disk_that_can_be_read_and_not_written_is_no_file_that_can_be_used() {
        let failed = || Err(StateError::Locked("state.db".into()));
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        pauses.record_attempt(AttemptKind::Write, failed(), began, &failures);
        pauses.record_attempt(AttemptKind::Read, Ok(()), began, &failures);
        assert!(failures.reason().is_some() && pauses.pause_end(began) > began);
        pauses.record_attempt(AttemptKind::Write, Ok(()), began, &failures);
        assert!(failures.reason().is_none() && pauses.pause_end(began) <= began);
    }
}

//! How the state file stands for operators, and when one that cannot be used is tried again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use parquote_state::StateError;

/// The pause after the first failure, without its doubling.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two tries to use a file that could not be used: a disk that has room again is found soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often the log says that the file still cannot be used.
const SAID: Duration = Duration::from_mins(1);

/// How the state file stands, for operators.
#[derive(Debug, Default)]
pub struct StateFailures {
    /// How often it could not be read or written.
    count: AtomicU64,
    /// Why the last try failed, if it did.
    reason: Mutex<Option<String>>,
}

impl StateFailures {
    /// How often the file could not be read or written.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Why it cannot be read or written now; `None` if it can.
    pub fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn failed(&self, error: &StateError) {
        self.count.fetch_add(1, Ordering::Relaxed);
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
    }

    fn recovered(&self) {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// How far a try came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    Read,
    Written,
}

/// When the file is tried again, and when the log says that it cannot be used.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    failures: u32,
    /// Whether a write failed: reads that succeed say nothing then, as on a full disk.
    is_unwritten: bool,
    try_at: Option<Instant>,
    say_at: Option<Instant>,
}

impl Pauses {
    /// When the file may be tried that would be tried at this time.
    pub(super) fn end(&self, at: Instant) -> Instant {
        self.try_at.map_or(at, |end| end.max(at))
    }

    /// Whether a write failed, and none has succeeded since.
    pub(super) const fn is_unwritten(&self) -> bool {
        self.is_unwritten
    }

    /// Takes note of how a try ended, and sets the next.
    pub(super) fn note(
        &mut self,
        tried: Tried,
        done: Result<(), StateError>,
        now: Instant,
        failures: &StateFailures,
    ) {
        let Err(error) = done else {
            if self.is_unwritten && tried == Tried::Read {
                return;
            }
            if self.failures > 0 {
                tracing::info!("the state file can be used again after {} tries in vain", self.failures);
            }
            failures.recovered();
            *self = Self::default();
            return;
        };
        failures.failed(&error);
        self.is_unwritten |= tried == Tried::Written;
        self.failures = self.failures.saturating_add(1);
        self.try_at = Some(now + self.pause());
        if self.say_at.is_none_or(|at| now >= at) {
            self.say_at = Some(now + SAID);
            let cause = std::error::Error::source(&error);
            tracing::error!(
                cause,
                tries = self.failures,
                "{error}; it is tried again, and counts are kept until then"
            );
        }
    }

    /// Twice as long after each failure.
    fn pause(&self) -> Duration {
        PAUSE.saturating_mul(2_u32.saturating_pow(self.failures.min(16))).min(LONGEST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_tried_ever_more_seldom() {
        let failed = || Err(StateError::Locked { path: "state.db".into() });
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        let mut tries = 0;
        // Five minutes of looks, ten a second.
        for look in 0..3_000 {
            let now = began + PAUSE * look;
            if pauses.end(now) <= now {
                tries += 1;
                pauses.note(Tried::Read, failed(), now, &failures);
            }
        }
        // 0.2 + 0.4 + ... + 25.6 s, then every half minute.
        assert_eq!((tries, failures.count()), (17, 17));
        assert!(failures.reason().is_some());
        pauses.note(Tried::Read, Ok(()), began, &failures);
        assert!(failures.reason().is_none() && pauses.end(began) <= began);
    }

    #[test]
    fn a_disk_that_can_be_read_and_not_written_is_no_file_that_can_be_used() {
        let failed = || Err(StateError::Locked { path: "state.db".into() });
        let (failures, began) = (StateFailures::default(), Instant::now());
        let mut pauses = Pauses::default();
        pauses.note(Tried::Written, failed(), began, &failures);
        pauses.note(Tried::Read, Ok(()), began, &failures);
        assert!(failures.reason().is_some() && pauses.end(began) > began);
        pauses.note(Tried::Written, Ok(()), began, &failures);
        assert!(failures.reason().is_none() && pauses.end(began) <= began);
    }
}

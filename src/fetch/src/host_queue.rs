//! One request at a time to a group of hosts, never faster than its spacing, over all processes that share the folder of slots.
//!
//! A slot is a file that is locked during a request and holds the time of the last one. Refusals in a row close the group for the run. A
//! wait that a host asked for is written into the slot, so that the next run keeps it too.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::clock::FetchClock;
use super::host_group::HostGroup;

/// So often another process's request is waited for.
const POLL: Duration = Duration::from_millis(50);
/// The longest wait within a run; a host that wants more closes for the run.
const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(15);
/// The longest wait that is kept over runs, whatever the host asks for.
const LONGEST_REST: TimeDelta = TimeDelta::days(1);
/// The spacing is made longer by up to this part of itself, so that requests have no beat.
const JITTER: f64 = 0.3;

/// What a slot holds, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct HostSlot {
    /// The last request: its end, or its beginning as long as it lasts.
    last: i64,
    /// No request before this.
    #[serde(default)]
    not_before: i64,
}

/// The turn to make one request; the lock ends with it.
#[derive(Debug)]
pub(crate) struct Turn {
    file: File,
}

/// Why a group gets no more requests in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closed(pub(crate) String);

/// The queue of a group of hosts, for one run.
#[derive(Debug)]
pub(crate) struct HostQueue {
    group: Arc<HostGroup>,
    path: PathBuf,
    clock: Arc<dyn FetchClock>,
    /// Refusals in a row.
    refusals: u32,
    /// Files in a row that were not received.
    failures: u32,
    closed: Option<Closed>,
}

impl HostQueue {
    pub(crate) fn new(group: Arc<HostGroup>, path: PathBuf, clock: Arc<dyn FetchClock>) -> Self {
        Self { group, path, clock, refusals: 0, failures: 0, closed: None }
    }

    /// Why it is closed, if it is.
    pub(crate) const fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }

    /// Waits for the turn to make a request; `waits` receives the time.
    pub(crate) async fn enter(&mut self, waits: &(dyn Fn(Duration) + Sync)) -> Result<Turn, Closed> {
        if let Some(closed) = &self.closed {
            return Err(closed.clone());
        }
        let mut file =
            self.lock().await.map_err(|error| self.close(format!("its slot cannot be locked: {error}")))?;
        let slot = read(&mut file);
        let now = self.clock.now();
        let wait = self.wait(slot, now);
        if wait > LONGEST_WAIT {
            let until = (now + wait).format("%Y-%m-%d %H:%M UTC");
            return Err(self.close(format!("it wants no request before {until}")));
        }
        if let Ok(wait) = wait.to_std()
            && !wait.is_zero()
        {
            waits(wait);
            self.clock.sleep(wait).await;
        }
        let mut turn = Turn { file };
        self.mark(&mut turn, None);
        Ok(turn)
    }

    /// The time until the next request may be made.
    fn wait(&self, slot: HostSlot, now: DateTime<Utc>) -> TimeDelta {
        let now = now.timestamp_millis();
        let chance = self.clock.chance().clamp(0.0, 1.0);
        let spacing = self.group.spacing.0.mul_f64(1.0 + JITTER * chance).as_millis() as i64;
        // A clock that was set back has no request in its future to wait for, but the spacing still holds.
        let until_spaced = (slot.last + spacing - now).min(spacing);
        let until_asked = (slot.not_before - now).min(LONGEST_REST.num_milliseconds());
        TimeDelta::milliseconds(until_spaced.max(until_asked).max(0))
    }

    async fn lock(&self) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => self.clock.sleep(POLL).await,
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(file);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// The request is over; no further one is made before the time that the host asked for, if it did.
    pub(crate) fn leave(&self, mut turn: Turn, after: Option<Duration>) {
        self.mark(&mut turn, after);
    }

    /// The host sent the file, or said that it has none.
    pub(crate) const fn answered(&mut self) {
        self.refusals = 0;
        self.failures = 0;
    }

    /// A file was not received after all tries. A host that is down is not asked for all the others.
    pub(crate) fn failed(&mut self, why: &str) {
        self.failures += 1;
        if self.failures >= self.group.stop_after {
            let files = self.failures;
            self.close(format!("{files} files in a row did not come, at last: {why}"));
        }
    }

    /// The host refused.
    pub(crate) fn refused(&mut self, words: &str) {
        self.refusals += 1;
        if self.refusals >= self.group.stop_after {
            let times = self.refusals;
            self.close(format!("it refused {times} times in a row, at last with {words}"));
        }
    }

    /// The wait after a refusal that names none.
    pub(crate) fn pause(&self) -> Duration {
        self.group.pause.0
    }

    fn close(&mut self, why: String) -> Closed {
        self.closed.get_or_insert(Closed(why)).clone()
    }

    /// Writes the moment of a request into its slot. A slot that cannot be written costs the spacing among processes, no more.
    fn mark(&self, turn: &mut Turn, after: Option<Duration>) {
        let now = self.clock.now();
        let rest = |after| TimeDelta::from_std(after).map_or(LONGEST_REST, |rest| rest.min(LONGEST_REST));
        let asked = after.and_then(|after| now.checked_add_signed(rest(after)));
        let not_before = asked.map_or_else(|| read(&mut turn.file).not_before, |at| at.timestamp_millis());
        let slot = HostSlot { last: now.timestamp_millis(), not_before };
        if let Err(error) = write(&mut turn.file, slot) {
            tracing::warn!(%error, group = self.group.name, "the slot of a group of hosts cannot be written");
        }
    }
}

/// What a slot holds; a new or a torn one holds nothing.
fn read(file: &mut File) -> HostSlot {
    let mut text = Vec::new();
    let whole = file.rewind().and_then(|()| file.take(4_096).read_to_end(&mut text));
    whole.ok().and_then(|_| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn write(file: &mut File, slot: HostSlot) -> io::Result<()> {
    let text = serde_json::to_vec(&slot).map_err(io::Error::other)?;
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&text)
}

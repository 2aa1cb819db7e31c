//! Serializes the requests to a host group with its spacing, across all processes that share the slot folder.
//!
//! A slot is a file that is locked during a request and has the time of the last one. Consecutive refusals close the group for
//! the run. A wait that a host requests is stored in the slot, so that later runs respect it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::clock::FetchClock;
use super::host_group::HostGroup;

/// Poll interval while another process holds the slot.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest wait within a run; a host that requests a longer one closes for the run.
const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(15);
/// Longest wait that is stored for later runs, even if the host requests more.
const LONGEST_STORED_WAIT: TimeDelta = TimeDelta::days(1);
/// Maximum fraction by which the spacing is randomly extended, so that requests are not periodic.
const MOST_JITTER: f64 = 0.3;

/// Content of a slot, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct HostSlot {
    /// Time of the last request: the end of the request, or its start while it runs.
    last: i64,
    /// Earliest time of the next request.
    #[serde(default)]
    not_before: i64,
}

/// Permission to make one request; dropping it releases the slot.
#[derive(Debug)]
pub(crate) struct Turn {
    file: File,
}

/// The reason why a group gets no more requests in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupClosed(pub(crate) String);

/// The queue of a host group, for one run.
#[derive(Debug)]
pub(crate) struct HostQueue {
    group: Arc<HostGroup>,
    path: PathBuf,
    clock: Arc<dyn FetchClock>,
    /// Number of consecutive refusals.
    refusals: u32,
    /// Number of consecutive files that were not received.
    failures: u32,
    /// The reason why the group gets no more requests in this run.
    closed: Option<GroupClosed>,
}

impl HostQueue {
    pub(crate) fn new(group: Arc<HostGroup>, path: PathBuf, clock: Arc<dyn FetchClock>) -> Self {
        Self { group, path, clock, refusals: 0, failures: 0, closed: None }
    }

    /// Returns the reason why the queue is closed; `None` while it is open.
    pub(crate) const fn closed_reason(&self) -> Option<&GroupClosed> {
        self.closed.as_ref()
    }

    /// Waits until a request is allowed; `on_wait` is called with the waiting time.
    pub(crate) async fn wait_for_turn(
        &mut self,
        on_wait: &(dyn Fn(Duration) + Sync),
    ) -> Result<Turn, GroupClosed> {
        if let Some(closed) = &self.closed {
            return Err(closed.clone());
        }
        let mut file =
            self.lock().await.map_err(|error| self.close(format!("its slot cannot be locked: {error}")))?;
        let slot = read_slot(&mut file);
        let now = self.clock.now();
        let wait = self.wait(slot, now);
        if wait > LONGEST_WAIT {
            let until = (now + wait).format("%Y-%m-%d %H:%M UTC");
            return Err(self.close(format!("it wants no request before {until}")));
        }
        if let Ok(wait) = wait.to_std()
            && !wait.is_zero()
        {
            on_wait(wait);
            self.clock.sleep(wait).await;
        }
        let mut turn = Turn { file };
        self.write_slot_time(&mut turn, None);
        Ok(turn)
    }

    /// Computes the time until the next request is allowed.
    fn wait(&self, slot: HostSlot, now: DateTime<Utc>) -> TimeDelta {
        let now = now.timestamp_millis();
        let chance = self.clock.chance().clamp(0.0, 1.0);
        let spacing = self.group.spacing.0.mul_f64(1.0 + MOST_JITTER * chance).as_millis() as i64;
        // If the clock was set back, the last request is in its future; the wait is limited to the spacing.
        let until_spaced = (slot.last + spacing - now).min(spacing);
        let until_requested = (slot.not_before - now).min(LONGEST_STORED_WAIT.num_milliseconds());
        TimeDelta::milliseconds(until_spaced.max(until_requested).max(0))
    }

    async fn lock(&self) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => self.clock.sleep(POLL_INTERVAL).await,
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(file);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Ends a request; `after` is the wait before the next one that the host requests.
    pub(crate) fn end_request(&self, mut turn: Turn, after: Option<Duration>) {
        self.write_slot_time(&mut turn, after);
    }

    /// Records a reply: the file, or the statement that it does not exist.
    pub(crate) const fn record_reply(&mut self) {
        self.refusals = 0;
        self.failures = 0;
    }

    /// Records a file that was not received after all attempts; after several in a row, the group gets no more requests.
    pub(crate) fn record_failure(&mut self, why: &str) {
        self.failures += 1;
        if self.failures >= self.group.stop_after {
            let files = self.failures;
            self.close(format!("{files} files in a row did not come, at last: {why}"));
        }
    }

    pub(crate) fn record_refusal(&mut self, words: &str) {
        self.refusals += 1;
        if self.refusals >= self.group.stop_after {
            let times = self.refusals;
            self.close(format!("it refused {times} times in a row, at last with {words}"));
        }
    }

    /// Returns the wait after a refusal that states no time.
    pub(crate) fn pause(&self) -> Duration {
        self.group.pause.0
    }

    fn close(&mut self, why: String) -> GroupClosed {
        self.closed.get_or_insert(GroupClosed(why)).clone()
    }

    /// Writes the time of a request, and the requested wait, to the slot. If that fails, only the spacing between processes is lost.
    fn write_slot_time(&self, turn: &mut Turn, after: Option<Duration>) {
        let now = self.clock.now();
        let limited = |after| {
            TimeDelta::from_std(after).map_or(LONGEST_STORED_WAIT, |wait| wait.min(LONGEST_STORED_WAIT))
        };
        let requested_time = after.and_then(|after| now.checked_add_signed(limited(after)));
        let not_before =
            requested_time.map_or_else(|| read_slot(&mut turn.file).not_before, |at| at.timestamp_millis());
        let slot = HostSlot { last: now.timestamp_millis(), not_before };
        if let Err(error) = write_slot(&mut turn.file, slot) {
            tracing::warn!(%error, group = self.group.name, "the slot of a group of hosts cannot be written");
        }
    }
}

/// Reads a slot; a new or damaged one counts as empty.
fn read_slot(file: &mut File) -> HostSlot {
    let mut text = Vec::new();
    let outcome = file.rewind().and_then(|()| file.take(4_096).read_to_end(&mut text));
    outcome.ok().and_then(|_| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn write_slot(file: &mut File, slot: HostSlot) -> io::Result<()> {
    let text = serde_json::to_vec(&slot).map_err(io::Error::other)?;
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&text)
}

//! Cancels a job: sets its status at once, then signals its worker, in this server or another one.

use serde::Serialize;
use tokio::sync::watch;

use super::error::JobError;
use super::held;
use super::jobs::Jobs;
use super::record::{Job, JobStatus};
use super::store::Address;

/// How often a cancel looks whether another server has acknowledged it.
const ASKING: std::time::Duration = std::time::Duration::from_millis(100);

/// The result of a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// `Cancelled`, or the status that the job had ended with before.
    pub status: JobStatus,
    /// Whether the signal reached the worker. `None` for a job that completed or failed: there was nobody to tell. One
    /// that was cancelled before says how that cancel stands by now.
    pub signal: Option<Signal>,
}

/// Whether the signal of a cancel reached the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// The work has ended.
    Ok,
    /// The worker did not let go of the job in time, or is gone. It can record nothing in any case.
    Failed,
    /// No worker was registered: the job had not been taken, or had been put back into the queue.
    Unknown,
}

impl Signal {
    /// The signal in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// How a job that is cancelled stands.
    fn of(job: &Job) -> Self {
        match (&job.worker, job.cancel_ack) {
            (None, _) => Self::Unknown,
            (Some(_), true) => Self::Ok,
            (Some(_), false) => Self::Failed,
        }
    }
}

impl Jobs {
    /// Cancels a job. From here on it is cancelled, whether its worker hears of it or not; one that has ended before
    /// stays as it is.
    ///
    /// # Errors
    /// No such job, or a store that cannot be written: the job continues then.
    pub async fn cancel(&self, owner: &str, kind: &str, id: &str) -> Result<Cancelled, JobError> {
        let address = Jobs::address(owner, kind, id);
        let now = (self.shared.clock)();
        let found = self.shared.store.cancel(&address, now).await?;
        let found = found.ok_or_else(|| Jobs::not_found(&address))?;
        let job = found.job;
        let signal = match job.status {
            JobStatus::Cancelled if found.ended_now => Some(self.deliver(&address, &job).await),
            JobStatus::Cancelled => Some(Signal::of(&job)),
            JobStatus::Running | JobStatus::Completed | JobStatus::Failed => None,
        };
        Ok(Cancelled { status: job.status, signal })
    }

    /// Tells the worker of a job, and waits for it a little.
    async fn deliver(&self, address: &Address, job: &Job) -> Signal {
        let Some(worker) = &job.worker else { return Signal::Unknown };
        let signal = tokio::time::timeout(self.shared.settings.cancel_there, async {
            loop {
                // Asked each time: a job that was taken this moment is not known here at once.
                if let Some(gone) = self.shared.held.stop(worker) {
                    return self.gone(gone).await;
                }
                if let Some(signal) = self.acknowledged(address).await {
                    return signal;
                }
                tokio::time::sleep(ASKING).await;
            }
        });
        signal.await.unwrap_or(Signal::Failed)
    }

    /// Waits until the job has stopped on this server.
    async fn gone(&self, gone: watch::Receiver<()>) -> Signal {
        let ended = tokio::time::timeout(self.shared.settings.cancel_here, held::gone(gone)).await;
        if ended.is_ok() { Signal::Ok } else { Signal::Failed }
    }

    /// Whether the worker in another server has let go, which its next heartbeat does, or can no longer be there; `None`
    /// while neither is so.
    async fn acknowledged(&self, address: &Address) -> Option<Signal> {
        let now = (self.shared.clock)();
        match self.shared.store.job(address).await {
            Ok(Some(job)) if job.cancel_ack => Some(Signal::Ok),
            Ok(Some(job)) => job.lease_until.is_none_or(|until| until <= now).then_some(Signal::Failed),
            Ok(None) => Some(Signal::Failed),
            Err(error) => {
                tracing::warn!(cause = error.chain(), "it is not known whether a cancel was delivered");
                Some(Signal::Failed)
            }
        }
    }
}

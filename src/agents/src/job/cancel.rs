//! Cancels a job: sets its status at once, then signals its worker, on this server or another one.

use serde::Serialize;
use tokio::sync::watch;

use super::error::JobError;
use super::held;
use super::jobs::Jobs;
use super::record::{Job, JobStatus};
use super::store::Address;

/// Interval at which a cancel checks for another server's acknowledgement.
const CANCEL_CHECK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(100);

/// The result of a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CancelResult {
    /// `Cancelled`, or the final status that the job already had.
    pub status: JobStatus,
    /// Delivery of the signal to the worker; `None` for a completed or failed job, which has no worker. For a job that was cancelled
    /// earlier, the present state of that cancel.
    pub signal: Option<Signal>,
}

parquote_catalogue::word_enum! {
    /// Delivery of a cancel to the worker.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Signal {
        /// The worker has ended the job.
        Ok = "ok",
        /// The worker did not release the job in time, or has ended. In both cases it can record nothing more.
        Failed = "failed",
        /// No worker was registered: the job was never taken, or was put back into the queue.
        Unknown = "unknown",
    }
    fn word "Returns the signal as one word.";
}

impl Signal {
    /// Returns the result for a job that is already cancelled.
    fn from_job(job: &Job) -> Self {
        match (&job.worker, job.cancel_ack) {
            (None, _) => Self::Unknown,
            (Some(_), true) => Self::Ok,
            (Some(_), false) => Self::Failed,
        }
    }
}

impl Jobs {
    /// Cancels a job at once, even if the signal does not reach its worker. A job that has ended does not change.
    ///
    /// # Errors
    /// There is no such job, or the store cannot be written: the job continues then.
    pub async fn cancel(&self, owner: &str, kind: &str, id: &str) -> Result<CancelResult, JobError> {
        let address = Jobs::address(owner, kind, id);
        let now = (self.shared.clock)();
        let cancelled = self.shared.store.cancel(&address, now).await?;
        let cancelled = cancelled.ok_or_else(|| Jobs::not_found(&address))?;
        let job = cancelled.row;
        let signal = match job.status {
            JobStatus::Cancelled if cancelled.ended_now => Some(self.signal_worker(&address, &job).await),
            JobStatus::Cancelled => Some(Signal::from_job(&job)),
            JobStatus::Running | JobStatus::Completed | JobStatus::Failed => None,
        };
        Ok(CancelResult { status: job.status, signal })
    }

    /// Signals the worker of a job and waits briefly for it.
    async fn signal_worker(&self, address: &Address, job: &Job) -> Signal {
        let Some(worker) = &job.worker else { return Signal::Unknown };
        let signal = tokio::time::timeout(self.shared.settings.remote_cancel_timeout, async {
            loop {
                // Each round checks this again: a job that was just taken may not be registered here yet.
                if let Some(end) = self.shared.running_jobs.stop(worker) {
                    return self.wait_until_stopped(end).await;
                }
                if let Some(signal) = self.release_signal(address).await {
                    return signal;
                }
                tokio::time::sleep(CANCEL_CHECK_INTERVAL).await;
            }
        });
        signal.await.unwrap_or(Signal::Failed)
    }

    /// Waits until the job has stopped on this server.
    async fn wait_until_stopped(&self, end: watch::Receiver<()>) -> Signal {
        let result =
            tokio::time::timeout(self.shared.settings.local_cancel_timeout, held::wait_until_closed(end))
                .await;
        if result.is_ok() { Signal::Ok } else { Signal::Failed }
    }

    /// Returns the signal once the worker on another server has released the job at its next heartbeat, or its lease has expired; `None`
    /// before that.
    async fn release_signal(&self, address: &Address) -> Option<Signal> {
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

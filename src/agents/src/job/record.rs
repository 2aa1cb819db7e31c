//! The record of a job: its status, its steps and its report.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::start::Budget;
use super::work::{JobProgress, ProviderUsage};

/// A job, without its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Number of the job in the store, hidden from callers.
    pub number: i64,
    /// Id of the job for its owner, unique for its kind.
    pub id: String,
    /// Kind of work, such as `committee`.
    pub kind: String,
    /// Name of the job's owner.
    pub owner: String,
    /// Number of the key that started the job; `None` if no key did.
    pub key_id: Option<i64>,
    /// Specification of the work.
    pub spec: Json,
    /// Spending limit of the job.
    pub budget: Budget,
    /// Present status.
    pub status: JobStatus,
    /// Time when the owner started the job, in Unix seconds.
    pub created_at: i64,
    /// Time when a worker first took the job, in Unix seconds; `None` before.
    pub started_at: Option<i64>,
    /// Time when the job ended, in Unix seconds; `None` before.
    pub finished_at: Option<i64>,
    /// Number of times a worker took the job.
    pub attempts: u32,
    /// Present progress; `queued` while the job waits for a worker.
    pub progress: JobProgress,
    /// Spending so far.
    pub spent: ProviderUsage,
    /// The error message; `None` unless the job failed.
    pub error: Option<String>,
    /// Run id of the worker that holds the job or held it to the end; `None` while the job waits.
    pub worker: Option<String>,
    /// End of that worker's lease, in Unix seconds; `None` without a lease.
    pub lease_until: Option<i64>,
    /// True if the worker of a cancelled job has released it.
    pub cancel_ack: bool,
}

parquote_catalogue::word_enum! {
    /// Status of a job as its owner sees it: a job in the queue is running.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum JobStatus {
        /// Queued or running.
        Running = "running",
        /// Ended with a report.
        Completed = "completed",
        /// Ended with an error.
        Failed = "failed",
        /// Cancelled by its owner.
        Cancelled = "cancelled",
    }
    const ALL "All statuses.";
    fn word "Returns the status as one word.";
    parse "a status of a job", "statuses";
}

/// A recorded step, readable in any status of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStep {
    /// Name of the step.
    pub step: String,
    /// Output of the step.
    pub output: Json,
    /// Spending of the step.
    pub spent: ProviderUsage,
    /// Time when the step was recorded, in Unix seconds.
    pub at: i64,
}

/// A job with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct JobWithReport {
    /// The job.
    pub job: Job,
    /// Report of the job; `None` until the job is completed.
    pub report: Option<Json>,
}

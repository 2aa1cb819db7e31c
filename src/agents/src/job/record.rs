//! The record of a job: its status, its steps and its report.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::start::Budget;
use super::work::{JobProgress, ProviderUsage};

/// A job, without its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its number in the store, hidden from callers.
    pub number: i64,
    /// Id that its owner knows.
    pub id: String,
    /// Kind of work.
    pub kind: String,
    /// Name of its owner.
    pub owner: String,
    /// The key that started it, if any.
    pub key_id: Option<i64>,
    /// Specification of the work.
    pub spec: Json,
    /// Its spending limit.
    pub budget: Budget,
    /// Its status.
    pub status: JobStatus,
    /// Time when its owner started it, in Unix seconds.
    pub created_at: i64,
    /// Time when a worker first took it.
    pub started_at: Option<i64>,
    /// Time when it ended.
    pub finished_at: Option<i64>,
    /// Number of times a worker took it.
    pub attempts: u32,
    /// Present progress; `queued` while it waits for a worker.
    pub progress: JobProgress,
    /// Its spending.
    pub spent: ProviderUsage,
    /// The error if it failed.
    pub error: Option<String>,
    /// Run id of the worker that holds it or held it to the end; `None` while it waits.
    pub worker: Option<String>,
    /// End of that worker's lease, in Unix seconds.
    pub lease_until: Option<i64>,
    /// True if the worker of a cancelled job has released it.
    pub cancel_ack: bool,
}

parquote_catalogue::word_enum! {
    /// Status of a job. A job in the queue is running, to its owner.
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
    const ALL "All of them.";
    fn word "Returns the status as one word.";
    parse "a status of a job", "statuses";
}

/// A recorded step, readable in any status of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStep {
    /// Its name.
    pub step: String,
    /// Its output.
    pub output: Json,
    /// Its spending.
    pub spent: ProviderUsage,
    /// Time when it was recorded, in Unix seconds.
    pub at: i64,
}

/// A job with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct JobWithReport {
    /// The job.
    pub job: Job,
    /// Its report, once it is completed.
    pub report: Option<Json>,
}

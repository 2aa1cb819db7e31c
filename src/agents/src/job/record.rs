//! The record of a job: its status, its steps and its report.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::start::Budget;
use super::work::{JobProgress, Spent};

/// The record of a job, without its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its number in the store, which callers never see.
    pub number: i64,
    /// What its owner knows it by.
    pub id: String,
    /// What kind of work it is.
    pub kind: String,
    /// Whose it is.
    pub owner: String,
    /// The key that started it, where there was one.
    pub key_id: Option<i64>,
    /// What is to be done.
    pub spec: Json,
    /// The most that it may spend.
    pub budget: Budget,
    /// Where it stands.
    pub status: JobStatus,
    /// When it was started by its owner, in Unix seconds.
    pub created_at: i64,
    /// When a worker first took it.
    pub started_at: Option<i64>,
    /// When it ended.
    pub finished_at: Option<i64>,
    /// How often a worker took it.
    pub attempts: u32,
    /// What is done now; `queued` while it waits for a worker.
    pub progress: JobProgress,
    /// What it spent.
    pub spent: Spent,
    /// Why it failed.
    pub error: Option<String>,
    /// The run id of the worker that holds it or held it to the end; `None` while it waits.
    pub worker: Option<String>,
    /// Until when that worker holds it.
    pub lease_until: Option<i64>,
    /// Whether the worker of a cancelled job has let go of it.
    pub cancel_ack: bool,
}

/// The status of a job. To its owner, a job that waits for a worker is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobStatus {
    /// It waits or is worked on.
    Running,
    /// It has a report.
    Completed,
    /// It has an error.
    Failed,
    /// Its owner ended it.
    Cancelled,
}

/// A recorded step: readable however the job ends.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStep {
    /// Its name.
    pub step: String,
    /// Its output.
    pub output: Json,
    /// What it spent.
    pub spent: Spent,
    /// When it was recorded, in Unix seconds.
    pub at: i64,
}

/// A job with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The job.
    pub job: Job,
    /// Its report, once it is completed.
    pub report: Option<Json>,
}

impl JobStatus {
    /// The status in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no status.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no status of a job")]
pub struct NoStatus(String);

impl FromStr for JobStatus {
    type Err = NoStatus;

    fn from_str(word: &str) -> Result<Self, NoStatus> {
        let all = [Self::Running, Self::Completed, Self::Failed, Self::Cancelled];
        all.into_iter().find(|status| status.word() == word).ok_or_else(|| NoStatus(word.to_owned()))
    }
}

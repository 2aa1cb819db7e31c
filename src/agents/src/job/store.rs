//! Interface of a job store. Each method is one transaction.

use async_trait::async_trait;
use serde_json::Value as Json;

use super::record::{Job, JobWithReport, RecordedStep};
use super::start::{NewJob, RunLimit, RunsLeft};
use super::work::{JobProgress, ProviderUsage};
use parquote_catalogue::causes::with_causes;
use parquote_state::{HoldState, JobClaim, JobEnding};

/// A job store, shared by several servers.
#[async_trait]
pub trait JobStore: Send + Sync {
    /// Stores a job if its key's limit has room. The limit is exact across concurrent servers.
    async fn insert(&self, entry: JobEntry, limit: Option<RunLimit>) -> Result<InsertOutcome, StoreError>;

    /// Returns the rest of a key's run limit.
    async fn left(
        &self,
        key_id: Option<i64>,
        kind: &str,
        limit: RunLimit,
        now: i64,
    ) -> Result<RunsLeft, StoreError>;

    /// Returns a job without its report, which may be long.
    async fn job(&self, address: &Address) -> Result<Option<Job>, StoreError>;

    /// Returns a job with its report.
    async fn report(&self, address: &Address) -> Result<Option<JobWithReport>, StoreError>;

    /// Returns the newest jobs of an owner.
    async fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, StoreError>;

    /// Returns the recorded steps of a job, in order.
    async fn steps(&self, address: &Address) -> Result<Option<Vec<RecordedStep>>, StoreError>;

    /// Cancels a job, unless it has ended.
    async fn cancel(&self, address: &Address, now: i64) -> Result<Option<Cancelling>, StoreError>;

    /// Gives a worker the next free job of the queue.
    async fn take(&self, claim: JobClaim) -> Result<ClaimResult, StoreError>;

    /// Extends the lease of a job.
    async fn renew(&self, hold: &Hold, until: i64) -> Result<HoldState, StoreError>;

    /// Returns the worker's hold on the job and the output of a recorded step.
    async fn recorded(&self, hold: &Hold, step: &str) -> Result<(HoldState, Option<Json>), StoreError>;

    /// Records a step and adds its spending, if the worker holds the job.
    async fn record(&self, hold: &Hold, step: NewStep) -> Result<RecordResult, StoreError>;

    /// Writes a job's progress, if the worker holds it.
    async fn progress(&self, hold: &Hold, progress: &JobProgress) -> Result<(), StoreError>;

    /// Ends a hold on a job whose work has ended, and returns its state until then. For a cancelled job this acknowledges the cancel; for a
    /// lost job it changes nothing.
    async fn end(&self, hold: &Hold, ending: JobEnding, now: i64) -> Result<HoldState, StoreError>;

    /// Deletes at most `most` jobs that ended before a time; returns their number.
    async fn expire(&self, before: i64, most: u32) -> Result<usize, StoreError>;

    /// Returns the number of running jobs that no worker holds.
    async fn queued(&self, now: i64) -> Result<u64, StoreError>;

    /// Returns a number that changes when another server has changed anything.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// A job to store.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEntry {
    /// The owner's request.
    pub new: NewJob,
    /// Its id.
    pub id: String,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// The result of storing a job.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertOutcome {
    /// It is stored.
    Job(Box<Job>),
    /// The limit is reached.
    Refused(RunsLeft),
    /// Another job has this id.
    IdTaken,
}

/// Identity of a job for its owner; all parts must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Its owner.
    pub owner: String,
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// Result of a cancel.
#[derive(Debug, Clone, PartialEq)]
pub struct Cancelling {
    /// The job.
    pub job: Job,
    /// True if this cancel ended it.
    pub ended_now: bool,
}

/// Result of a request for a job.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimResult {
    /// A job, held by the worker.
    Job(Box<Job>),
    /// No job is free.
    None {
        /// Earliest time at which one becomes free if no lease is renewed, in Unix seconds.
        next_at: Option<i64>,
    },
}

/// A worker's hold on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The job's number.
    pub number: i64,
    /// The worker's run id.
    pub worker: String,
}

/// A step to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStep {
    /// Its name.
    pub step: String,
    /// Its output, as JSON.
    pub output: String,
    /// Its spending.
    pub spent: ProviderUsage,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// The result of recording a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordResult {
    /// It is recorded; total spending of the job.
    Kept(ProviderUsage),
    /// A step of this name is recorded already.
    Twice,
    /// The worker does not hold the job.
    NotHeld,
}

/// The store cannot be read or written; the cause is for the log.
#[derive(Debug, thiserror::Error)]
#[error("the store of jobs failed")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// Wraps the underlying error.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }

    /// Returns the whole error chain on one line, for the log.
    pub(super) fn chain(&self) -> String {
        with_causes(self)
    }
}

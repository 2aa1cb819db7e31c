//! The interface of a job store: what any database must do for jobs. Each method is one transaction.

use async_trait::async_trait;
use serde_json::Value as Json;

use super::record::{Job, RecordedStep, Reported};
use super::start::{Left, NewJob, RunLimit};
use super::work::{JobProgress, Spent};
use parquote_catalogue::causes::with_causes;
use parquote_state::{HoldState, JobClaim, JobEnding};

/// A store of jobs, shared by several servers.
#[async_trait]
pub trait JobStore: Send + Sync {
    /// Stores a job if its key's limit has room: exact, however many servers start jobs at this moment.
    async fn insert(&self, entry: JobEntry, limit: Option<RunLimit>) -> Result<Inserted, StoreError>;

    /// What a key's limit has left.
    async fn left(
        &self,
        key_id: Option<i64>,
        kind: &str,
        limit: RunLimit,
        now: i64,
    ) -> Result<Left, StoreError>;

    /// A job without its report, which may be long.
    async fn job(&self, address: &Address) -> Result<Option<Job>, StoreError>;

    /// A job with its report.
    async fn report(&self, address: &Address) -> Result<Option<Reported>, StoreError>;

    /// The newest jobs of an owner.
    async fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, StoreError>;

    /// The recorded steps of a job, in order.
    async fn steps(&self, address: &Address) -> Result<Option<Vec<RecordedStep>>, StoreError>;

    /// Cancels a job, unless it has ended.
    async fn cancel(&self, address: &Address, now: i64) -> Result<Option<Cancelling>, StoreError>;

    /// Gives a worker the next job in the queue that nobody holds.
    async fn take(&self, claim: JobClaim) -> Result<ClaimResult, StoreError>;

    /// Holds a job for longer.
    async fn renew(&self, hold: &Hold, until: i64) -> Result<HoldState, StoreError>;

    /// The output of a recorded step, and how the job stands to the worker that asks.
    async fn recorded(&self, hold: &Hold, step: &str) -> Result<(HoldState, Option<Json>), StoreError>;

    /// Records a step and adds what it spent, if the worker holds the job.
    async fn record(&self, hold: &Hold, step: NewStep) -> Result<RecordResult, StoreError>;

    /// Shows where a job stands, if the worker holds it.
    async fn progress(&self, hold: &Hold, progress: &JobProgress) -> Result<(), StoreError>;

    /// Lets go of a job, whose work has ended; how it stood until then comes back. On a cancelled job this
    /// acknowledges the cancel, on one that is no longer the worker's it changes nothing.
    async fn end(&self, hold: &Hold, ending: JobEnding, now: i64) -> Result<HoldState, StoreError>;

    /// Deletes at most so many jobs that ended before a time; how many it were comes back.
    async fn expire(&self, before: i64, most: u32) -> Result<usize, StoreError>;

    /// How many jobs nobody holds that have not ended.
    async fn queued(&self, now: i64) -> Result<u64, StoreError>;

    /// A number that changes when another server has changed something.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// A job to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEntry {
    /// What its owner asks for.
    pub new: NewJob,
    /// The id it gets.
    pub id: String,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// The result of storing a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Inserted {
    /// It is stored.
    Job(Box<Job>),
    /// The limit has no room.
    Refused(Left),
    /// Another job has this id.
    IdTaken,
}

/// How an owner names a job; all of it must match for the job to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Whose it is.
    pub owner: String,
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// A job as a cancel left it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cancelling {
    /// The job.
    pub job: Job,
    /// Whether it was this cancel that ended it.
    pub ended_now: bool,
}

/// The answer to a worker that asks for a job.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimResult {
    /// A job, now held.
    Job(Box<Job>),
    /// None now.
    None {
        /// When the first job that waits, or is held by someone, comes free unless its hold is renewed; in Unix seconds.
        next_at: Option<i64>,
    },
}

/// A worker's hold of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The job's number.
    pub number: i64,
    /// The worker's run id.
    pub worker: String,
}

/// A step to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStep {
    /// Its name.
    pub step: String,
    /// Its output, as JSON.
    pub output: String,
    /// What it spent.
    pub spent: Spent,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// The result of recording a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordResult {
    /// It is recorded; what the job spent in all.
    Kept(Spent),
    /// A step of this name is recorded already.
    Twice,
    /// The worker does not hold the job.
    NotHeld,
}

/// The store cannot be read or written; what it reports is for the log.
#[derive(Debug, thiserror::Error)]
#[error("the store of jobs failed")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// What happened underneath.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }

    /// The whole chain in one line, for the log.
    pub(super) fn chain(&self) -> String {
        with_causes(self)
    }
}

//! The interface of a job handler: it records steps, reports progress, and stops at its budget.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The handler of one kind of job.
#[async_trait]
pub trait JobHandler: Send + Sync {
    /// Does a job from its specification to its report. What was recorded by an earlier attempt is there still: work that
    /// asks for it first continues where it was killed. Cancelling drops the future.
    ///
    /// # Errors
    /// Why the job fails for good.
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError>;

    /// The seconds that a job of this specification takes at most when all goes well. [`super::Settings::time_factor`] times as many
    /// after a worker first took it, it is ended; `None` is without bound.
    fn usual_seconds(&self, _spec: &Json) -> Option<u32> {
        None
    }
}

/// The record of one job while it is worked on.
#[async_trait]
pub trait StepLog: Send + Sync {
    /// The output of a step that is done, by its name.
    ///
    /// # Errors
    /// A record that cannot be read, or that another worker has taken over.
    async fn recorded(&self, step: &str) -> Result<Option<Json>, WorkError>;

    /// Keeps the output of a step and what it used. It is on the disk when this returns.
    ///
    /// # Errors
    /// A record that cannot be written, or that another worker has taken over; a budget that is used up by it (the step is
    /// kept all the same).
    async fn record(&self, step: &str, output: &Json, spent: Spent) -> Result<(), WorkError>;

    /// Shows where the job stands.
    async fn progress(&self, progress: JobProgress);

    /// What the job has spent, earlier attempts included.
    fn spent(&self) -> Spent;
}

/// The progress of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobProgress {
    /// What is done now, in a few words.
    pub step: String,
    /// Agents that are done.
    pub agents_done: u32,
    /// Agents in all.
    pub agents: u32,
}

/// The tokens and money spent on a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Millionths of a US dollar; 0 where the price is not known.
    pub cost_microusd: u64,
}

/// Why a handler ended without a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkError {
    /// It failed for good; the words are for the owner of the job.
    #[error("{0}")]
    Failed(String),
    /// It would have spent more than it may.
    #[error("the run was ended at its budget: {0}")]
    Budget(String),
    /// Another worker does it now, or it was cancelled meanwhile.
    #[error("the run is no longer this worker's")]
    Lost,
    /// The record cannot be kept; the job is tried again later.
    #[error("the record of the run cannot be kept: {0}")]
    Record(String),
}

impl std::ops::Add for Spent {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
            cost_microusd: self.cost_microusd.saturating_add(more.cost_microusd),
        }
    }
}

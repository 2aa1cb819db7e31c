//! Interface of a job handler, which records steps, reports progress and stops at its budget.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The handler of one kind of job.
#[async_trait]
pub trait JobHandler: Send + Sync {
    /// Runs a job from its specification to its report. Steps recorded by earlier attempts are available: a handler that reads them first
    /// continues after a kill. Cancelling drops the future.
    ///
    /// # Errors
    /// The reason why the job ends without a report.
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError>;

    /// Returns the usual maximum duration of such a job, in seconds. The job is ended after [`super::Settings::time_factor`] times that,
    /// counted from its first attempt; never for `None`.
    fn usual_seconds(&self, _spec: &Json) -> Option<u32> {
        None
    }
}

/// The log of a running job.
#[async_trait]
pub trait StepLog: Send + Sync {
    /// Returns the output of a recorded step, by its name; `None` if it is not recorded.
    ///
    /// # Errors
    /// The log cannot be read, or another worker has taken the job over.
    async fn recorded_output(&self, step: &str) -> Result<Option<Json>, WorkError>;

    /// Records the output of a step and its spending, durably.
    ///
    /// # Errors
    /// The log cannot be written, another worker has taken the job over, or the budget is exceeded (the step is still recorded).
    async fn record(&self, step: &str, output: &Json, spent: ProviderUsage) -> Result<(), WorkError>;

    /// Reports the progress of the job.
    async fn progress(&self, progress: JobProgress);

    /// Returns the job's spending, including earlier attempts.
    fn spent(&self) -> ProviderUsage;
}

/// The progress of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobProgress {
    /// The present step, in a few words.
    pub step: String,
    /// Number of agents that are done.
    pub agents_done: u32,
    /// Number of all agents.
    pub agents: u32,
}

/// The tokens and money spent on a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderUsage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Millionths of a US dollar; 0 if the price is unknown.
    pub cost_microusd: u64,
}

/// Reason why a handler ended without a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkError {
    /// The job failed permanently; the message is for its owner.
    #[error("{0}")]
    Failed(String),
    /// The job exceeded its budget; how, in words.
    #[error("the run was ended at its budget: {0}")]
    Budget(String),
    /// Another worker holds the job, or it was cancelled.
    #[error("the run is no longer this worker's")]
    Lost,
    /// The log cannot be read or written; the job is retried later.
    #[error("the record of the run cannot be stored: {0}")]
    Record(String),
}

impl std::ops::Add for ProviderUsage {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
            cost_microusd: self.cost_microusd.saturating_add(more.cost_microusd),
        }
    }
}

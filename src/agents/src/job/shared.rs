//! Data shared by callers and workers of one server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use super::embedded::StateJobStore;
use super::held::RunningJobs;
use super::settings::{Settings, UnixClock};
use super::work::ProviderUsage;

/// Data shared by callers and workers.
pub(super) struct JobContext {
    pub(super) store: Arc<StateJobStore>,
    pub(super) clock: UnixClock,
    pub(super) settings: Settings,
    /// Wakes the workers when a job may be available.
    pub(super) wake: Notify,
    pub(super) running_jobs: Arc<RunningJobs>,
    pub(super) tokens: SpentTokens,
}

/// Tokens of this server's jobs since its start.
#[derive(Debug, Default)]
pub(super) struct SpentTokens {
    input: AtomicU64,
    output: AtomicU64,
}

impl SpentTokens {
    /// Adds the spending of a recorded step.
    pub(super) fn add(&self, spent: ProviderUsage) {
        self.input.fetch_add(spent.input_tokens, Ordering::Relaxed);
        self.output.fetch_add(spent.output_tokens, Ordering::Relaxed);
    }

    /// Returns the tokens sent, and the tokens received.
    pub(super) fn current(&self) -> [u64; 2] {
        [&self.input, &self.output].map(|count| count.load(Ordering::Relaxed))
    }
}

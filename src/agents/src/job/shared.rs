//! What callers and workers of one server share. It does nothing by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use super::held::HeldJobs;
use super::settings::{Settings, UnixClock};
use super::store::JobStore;
use super::work::Spent;

/// What callers and workers share.
pub(super) struct Shared {
    pub(super) store: Arc<dyn JobStore>,
    pub(super) clock: UnixClock,
    pub(super) settings: Settings,
    /// Rings when there may be a job to be taken.
    pub(super) wake: Notify,
    pub(super) held: Arc<HeldJobs>,
    pub(super) tokens: SpentTokens,
}

/// Tokens that steps of this server's jobs spent since its start.
#[derive(Debug, Default)]
pub(super) struct SpentTokens {
    input: AtomicU64,
    output: AtomicU64,
}

impl SpentTokens {
    /// A step was recorded that spent so much.
    pub(super) fn add(&self, spent: Spent) {
        self.input.fetch_add(spent.input_tokens, Ordering::Relaxed);
        self.output.fetch_add(spent.output_tokens, Ordering::Relaxed);
    }

    /// Tokens sent and received.
    pub(super) fn now(&self) -> [u64; 2] {
        [&self.input, &self.output].map(|count| count.load(Ordering::Relaxed))
    }
}

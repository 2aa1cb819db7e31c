//! What a run works with: its tools, its model, the price of replies, and the snapshot behind all of them.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;
use serde_json::Value as Json;

use super::runner::Runner;
use crate::job::WorkError;
use crate::provider::{LanguageModel, Usage};
use parquote_catalogue::operation::Market;

/// The cost of a reply in millionths of a US dollar, by the model that replied; 0 where the price is not known.
pub type ReplyPricing = Arc<dyn Fn(&str, Usage) -> u64 + Send + Sync>;

/// What a run works with.
#[derive(Clone)]
pub struct RunContext {
    /// The tools, on one snapshot and under the tier of the caller.
    pub runner: Arc<dyn Runner>,
    /// The model, under the caller's own key; what may be tried again is tried again behind it.
    pub model: Arc<dyn LanguageModel>,
    /// What its replies cost.
    pub price: ReplyPricing,
    /// The market of the run.
    pub market: Market,
    /// The last session in the data.
    pub as_of: NaiveDate,
    /// The id of the snapshot. A run that continues after a restart uses the same data, or fails.
    pub snapshot: String,
}

/// Makes the context of a job, from its specification: the snapshot that it names, the tier and the key of its owner.
#[async_trait]
pub trait RunContexts: Send + Sync {
    /// The context of a job.
    ///
    /// # Errors
    /// Why the job cannot be done, in words for its owner: no key is saved, the data are no longer served.
    async fn open(&self, spec: &Json, market: Market) -> Result<RunContext, WorkError>;
}

/// The spending limit of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub cost_microusd: u64,
}

//! The context of a run: its tools, model and prices, all on one snapshot.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;
use serde_json::Value as Json;

use super::runner::Runner;
use crate::job::WorkError;
use crate::provider::{LanguageModel, Usage};
use parquote_catalogue::operation::Market;

/// A function from a model's name and the tokens of its reply to the cost in millionths of a US dollar; 0 if the price is unknown.
pub type ReplyPricing = Arc<dyn Fn(&str, Usage) -> u64 + Send + Sync>;

/// The context of a run.
#[derive(Clone)]
pub struct RunContext {
    /// The tools, on one snapshot and under the caller's tier.
    pub runner: Arc<dyn Runner>,
    /// The model, with the caller's key and with retries.
    pub model: Arc<dyn LanguageModel>,
    /// Returns the cost of a reply of the model.
    pub price: ReplyPricing,
    /// The market of the run.
    pub market: Market,
    /// The last session in the data.
    pub as_of: NaiveDate,
    /// Id of the snapshot. A run that continues after a restart uses the same data, or fails.
    pub snapshot: String,
}

/// Builds the context of a job from its specification: the named snapshot, the owner's tier and key.
#[async_trait]
pub trait RunContexts: Send + Sync {
    /// Builds the context of a job.
    ///
    /// # Errors
    /// The reason why the job cannot run, in words for its owner: no key is saved, or the data is not served any more.
    async fn open(&self, spec: &Json, market: Market) -> Result<RunContext, WorkError>;
}

/// The spending limit of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Maximum number of tokens, sent and received.
    pub tokens: u64,
    /// Maximum cost, in millionths of a US dollar.
    pub cost_microusd: u64,
}

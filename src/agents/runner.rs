//! How agents call operations as tools: on one pinned snapshot, with the tier of the caller who started the run.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;
use serde_json::{Map, Value as Json};

use crate::agents::provider::ToolSpec;
use crate::engine::Snapshot;
use crate::operation::{Market, Tier};

/// Runs operations for agents.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Those of the named tools that answer for a market, only read, and are reached by the caller's tier, in this order.
    fn tools(&self, market: Market, names: &[String]) -> Vec<ToolSpec>;

    /// Calls a tool. What is refused comes as words that say what to do, for the model to read.
    ///
    /// # Errors
    /// The refusal.
    async fn call(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, String>;
}

/// Makes runners.
#[async_trait]
pub trait Runners: Send + Sync {
    /// A runner on one set of a market, by its id, under a tier; the set is that of the moment if none is named.
    ///
    /// # Errors
    /// A set that is not kept any more, in words.
    async fn runner(&self, market: Market, set: Option<&str>, tier: Tier) -> Result<Pinned, String>;
}

/// A runner on one set.
pub struct Pinned {
    /// The runner.
    pub runner: Arc<dyn Runner>,
    /// The id of the set.
    pub set: String,
    /// The last session in it.
    pub as_of: Option<NaiveDate>,
    /// The snapshot itself, for code that needs its rows.
    pub snapshot: Arc<Snapshot>,
}

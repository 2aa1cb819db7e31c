//! How agents call operations as tools: on one pinned snapshot, with the tier of the caller who started the run.

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use crate::provider::ToolSpec;
use parquote_catalogue::operation::Market;

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

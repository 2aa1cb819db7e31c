//! Interface through which agents call operations as tools: on one pinned snapshot, with the tier of the run's caller.

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use crate::provider::ToolSpec;
use parquote_catalogue::operation::Market;

/// Runs operations for agents.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Returns the tools with these names that exist in the market, are read-only and are in the caller's tier, in the order of `names`.
    fn tools(&self, market: Market, names: &[String]) -> Vec<ToolSpec>;

    /// Calls a tool.
    ///
    /// # Errors
    /// The refusal, in words that tell the model what to do.
    async fn call(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, String>;
}

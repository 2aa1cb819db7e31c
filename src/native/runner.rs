//! How agents use the catalogue: as tools, on one pinned snapshot, under the tier of the caller who started them.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value as Json};

use crate::operation::{Market, Tier};
use crate::provider::ToolSpec;

/// Runs operations for agents.
#[async_trait]
pub trait Runner: Send + Sync {
    /// The tools of a market that the caller's tier reaches and that only read, in the catalogue's order.
    fn tools(&self, market: Market) -> Vec<ToolSpec>;

    /// Calls a tool. What is refused comes as words that say what to do, for the model to read.
    ///
    /// # Errors
    /// The refusal.
    async fn call(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, String>;
}

/// Makes runners.
#[async_trait]
pub trait Runners: Send + Sync {
    /// A runner on one set of a market, by its id, under a tier; the set is that of the moment if none is named. The id of the
    /// set comes back with it.
    ///
    /// # Errors
    /// A set that is not kept any more, in words.
    async fn runner(
        &self,
        market: Market,
        set: Option<&str>,
        tier: Tier,
    ) -> Result<(Arc<dyn Runner>, String), String>;
}

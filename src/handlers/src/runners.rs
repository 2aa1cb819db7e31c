//! The source of the runners that call tools for agents on one set.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;

use parquote_agents::Runner;
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;

/// A source of tool runners.
#[async_trait]
pub trait Runners: Send + Sync {
    /// Creates a runner with a tier on the set of a market with an id, or on the current set for `None`.
    ///
    /// # Errors
    /// A message that the set was removed.
    async fn runner(&self, market: Market, set: Option<&str>, tier: Tier) -> Result<PinnedRunner, String>;
}

/// A runner whose tools read one set.
pub struct PinnedRunner {
    /// The runner.
    pub runner: Arc<dyn Runner>,
    /// Id of the set.
    pub set: String,
    /// Last session of the set; `None` if it has none.
    pub as_of: Option<NaiveDate>,
    /// The snapshot with the set, for code that reads its rows.
    pub snapshot: Arc<Snapshot>,
}

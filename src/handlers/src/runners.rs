//! Source of the agents' tool runners: one per pinned snapshot.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;

use parquote_agents::Runner;
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;

/// Creates runners.
#[async_trait]
pub trait Runners: Send + Sync {
    /// Creates a runner on one set of a market, by its id, under a tier; on the current set if `set` is `None`.
    ///
    /// # Errors
    /// The set was removed; the text says so.
    async fn runner(&self, market: Market, set: Option<&str>, tier: Tier) -> Result<PinnedRunner, String>;
}

/// A runner on one set.
pub struct PinnedRunner {
    /// Runner.
    pub runner: Arc<dyn Runner>,
    /// Id of the set.
    pub set: String,
    /// Last session of the set.
    pub as_of: Option<NaiveDate>,
    /// Snapshot, for code that needs its rows.
    pub snapshot: Arc<Snapshot>,
}

//! Where runners of tools for agents come from: one on each pinned snapshot.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;

use parquote_agents::Runner;
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;

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

//! The past days of a market that a handler can read. Each day has a set, of which a handler opens a few tables, one set at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;

use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;
use parquote_select_process::TimeSpent;

/// The past days that a caller can read.
#[async_trait]
pub trait PastDays: Send + Sync {
    /// Returns the ids of the sets of a market by their last sessions.
    fn sets(&self, market: Market) -> BTreeMap<NaiveDate, String>;

    /// Opens at least these tables of the set with an id, and adds the time for it to `spent`. A caller may hold one set at a time, which
    /// bounds memory.
    ///
    /// # Errors
    /// Status 410 if the set was deleted, 429 or 503 if it cannot be opened now.
    async fn open(
        &self,
        market: Market,
        id: &str,
        tables: Vec<String>,
        spent: &dyn TimeSpent,
    ) -> Result<Arc<Snapshot>, ClientError>;
}

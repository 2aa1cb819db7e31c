//! The sets of earlier days for a call that reads several of them. Each is opened with the tables that the call names, in the turn of its
//! owner: one set is opened at a time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use chrono::NaiveDate;

use super::fair_queue::{FairQueue, KeyNumber};
use super::pinned::{full_queue_error, snapshot_error};
use super::query_threads::resume_panic;
use super::{Caller, Service};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;
use parquote_handlers::PastDays;
use parquote_refresh::{Audience, FoundSet, Snapshots};
use parquote_select_process::TimeSpent;
use parquote_set::Reference;

/// The sets of earlier days that a caller may read.
#[derive(Clone)]
pub(super) struct EarlierSets {
    snapshots: Arc<Snapshots>,
    openings: Arc<FairQueue>,
    audience: Audience,
    owner: KeyNumber,
}

impl Service {
    /// Returns the sets of earlier days that a caller may read, also for the parts of a pinned call.
    pub(super) fn earlier_sets(&self, caller: &Caller) -> EarlierSets {
        self.past.clone().unwrap_or_else(|| EarlierSets {
            snapshots: Arc::clone(&self.snapshots),
            openings: Arc::clone(&self.openings),
            audience: self.audience_of(caller),
            owner: caller.owner_number(),
        })
    }
}

#[async_trait]
impl PastDays for EarlierSets {
    fn sets(&self, market: Market) -> BTreeMap<NaiveDate, String> {
        self.snapshots.ids_by_day(self.audience, market)
    }

    async fn open(
        &self,
        market: Market,
        id: &str,
        tables: Vec<String>,
        spent: &dyn TimeSpent,
    ) -> Result<Arc<Snapshot>, ClientError> {
        let to_error = |error| snapshot_error("a past day", error);
        let no_id = || ClientError::new(ErrorKind::Internal, format!("`{id}` is no id of a set"));
        let reference = Reference::parse(id).ok_or_else(no_id)?;
        let set = match self.snapshots.find(self.audience, market, &reference).map_err(to_error)? {
            FoundSet::Open(snapshot) => return Ok(snapshot),
            FoundSet::Available(set) => set,
        };
        let turn = self.openings.wait_for_permit(self.owner).await.map_err(full_queue_error)?;
        let (snapshots, audience, began) = (Arc::clone(&self.snapshots), self.audience, Instant::now());
        // The permit is released when the set is open, even if the caller leaves earlier.
        let opening = tokio::spawn(async move {
            let _turn = turn;
            snapshots.open_tables(audience, &set, tables).await
        });
        let opened = opening.await.map_err(resume_panic)?;
        spent.add(began.elapsed());
        opened.map_err(to_error)
    }
}

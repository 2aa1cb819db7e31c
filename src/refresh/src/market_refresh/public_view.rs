//! The set that the public sees of a market with a lag: the newest available set whose last session is old enough. It is opened in
//! addition to the served set as soon as the lag has passed, so that no request waits for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::Utc;

use super::MarketRefresh;
use crate::audience::WithheldSets;
use parquote_engine::{EngineError, LoadScope, MarketSnapshot, SetName};
use parquote_set::Set;

/// The public's view of a market with a lag.
#[derive(Default)]
pub(super) struct PublicView {
    /// The snapshot that the public sees; `None` until a set is old enough.
    snapshot: Option<Arc<MarketSnapshot>>,
    /// Numbers of the sets that cannot be opened.
    passed_over: BTreeSet<u64>,
    /// True if the log already has a line that the public sees nothing, and until when.
    is_withheld_logged: bool,
}

impl MarketRefresh {
    /// Returns the snapshot for the public; `None` if there is none yet.
    pub(crate) fn seen_by_public(&self) -> Option<Arc<MarketSnapshot>> {
        match self.settings.keep.lag.days(self.market) {
            None => self.served(),
            Some(_) => self.public.snapshot.clone(),
        }
    }

    /// Shows the public the newest set that is old enough.
    pub(super) async fn update_public_view(&mut self) {
        if self.settings.keep.lag.days(self.market).is_none() {
            return;
        }
        while let Some(set) = self.newest_public_set() {
            if self.public.snapshot.as_ref().is_some_and(|snapshot| *snapshot.name().id == *set.id) {
                return;
            }
            match self.open_public_set(&set).await {
                Ok(Some(opened)) => return self.show_set(&set, opened),
                // After a failure of the store, the next scan tries again.
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(market = %self.market, set = set.number, %error, "the public does not see this set");
                    self.public.passed_over.insert(set.number);
                }
            }
        }
        self.show_nothing().await;
    }

    /// Returns the newest set that the public may see and that was not refused.
    fn newest_public_set(&self) -> Option<Set> {
        let (lag, now) = (self.settings.keep.lag, Utc::now());
        let PublicView { passed_over, snapshot, .. } = &self.public;
        let current_id = snapshot.as_ref().map(|snapshot| &*snapshot.name().id);
        let mut sets = self.retained.values().rev().filter(|set| lag.is_public(set, now));
        // Admission is recorded in a file, which is not read again for the set already shown.
        let newest = sets.find(|set| {
            current_id == Some(&*set.id)
                || !passed_over.contains(&set.number) && self.was_admitted(set) != Some(false)
        });
        newest.cloned()
    }

    /// Opens the set; returns `None` if the store failed.
    async fn open_public_set(&self, set: &Set) -> Result<Option<Arc<MarketSnapshot>>, EngineError> {
        if let Some((_, served)) = self.served.as_ref().filter(|(served, _)| served.id == set.id) {
            return Ok(Some(Arc::clone(served)));
        }
        let failures = self.location.sets.failures();
        let (name, files) = (SetName::from_set(set), self.location.sets.files(self.market, set));
        match MarketSnapshot::load(&self.engine, self.market, name, &files, LoadScope::Served).await {
            Ok(opened) => {
                if let Some(before) = &self.public.snapshot {
                    opened.warm_like(before).await;
                }
                Ok(Some(Arc::new(opened)))
            }
            Err(_) if self.location.sets.failures() > failures => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn show_set(&mut self, set: &Set, opened: Arc<MarketSnapshot>) {
        let as_of = set.as_of.map(|day| day.to_string()).unwrap_or_default();
        tracing::info!(market = %self.market, set = set.number, as_of, "the public sees this set");
        if let Some(snapshots) = &self.snapshots {
            snapshots.show_to_public(Arc::clone(&opened));
        }
        self.retired.extend(self.public.snapshot.replace(opened));
        self.public.is_withheld_logged = false;
    }

    async fn show_nothing(&mut self) {
        if self.public.is_withheld_logged {
            return;
        }
        self.public.is_withheld_logged = true;
        if let Some(snapshot) = self.public.snapshot.take() {
            self.retired.push(snapshot);
            if let (Some(snapshots), Some(nothing)) = (&self.snapshots, self.without_tables().await) {
                snapshots.show_to_public(nothing);
            }
        }
        let lag = self.settings.keep.lag;
        if let Some(withheld) = WithheldSets::from_sets(lag, self.market, self.retained.values()) {
            let market = self.market;
            tracing::warn!(
                "the public is refused: {withheld}. Sets are kept until then by all commands that publish with this --public-lag. To show \
                 one today, stop the server, and run `parquote derive --market {market} --as-of DATE` with an old enough date, then the same \
                 without --as-of"
            );
        }
    }
}

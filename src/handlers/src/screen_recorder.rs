//! Records the marked screens of all owners when a server serves another set.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate};

use super::handler::{HandlerCall, Owner};
use super::past_days::PastDays;
use super::runners::Runners;
use super::screen_ledger::record;
use super::screen_members::SavedScreen;
use super::screen_words::ScreenWords;
use super::watchlists::SavedItemStore;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Market, Presentation};
use parquote_engine::Snapshot;
use parquote_select_process::TimeSpent;

/// The operation on whose tables the screens are run.
const SCREENS: &str = "screens/list";

/// The screens of all owners.
pub struct ScreenRecorder {
    pub(super) lists: SavedItemStore,
    pub(super) screens: ScreenWords,
    pub(super) runners: Arc<dyn Runners>,
}

/// The parts of a call without a caller: no earlier days, and nothing is charged.
struct NoCaller;

impl ScreenRecorder {
    /// Appends the stocks of each marked screen of a market to its ledger, under the tier with which it was marked. A screen that cannot be
    /// recorded is logged.
    ///
    /// # Errors
    /// The state or the tables cannot be read now; a retry records the rest.
    pub async fn record(&self, market: Market) -> Result<(), ClientError> {
        for (owner, row) in self.lists.screens_of_all(market).await? {
            let saved = SavedScreen::parse(&row.content);
            let Some(tier) = saved.recorded_by else { continue };
            let of_screen =
                Owner { name: owner.as_str().into(), key: None, caller: None, tier, is_admin: false };
            match self.record_screen(market, of_screen, &row.name, &saved.page).await {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => {
                    tracing::warn!(%market, %owner, screen = %row.name, %reason, "a screen cannot be followed and was not recorded");
                }
                Err(error) if error.kind == ErrorKind::Unavailable => return Err(error),
                Err(error) => {
                    tracing::error!(%market, %owner, screen = %row.name, %error, "a screen was not recorded");
                }
            }
        }
        Ok(())
    }

    async fn record_screen(
        &self,
        market: Market,
        owner: Owner,
        name: &str,
        page: &str,
    ) -> Result<Result<(), String>, ClientError> {
        let no_data = |words: String| ClientError::new(ErrorKind::NoData, words);
        let pinned = self.runners.runner(market, None, owner.tier).await.map_err(no_data)?;
        let catalogue = Arc::clone(pinned.snapshot.engine().catalogue());
        let found = catalogue.operation(SCREENS);
        let found = found.and_then(|found| Some((found, pinned.snapshot.prepared_operation(found, market)?)));
        let (operation, prepared) = found.ok_or_else(|| no_data(format!("there is no `{SCREENS}` here")))?;
        let arguments = Arguments::parse(operation, owner.tier, [("market", market.word())])
            .map_err(|_| no_data(format!("`{SCREENS}` takes no market")))?;
        let call = HandlerCall {
            prepared,
            operation,
            arguments: &arguments,
            presentation: &Presentation::default(),
            snapshot: &pinned.snapshot,
            market,
            owner,
            admitted_at: DateTime::from_timestamp(self.lists.now(), 0).unwrap_or_default(),
            deadline: prepared.deadline(),
            offset: 0,
            selects: None,
            spent: &NoCaller,
            past: &NoCaller,
        };
        record(&call, &self.lists, &self.screens, name, page).await
    }
}

impl TimeSpent for NoCaller {
    fn add(&self, _: Duration) {}
}

#[async_trait]
impl PastDays for NoCaller {
    fn sets(&self, _: Market) -> BTreeMap<NaiveDate, String> {
        BTreeMap::new()
    }

    async fn open(
        &self,
        _: Market,
        id: &str,
        _: Vec<String>,
        _: &dyn TimeSpent,
    ) -> Result<Arc<Snapshot>, ClientError> {
        Err(ClientError::new(ErrorKind::Gone, format!("there is no set {id} here")))
    }
}

//! The refresh status for operators: what is served, since when, and what was refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::finding::{Finding, Level};
use parquote_catalogue::operation::Market;
use parquote_set::Set;

/// The refresh status of a market.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MarketStatus {
    /// The number of the set that is served; none where nothing is.
    pub set: Option<u64>,
    /// Its id.
    pub id: String,
    /// Its last session.
    pub as_of: Option<NaiveDate>,
    /// When it was published.
    pub published_at: Option<DateTime<Utc>>,
    /// When this server began to serve it.
    pub served_at: Option<DateTime<Utc>>,
    /// How often a set took the place of another.
    pub swaps: u64,
    /// How often something was refused.
    pub refusals: u64,
    /// What was refused last and is not yet mended: the errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Finding>,
    /// Warnings about what is served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Finding>,
    /// Files of sets whose bytes are not those of their names, by the hash that they should have.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub damaged: BTreeMap<String, Finding>,
    /// What keeps the refresher from looking, such as a store that cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Seconds since the refresher last looked at the market without trouble; none before the first look.
    pub look_age_s: Option<u64>,
    /// When that was.
    #[serde(skip)]
    looked: Option<Instant>,
    /// Warnings about files that belong to no table, which are in no set.
    #[serde(skip)]
    strangers: Vec<Finding>,
}

/// The status of all markets, shared by the refresh loop and its readers.
#[derive(Debug, Clone, Default)]
pub struct RefreshStatus(Arc<Mutex<BTreeMap<Market, MarketStatus>>>);

impl RefreshStatus {
    /// The status of each market now.
    pub fn now(&self) -> BTreeMap<Market, MarketStatus> {
        let mut all = self.lock().clone();
        for status in all.values_mut() {
            status.look_age_s = status.looked.map(|looked| looked.elapsed().as_secs());
            status.warnings.extend(std::mem::take(&mut status.strangers));
        }
        all
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Market, MarketStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn serves(&self, market: Market, set: &Set, findings: Vec<Finding>) {
        let mut all = self.lock();
        let status = all.entry(market).or_default();
        status.swaps += u64::from(status.set.is_some());
        status.set = Some(set.number);
        status.id.clone_from(&set.id);
        status.as_of = set.as_of;
        status.published_at = Some(set.published.at);
        status.served_at = Some(Utc::now());
        status.warnings = findings.into_iter().filter(|finding| finding.level == Level::Warning).collect();
        status.refused = Vec::new();
    }

    pub(super) fn refuses(&self, market: Market, findings: &[Finding]) {
        let mut all = self.lock();
        let status = all.entry(market).or_default();
        status.refusals += 1;
        status.refused = findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    }

    /// Clears the refusal: the plain files are again those of the newest set.
    pub(super) fn clear_refusal(&self, market: Market) {
        self.lock().entry(market).or_default().refused = Vec::new();
    }

    /// A look has ended, with or without trouble.
    pub(super) fn looked(&self, market: Market, trouble: Option<String>) {
        let mut all = self.lock();
        let status = all.entry(market).or_default();
        if trouble.is_none() {
            status.looked = Some(Instant::now());
        }
        status.trouble = trouble;
    }

    /// A file that should have this hash has another one.
    pub(super) fn finds_damage(&self, market: Market, hash: &str, finding: Finding) {
        self.lock().entry(market).or_default().damaged.insert(hash.to_owned(), finding);
    }

    /// A file has the hash that it should have, as far as is known now.
    pub(super) fn finds_sound(&self, market: Market, hash: &str) {
        self.lock().entry(market).or_default().damaged.remove(hash);
    }

    /// The findings about damaged files of a set.
    pub(super) fn damage_of(&self, market: Market, set: &Set) -> Vec<Finding> {
        let all = self.lock();
        let Some(status) = all.get(&market).filter(|status| !status.damaged.is_empty()) else {
            return Vec::new();
        };
        set.files().filter_map(|(_, file)| status.damaged.get(&file.hash).cloned()).collect()
    }

    /// Files lie there that belong to no table.
    pub(super) fn sees_strangers(&self, market: Market, strangers: Vec<Finding>) {
        let mut all = self.lock();
        let known = &mut all.entry(market).or_default().strangers;
        for Finding { table, message, remedy, .. } in strangers.iter().filter(|it| !known.contains(it)) {
            let table = table.as_deref().unwrap_or_default();
            tracing::warn!(%market, table, remedy, "a file is passed over: {message}");
        }
        *known = strangers;
    }
}

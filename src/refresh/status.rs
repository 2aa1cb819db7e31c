//! The refresh status for operators: what is served, since when, and what was refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::finding::{Finding, Level};
use crate::operation::Market;
use crate::set::Set;

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
    /// What keeps the refresher from looking, such as a store that cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The status of all markets, shared by the refresh loop and its readers.
#[derive(Debug, Clone, Default)]
pub struct RefreshStatus(Arc<Mutex<BTreeMap<Market, MarketStatus>>>);

impl RefreshStatus {
    /// The status of each market now.
    pub fn now(&self) -> BTreeMap<Market, MarketStatus> {
        self.lock().clone()
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

    pub(super) fn set_trouble(&self, market: Market, trouble: Option<String>) {
        self.lock().entry(market).or_default().trouble = trouble;
    }
}

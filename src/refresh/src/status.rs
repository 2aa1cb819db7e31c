//! The refresh status for operators: the served set, its times, and refusals.

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
    /// Number of the served set; `None` if nothing is served.
    pub set: Option<u64>,
    /// Id of the served set; empty if nothing is served.
    pub id: String,
    /// Date of the last session of the served set; `None` if it has no session.
    pub as_of: Option<NaiveDate>,
    /// Time when the served set was published.
    pub published_at: Option<DateTime<Utc>>,
    /// Time when this server began to serve the set.
    pub served_at: Option<DateTime<Utc>>,
    /// Number of times that a set replaced another one.
    pub swaps: u64,
    /// Number of times that new data was refused.
    pub refusals: u64,
    /// Errors of the last refusal, until it is resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Finding>,
    /// Warnings about the served set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Finding>,
    /// Files of sets whose bytes do not match their hash, by the expected hash.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub damaged: BTreeMap<String, Finding>,
    /// The failure that prevents scans, such as an unreachable store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Seconds since the last successful scan of the market; `None` before the first.
    pub look_age_s: Option<u64>,
    /// Time of the last successful scan.
    #[serde(skip)]
    scanned_at: Option<Instant>,
    /// Warnings about files that belong to no table; they are part of no set.
    #[serde(skip)]
    unknown_file_warnings: Vec<Finding>,
}

/// The status of all markets, shared by the refresh loop and its readers.
#[derive(Debug, Clone, Default)]
pub struct RefreshStatus(Arc<Mutex<BTreeMap<Market, MarketStatus>>>);

impl RefreshStatus {
    /// Returns the current status of each market.
    pub fn by_market(&self) -> BTreeMap<Market, MarketStatus> {
        let mut all = self.lock().clone();
        for status in all.values_mut() {
            status.look_age_s = status.scanned_at.map(|at| at.elapsed().as_secs());
            status.warnings.extend(std::mem::take(&mut status.unknown_file_warnings));
        }
        all
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Market, MarketStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record_served(&self, market: Market, set: &Set, findings: Vec<Finding>) {
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

    pub(super) fn record_refusal(&self, market: Market, findings: &[Finding]) {
        let mut all = self.lock();
        let status = all.entry(market).or_default();
        status.refusals += 1;
        status.refused = findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    }

    pub(super) fn clear_refusal(&self, market: Market) {
        self.lock().entry(market).or_default().refused = Vec::new();
    }

    /// Records the end of a scan, with its failure if any.
    pub(super) fn record_scan(&self, market: Market, trouble: Option<String>) {
        let mut all = self.lock();
        let status = all.entry(market).or_default();
        if trouble.is_none() {
            status.scanned_at = Some(Instant::now());
        }
        status.trouble = trouble;
    }

    /// Records a file whose bytes do not match its expected hash.
    pub(super) fn record_damage(&self, market: Market, hash: &str, finding: Finding) {
        self.lock().entry(market).or_default().damaged.insert(hash.to_owned(), finding);
    }

    /// Clears the damage of a file whose bytes match its hash again.
    pub(super) fn clear_damage(&self, market: Market, hash: &str) {
        self.lock().entry(market).or_default().damaged.remove(hash);
    }

    /// Returns the findings about damaged files of a set.
    pub(super) fn damage_of(&self, market: Market, set: &Set) -> Vec<Finding> {
        let all = self.lock();
        let Some(status) = all.get(&market).filter(|status| !status.damaged.is_empty()) else {
            return Vec::new();
        };
        set.files().filter_map(|(_, file)| status.damaged.get(&file.hash).cloned()).collect()
    }

    /// Replaces the warnings about files that belong to no table.
    pub(super) fn set_unknown_file_warnings(&self, market: Market, new_warnings: Vec<Finding>) {
        let mut all = self.lock();
        let warnings = &mut all.entry(market).or_default().unknown_file_warnings;
        for Finding { table, message, remedy, .. } in new_warnings.iter().filter(|it| !warnings.contains(it))
        {
            let table = table.as_deref().unwrap_or_default();
            tracing::warn!(%market, table, remedy, "a file is passed over: {message}");
        }
        *warnings = new_warnings;
    }
}

//! Refreshes one market, from the files under the root to the served set. Published sets are handled in `arrived_sets`, plain files
//! in `arrived_files`, the public's view in `public_view`, and sets of earlier days in `past_sets`.

mod arrived_files;
mod arrived_sets;
mod past_sets;
mod public_view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::Utc;

use self::past_sets::PastSets;
use self::public_view::PublicView;
use super::error::RefreshError;
use super::finding::{Finding, Level};
use super::market_failures::MarketFailures;
use super::newer_sets::ExaminedSets;
use super::quiet_files::{PlainFiles, QuietFiles};
use super::settings::RefreshSettings;
use super::snapshots::Snapshots;
use super::status::RefreshStatus;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_engine::{Engine, LoadScope, MarketSnapshot, SetName};
use parquote_set::{AdmissionRecord, DataLocation, Root, Set, SetError, TableFiles};

/// The refresh state of one market.
pub(super) struct MarketRefresh {
    market: Market,
    location: DataLocation,
    engine: Arc<Engine>,
    settings: RefreshSettings,
    status: RefreshStatus,
    /// The snapshots shared with the server; `None` until a market is served.
    snapshots: Option<Arc<Snapshots>>,
    /// The served set with its snapshot; `None` before the first one.
    served: Option<(Set, Arc<MarketSnapshot>)>,
    public: PublicView,
    /// Replaced snapshots that requests still use. They are dropped on this thread, not on the thread of the last request.
    retired: Vec<Arc<MarketSnapshot>>,
    /// Number of the last set that was replaced because of a damaged file.
    last_damaged: Option<u64>,
    /// Numbers of the sets already examined.
    examined: ExaminedSets,
    /// The available sets, by number.
    retained: BTreeMap<u64, Set>,
    past: PastSets,
    /// Changed plain files in their quiet time.
    quiet_files: QuietFiles,
    /// Plain files that were refused; they are checked again when they change.
    refused: Option<PlainFiles>,
    /// Plain files that are being checked.
    in_check: Option<PlainFiles>,
    /// Failures of the latest scans.
    failures: MarketFailures,
}

impl MarketRefresh {
    pub(super) fn new(
        market: Market,
        location: DataLocation,
        engine: Arc<Engine>,
        settings: RefreshSettings,
        status: RefreshStatus,
    ) -> Self {
        Self {
            market,
            location,
            engine,
            settings,
            status,
            snapshots: None,
            served: None,
            public: PublicView::default(),
            retired: Vec::new(),
            last_damaged: None,
            examined: ExaminedSets::default(),
            retained: BTreeMap::new(),
            past: PastSets::default(),
            quiet_files: QuietFiles::default(),
            refused: None,
            in_check: None,
            failures: MarketFailures::default(),
        }
    }

    pub(super) fn is_served(&self) -> bool {
        self.served.is_some()
    }

    /// Returns true if changed plain files are still in their quiet time.
    pub(super) fn is_waiting(&self) -> bool {
        !self.quiet_files.is_empty()
    }

    pub(super) fn served(&self) -> Option<Arc<MarketSnapshot>> {
        self.served.as_ref().map(|(_, snapshot)| Arc::clone(snapshot))
    }

    /// Loads the market without any tables, for use before it has data.
    pub(super) async fn without_tables(&self) -> Option<Arc<MarketSnapshot>> {
        let (market, name, files) = (self.market, SetName::unpublished(""), TableFiles::new());
        let loaded = MarketSnapshot::load(&self.engine, market, name, &files, LoadScope::Served).await;
        loaded
            .inspect_err(|error| tracing::error!(%market, %error, "operations do not plan"))
            .ok()
            .map(Arc::new)
    }

    /// Sets the shared snapshots; all later sets of the market are stored in them.
    pub(super) fn serve_from(&mut self, snapshots: Arc<Snapshots>) {
        snapshots.retain_sets(self.market, self.retained.values().cloned().collect());
        self.snapshots = Some(snapshots);
        self.publish_past_sets();
    }

    /// Serves the newest set that was admitted before, else the newest that passes admission, else plain files.
    pub(super) async fn serve_first_set(&mut self) {
        self.location.home.sweep_staging(self.market);
        let result = Box::pin(self.start_from_sets()).await;
        self.report_trouble(result);
        self.find_past_sets().await;
        if self.served.is_none() {
            self.scan_for_data(false).await;
        }
        self.update_public_view().await;
    }

    /// Returns the snapshots that clients see: the served one, and the public's if it is another one.
    pub(super) fn seen_snapshots(&self) -> Vec<Arc<MarketSnapshot>> {
        let mut snapshots: Vec<_> = self.served().into_iter().chain(self.seen_by_public()).collect();
        snapshots.dedup_by(|one, other| Arc::ptr_eq(one, other));
        snapshots
    }

    /// Checks for a newer set, then for changed plain files, then for a set that the public may see.
    pub(super) async fn check_for_changes(&mut self, at_once: bool) {
        self.scan_for_data(at_once).await;
        self.update_public_view().await;
    }

    async fn scan_for_data(&mut self, at_once: bool) {
        self.retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        if self.failures.is_paused() && !at_once {
            return;
        }
        if matches!(self.location.sets, Root::Folder(_)) {
            self.find_past_sets().await;
        }
        let mut result = self.replace_damaged_set().await;
        if result.is_ok() {
            result = self.check_for_newer_set().await;
        }
        if result.is_ok() {
            result = self.check_plain_files(at_once).await;
        }
        if matches!(result, Err(RefreshError::Set(SetError::NumberTaken { .. }))) {
            // Another server published the same files first: its set is the newest one.
            result = self.check_for_newer_set().await;
        }
        self.report_trouble(result);
    }

    fn report_trouble(&mut self, result: Result<(), RefreshError>) {
        let trouble = result.err().map(|error| {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{error}{cause}")
        });
        self.failures.record_scan(self.market, trouble.as_deref(), self.settings.poll);
        self.status.record_scan(self.market, trouble);
    }

    /// Records a panic: the data that was being checked is skipped until it changes.
    pub(super) fn record_panic(&mut self) {
        let trouble =
            "the check of new data failed by a fault of the program; it is repeated when the data changes";
        tracing::error!(market = %self.market, trouble);
        self.status.record_scan(self.market, Some(trouble.to_owned()));
        self.refused = self.in_check.take();
        self.quiet_files.clear();
    }

    fn write_record(&self, set: &Set, admitted: bool, findings: &[Finding]) {
        let record = record(self.engine.catalogue(), &set.id, admitted, findings);
        if let Err(error) = self.location.home.record(self.market, set.number, &record) {
            tracing::warn!(market = %self.market, %error, "what was found of a set could not be written down");
        }
    }

    async fn serve_set(&mut self, set: Set, loaded: MarketSnapshot, findings: Vec<Finding>) {
        let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
        let as_of = set.as_of.map(|day| day.to_string()).unwrap_or_default();
        tracing::info!(market = %self.market, set = set.number, id = set.id, as_of, warnings, "served");
        for finding in &findings {
            tracing::warn!("{finding}");
        }
        if let Some((_, before)) = &self.served {
            loaded.warm_like(before).await;
        }
        let loaded = Arc::new(
            loaded.published_as(SetName::from_set(&set), self.location.sets.files(self.market, &set)),
        );
        self.examined.newest = self.examined.newest.max(set.number);
        self.retained.insert(set.number, set.clone());
        if let Some(snapshots) = &self.snapshots {
            snapshots.serve_market(Arc::clone(&loaded));
        }
        self.publish_available_sets();
        self.status.record_served(self.market, &set, findings);
        self.retired.extend(self.served.replace((set, loaded)).map(|(_, before)| before));
    }

    fn refuse(&self, findings: &[Finding], what: &str) {
        let served =
            self.served.as_ref().map_or_else(|| "none".to_owned(), |(set, _)| set.number.to_string());
        let errors = findings.iter().filter(|finding| finding.level == Level::Error);
        tracing::error!(market = %self.market, what, still_served = served, "refused");
        for finding in errors {
            tracing::error!("{finding}");
        }
        self.status.record_refusal(self.market, findings);
    }

    /// Drops sets whose manifest was deleted.
    async fn drop_deleted_sets(&mut self) -> Result<(), RefreshError> {
        if matches!(self.location.sets, Root::Folder(_)) {
            let numbers: BTreeSet<u64> = self.location.sets.numbers(self.market).await?.into_iter().collect();
            self.retained.retain(|number, _| numbers.contains(number));
        }
        self.publish_available_sets();
        Ok(())
    }

    fn publish_available_sets(&self) {
        if let Some(snapshots) = &self.snapshots {
            snapshots.retain_sets(self.market, self.retained.values().cloned().collect());
        }
    }
}

/// Builds an admission record from findings.
pub(super) fn record(
    catalogue: &Catalogue,
    id: &str,
    admitted: bool,
    findings: &[Finding],
) -> AdmissionRecord {
    let findings = findings.iter().filter_map(|finding| serde_json::to_value(finding).ok()).collect();
    AdmissionRecord { id: id.to_owned(), admitted, rules: rules(catalogue), at: Utc::now(), findings }
}

/// Computes the fingerprint of everything that decides admission: the program version, the catalogue, and the rules of `queries/checks`.
pub(super) fn rules(catalogue: &Catalogue) -> String {
    const DIGITS: usize = 16;
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(catalogue.fingerprint().as_bytes());
    for check in catalogue.checks() {
        hash.update(format!("\0{}\0{}\0{}", check.name, check.severity, check.sql).as_bytes());
    }
    hash.finalize().to_hex().chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relaxed_rule_changes_the_fingerprint() {
        let fingerprint_with = |text: &str| {
            let file = ("checks/price_order.sql".to_owned(), text.to_owned());
            rules(&Catalogue::with_overlay(&[file]).unwrap())
        };
        let built_in = rules(&Catalogue::with_overlay(&[]).unwrap());
        let rule = "-- A low.\n--\n-- severity: error\nSELECT symbol FROM daily_prices WHERE low < 0\n";
        let fingerprints = [
            built_in,
            fingerprint_with(rule),
            fingerprint_with(&rule.replace("error", "note")),
            fingerprint_with(&rule.replace("< 0", "< -1")),
        ];
        assert!(
            fingerprints
                .iter()
                .enumerate()
                .all(|(index, one)| fingerprints.iter().skip(index + 1).all(|other| one != other)),
            "{fingerprints:?}"
        );
    }
}

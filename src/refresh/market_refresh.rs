//! Refreshes one market: from the files under the root to the set that is served.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::Utc;

use super::admission::{Admission, Admitted, UnreadFile, findings, without_strangers};
use super::candidate::{Candidate, Changed};
use super::error::RefreshError;
use super::finding::{Finding, Level};
use super::newer::Newer;
use super::resting::{PlainFiles, Rest, Resting, as_before};
use super::settings::RefreshSettings;
use super::snapshots::Snapshots;
use super::status::RefreshStatus;
use super::trouble::Trouble;
use crate::engine::{Engine, EngineError, LoadScope, MarketSnapshot, SetName};
use crate::operation::Market;
use crate::set::{AdmissionRecord, DataLocation, Root, Set, SetError, SetFile, SetOrigin};

/// The refresh state of one market.
pub(super) struct MarketRefresh {
    market: Market,
    place: DataLocation,
    engine: Arc<Engine>,
    settings: RefreshSettings,
    status: RefreshStatus,
    snapshots: Option<Arc<Snapshots>>,
    served: Option<(Set, Arc<MarketSnapshot>)>,
    /// Snapshots that are served no more and still answer somebody: they end on this thread, not on that of the last caller.
    retired: Vec<Arc<MarketSnapshot>>,
    /// The numbers that were looked at.
    newer: Newer,
    /// The sets that are kept.
    kept: BTreeMap<u64, Set>,
    /// Plain files that are other than those taken in, in their quiet time.
    resting: Resting,
    /// Plain files that were refused; they are looked at again when they change.
    refused: Option<PlainFiles>,
    /// Plain files that are being looked at.
    under_way: Option<PlainFiles>,
    /// What keeps it from looking.
    trouble: Trouble,
}

impl MarketRefresh {
    pub(super) fn new(
        market: Market,
        place: DataLocation,
        engine: Arc<Engine>,
        settings: RefreshSettings,
        status: RefreshStatus,
    ) -> Self {
        Self {
            market,
            place,
            engine,
            settings,
            status,
            snapshots: None,
            served: None,
            retired: Vec::new(),
            newer: Newer::default(),
            kept: BTreeMap::new(),
            resting: Resting::default(),
            refused: None,
            under_way: None,
            trouble: Trouble::default(),
        }
    }

    pub(super) fn market(&self) -> Market {
        self.market
    }

    pub(super) fn is_served(&self) -> bool {
        self.served.is_some()
    }

    /// Whether changed plain files are still in their quiet time.
    pub(super) fn is_waiting(&self) -> bool {
        !self.resting.is_empty()
    }

    pub(super) fn served(&self) -> Option<Arc<MarketSnapshot>> {
        self.served.as_ref().map(|(_, snapshot)| Arc::clone(snapshot))
    }

    /// From now on served snapshots are put there.
    pub(super) fn serve_from(&mut self, snapshots: Arc<Snapshots>) {
        snapshots.keep(self.market, self.kept.values().cloned().collect());
        self.snapshots = Some(snapshots);
    }

    /// Serves the newest set that was admitted before, else the newest that can be admitted now, else plain files.
    pub(super) async fn begin(&mut self) {
        self.place.home.sweep_staging(self.market);
        let begun = Box::pin(self.start_from_sets()).await;
        self.report_trouble(begun);
        if self.served.is_none() {
            self.look(false).await;
        }
    }

    async fn start_from_sets(&mut self) -> Result<(), RefreshError> {
        let numbers = self.place.sets.numbers(self.market).await?;
        let (mut unjudged, mut unread) = (Vec::new(), None);
        for number in numbers.iter().rev() {
            let set = match self.place.sets.read(self.market, *number).await {
                Ok(set) => set,
                Err(error) => {
                    tracing::warn!(market = %self.market, number, %error, "a set is passed over");
                    unread = unread.or(matches!(error, SetError::Store { .. }).then_some(error));
                    continue;
                }
            };
            self.kept.insert(*number, set.clone());
            if self.served.is_some() {
                continue;
            }
            match self.was_admitted(&set) {
                Some(false) => {}
                None => unjudged.push(set),
                Some(true) => self.serve_admitted(set).await?,
            }
        }
        if self.served.is_none() {
            for set in unjudged {
                if self.admit_published(set).await? {
                    break;
                }
            }
            // A store that fails says nothing of a set: the next look reads it again.
            if let Some(error) = unread.filter(|_| self.served.is_none()) {
                return Err(error.into());
            }
            self.newer.known = numbers.last().copied().unwrap_or_default();
        }
        Ok(())
    }

    /// Whether a set, or the one that it rolls back to, was admitted before; `None` where it was never checked.
    fn was_admitted(&self, set: &Set) -> Option<bool> {
        if set.published.forced {
            return Some(true);
        }
        let earlier = match set.published.origin {
            SetOrigin::RolledBack { to } => Some(to),
            SetOrigin::Derived | SetOrigin::Inbox => None,
        };
        let mut records = std::iter::once(set.number).chain(earlier).filter_map(|number| self.record(number));
        records.find(|record| record.id == set.id).map(|record| record.admitted)
    }

    /// The admission record of a set.
    fn record(&self, number: u64) -> Option<AdmissionRecord> {
        let beside = match &self.place.sets {
            Root::Folder(home) => home.admission(self.market, number),
            Root::Bucket(_) => None,
        };
        beside.or_else(|| self.place.home.admission(self.market, number))
    }

    /// Serves a set that was admitted before; one that cannot be loaded any more is skipped.
    ///
    /// # Errors
    /// A store that fails.
    async fn serve_admitted(&mut self, set: Set) -> Result<(), RefreshError> {
        self.reach_files(&set)?;
        let failures = self.place.sets.failures();
        let files = self.place.sets.files(self.market, &set);
        let name = SetName::of(&set);
        match MarketSnapshot::load(&self.engine, self.market, name, &files, LoadScope::Served).await {
            Ok(loaded) => self.serve(set, loaded, Vec::new()).await,
            Err(_) if self.place.sets.failures() > failures => {
                return Err(self.of_store(set.number));
            }
            Err(error) => {
                let findings = self.of_error(error);
                self.refuse(&findings, &format!("set {}", set.number));
            }
        }
        Ok(())
    }

    /// The store failed while a set was read.
    fn of_store(&self, number: u64) -> RefreshError {
        RefreshError::Store { number, why: self.place.sets.last_failure() }
    }

    /// Checks for a newer set, then for changed plain files.
    pub(super) async fn look(&mut self, at_once: bool) {
        self.retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        if self.trouble.is_resting() && !at_once {
            return;
        }
        let mut looked = self.check_for_newer_set().await;
        if looked.is_ok() {
            looked = self.look_at_files(at_once).await;
        }
        if matches!(looked, Err(RefreshError::Set(SetError::Lost { .. }))) {
            // Another server took in the same files first: its set is the newest now.
            looked = self.check_for_newer_set().await;
        }
        self.report_trouble(looked);
    }

    fn report_trouble(&mut self, result: Result<(), RefreshError>) {
        let trouble = result.err().map(|error| {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{error}{cause}")
        });
        self.trouble.looked(self.market, trouble.as_deref(), self.settings.poll);
        self.status.looked(self.market, trouble);
    }

    /// A bug of ours: the data that was being checked is skipped until it changes.
    pub(super) fn panicked(&mut self) {
        let trouble = "looking at new data met a fault of the program; it is left alone until it changes";
        tracing::error!(market = %self.market, trouble);
        self.status.looked(self.market, Some(trouble.to_owned()));
        self.refused = self.under_way.take();
        self.resting.forget();
    }

    async fn check_for_newer_set(&mut self) -> Result<(), RefreshError> {
        let served = self.served.as_ref().map_or(0, |(set, _)| set.number);
        let Some(set) = self.newer.next(self.market, &self.place.sets, served).await? else { return Ok(()) };
        let before = self.newer.known;
        self.newer.known = before.max(set.number);
        let arrived = self.admit_published(set).await;
        if let Err(RefreshError::Store { .. } | RefreshError::Set(_)) = &arrived {
            // Nothing is known of the set yet.
            self.newer.known = before;
        }
        arrived.map(drop)
    }

    /// Checks a set that another process published, and serves it if it is admitted. Returns whether it is served.
    async fn admit_published(&mut self, set: Set) -> Result<bool, RefreshError> {
        self.keep_set(&set).await?;
        match self.was_admitted(&set) {
            Some(true) => {
                let number = set.number;
                self.inherit_record(&set);
                self.serve_admitted(set).await?;
                return Ok(self.served.as_ref().is_some_and(|(served, _)| served.number == number));
            }
            Some(false) => return Ok(false),
            None => {}
        }
        let failures = self.place.sets.failures();
        let admission = Admission::now(&self.engine, &self.settings.vetter, self.market);
        self.reach_files(&set)?;
        let mut found = self.read_files(&admission, &set)?;
        let mut loaded = None;
        if !Finding::any_error(&found) {
            let (name, files) = (SetName::of(&set), self.place.sets.files(self.market, &set));
            // Who goes back means to have less than before.
            let goes_back = matches!(set.published.origin, SetOrigin::RolledBack { .. });
            let before = self.served().filter(|_| !goes_back);
            let admitted = admission.of(self.market, name, &files, before.as_deref()).await?;
            found.extend(admitted.findings);
            loaded = admitted.snapshot;
        }
        let admitted = !Finding::any_error(&found);
        // A rule whose rows could not be fetched is only a warning, so that what was admitted does not hold either.
        if self.place.sets.failures() > failures {
            return Err(self.of_store(set.number));
        }
        self.write_record(&set, admitted, &found);
        match loaded.filter(|_| admitted) {
            Some(loaded) => self.serve(set, loaded, found).await,
            None => self.refuse(&found, &format!("set {}", set.number)),
        }
        Ok(admitted)
    }

    /// Reads the end of each new file in a store, where its readers begin: a store that hangs is given up at the first one.
    fn reach_files(&self, set: &Set) -> Result<(), RefreshError> {
        let sets = &self.place.sets;
        let served: BTreeSet<&str> =
            self.served.iter().flat_map(|(set, _)| set.files()).map(|(_, file)| file.hash.as_str()).collect();
        let failures = sets.failures();
        for file in sets.files(self.market, set).values().flatten() {
            if let Root::Bucket(_) = sets
                && file.hash().is_none_or(|hash| !served.contains(hash))
                && let Ok(open) = file.open()
                && open.read_at(&mut [0], open.bytes().saturating_sub(1)).is_err()
                && sets.failures() > failures
            {
                return Err(self.of_store(set.number));
            }
        }
        Ok(())
    }

    /// Reads the files of a set in a folder that the set now served does not have.
    fn read_files(&self, admission: &Admission<'_>, set: &Set) -> Result<Vec<Finding>, RefreshError> {
        // Files in a store are read by ranges, never whole: what derivation uploaded is taken as it says it is.
        let Root::Folder(home) = &self.place.sets else { return Ok(Vec::new()) };
        let served = self.served.iter().flat_map(|(set, _)| set.files());
        let named = |(table, file): (&str, &SetFile)| (table.to_owned(), file.hash.clone());
        let known: BTreeSet<(String, String)> = served.map(named).collect();
        let new = set.files().filter(|file| !known.contains(&named(*file)));
        let unread: Vec<UnreadFile> = new
            .map(|(table, file)| UnreadFile {
                table: table.to_owned(),
                path: home.file(self.market, table, &file.hash),
            })
            .collect();
        let staging = self.place.home.stage(self.market)?;
        let vetted = admission.read(self.market, &unread, &staging)?;
        let problems = vetted.into_iter().flat_map(|vetted| vetted.problems).collect();
        Ok(findings(self.engine.catalogue(), problems))
    }

    async fn look_at_files(&mut self, at_once: bool) -> Result<(), RefreshError> {
        let Some(inbox) = self.place.inbox.clone() else { return Ok(()) };
        let found = inbox.scan(self.market).await?;
        let (mut now, strangers) = without_strangers(self.engine.catalogue(), self.market, found);
        self.status.sees_strangers(self.market, strangers);
        let base = self.base();
        let mut changed = Changed::since(now.clone(), base.as_ref());
        if changed.is_empty() {
            if self.refused.take().is_some() || !self.resting.is_empty() {
                self.resting.forget();
                self.clear_refusal();
            }
            return Ok(());
        }
        if self.refused.as_ref() == Some(&now) && !at_once {
            self.resting.forget();
            return Ok(());
        }
        if !at_once {
            let (paths, is_first) = (changed.other.iter().chain(&changed.gone), self.served.is_none());
            match self.resting.look(&now, paths, self.settings.quiet, is_first) {
                Rest::Wait => return Ok(()),
                Rest::Taken { busy } if !busy.is_empty() => {
                    as_before(&mut now, base.as_ref(), &busy);
                    changed = Changed::since(now.clone(), base.as_ref());
                    if changed.is_empty() || self.refused.as_ref() == Some(&now) {
                        return Ok(());
                    }
                }
                Rest::Taken { .. } => {}
            }
        }
        self.under_way = Some(now.clone());
        let others = changed.other.clone();
        let admission = Admission::now(&self.engine, &self.settings.vetter, self.market);
        let place = (&inbox, &self.place.home);
        let taken = Candidate::take(&admission, place, self.market, changed, base.as_ref()).await?;
        // A file that was written into while it was copied may be a mixture.
        let after = inbox.scan(self.market).await?;
        if others.iter().any(|path| after.get(path) != now.get(path)) {
            return Ok(());
        }
        self.resting.forget();
        let taken = taken.map(|candidate| candidate.above(self.newer.known));
        match taken {
            None => {
                self.clear_refusal();
                self.mark_unchanged(now);
            }
            Some(candidate) => {
                let admitted = self.admit(&admission, &candidate).await?;
                self.publish_or_refuse(candidate, admitted, now).await?;
            }
        }
        Ok(())
    }

    async fn admit(
        &self,
        admission: &Admission<'_>,
        candidate: &Candidate,
    ) -> Result<Admitted, RefreshError> {
        if Finding::any_error(&candidate.findings) {
            return Ok(Admitted { findings: candidate.findings.clone(), snapshot: None });
        }
        let before = self.served();
        let files = candidate.files(&self.place.home);
        let mut admitted = admission.of(self.market, candidate.name(), &files, before.as_deref()).await?;
        admitted.findings.extend(candidate.findings.iter().cloned());
        Ok(admitted)
    }

    /// Publishes and serves an admitted candidate, or records why it is refused.
    async fn publish_or_refuse(
        &mut self,
        candidate: Candidate,
        admitted: Admitted,
        now: PlainFiles,
    ) -> Result<(), RefreshError> {
        let Admitted { findings, snapshot } = admitted;
        let Some(loaded) = snapshot.filter(|_| !Finding::any_error(&findings)) else {
            self.refused = Some(now);
            let record = record(candidate.name().id.as_ref(), false, &findings);
            // Whoever is told of the refusal finds the record of it.
            let recorded = self.place.home.refuse(self.market, Some(&record));
            self.refuse(&findings, "plain files");
            return Ok(recorded?);
        };
        let set = candidate.publish(&self.place.home, loaded.as_of(), false)?;
        self.write_record(&set, true, &findings);
        self.newer.known = set.number;
        self.kept.insert(set.number, set.clone());
        self.clear_refusal();
        self.serve(set, loaded, findings).await;
        if let Err(error) = self.place.home.sweep(self.market, &self.settings.keep) {
            tracing::warn!(market = %self.market, %error, "sets that are not kept could not be swept");
        }
        self.drop_deleted_sets().await
    }

    /// The set that plain files replace parts of: the served one, or the newest where none is served, under the newest number.
    fn base(&self) -> Option<Set> {
        let newest = self.kept.last_key_value().map(|(_, set)| set);
        let under = self.served.as_ref().map(|(set, _)| set).or(newest)?;
        let inbox = newest.map_or_else(PlainFiles::new, |set| set.inbox.clone());
        Some(Set { number: self.newer.known.max(under.number), inbox, ..under.clone() })
    }

    /// Marks plain files whose content is already in the set: they are not read again until they change.
    fn mark_unchanged(&mut self, now: PlainFiles) {
        if let Some((_, newest)) = self.kept.iter_mut().next_back() {
            newest.inbox = now;
        }
    }

    fn clear_refusal(&mut self) {
        self.refused = None;
        self.status.clear_refusal(self.market);
        if let Err(error) = self.place.home.refuse(self.market, None) {
            tracing::warn!(market = %self.market, %error, "an old refusal could not be taken away");
        }
    }

    /// A set that rolls back to an earlier one inherits its admission record. In a folder the rollback itself writes that record.
    fn inherit_record(&self, set: &Set) {
        if matches!(self.place.sets, Root::Bucket(_)) && self.record(set.number).is_none() {
            self.write_record(set, true, &[]);
        }
    }

    fn write_record(&self, set: &Set, admitted: bool, findings: &[Finding]) {
        let record = record(&set.id, admitted, findings);
        if let Err(error) = self.place.home.record(self.market, set.number, &record) {
            tracing::warn!(market = %self.market, %error, "what was found of a set could not be written down");
        }
    }

    async fn serve(&mut self, set: Set, loaded: MarketSnapshot, findings: Vec<Finding>) {
        let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
        let as_of = set.as_of.map(|day| day.to_string()).unwrap_or_default();
        tracing::info!(market = %self.market, set = set.number, id = set.id, as_of, warnings, "served");
        for finding in &findings {
            tracing::warn!("{finding}");
        }
        if let Some((_, before)) = &self.served {
            loaded.warm_like(before).await;
        }
        let loaded = Arc::new(loaded.published_as(SetName::of(&set)));
        self.newer.known = self.newer.known.max(set.number);
        self.kept.insert(set.number, set.clone());
        if let Some(snapshots) = &self.snapshots {
            snapshots.put(Arc::clone(&loaded));
        }
        self.announce_kept_sets();
        self.status.serves(self.market, &set, findings);
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
        self.status.refuses(self.market, findings);
    }

    /// Findings of a set that could be loaded once and cannot any more.
    fn of_error(&self, error: EngineError) -> Vec<Finding> {
        match error {
            EngineError::Contract { problems } => findings(self.engine.catalogue(), problems),
            error => {
                let remedy = "derive or publish the market again, or go back with `parquote rollback`";
                vec![Finding::new(Level::Error, self.market, error.to_string(), remedy)]
            }
        }
    }

    /// Adds a set to the kept ones, and drops those whose manifest was deleted.
    async fn keep_set(&mut self, set: &Set) -> Result<(), RefreshError> {
        self.kept.insert(set.number, set.clone());
        self.drop_deleted_sets().await
    }

    /// Drops kept sets whose manifest was deleted.
    async fn drop_deleted_sets(&mut self) -> Result<(), RefreshError> {
        if matches!(self.place.sets, Root::Folder(_)) {
            let numbers: BTreeSet<u64> = self.place.sets.numbers(self.market).await?.into_iter().collect();
            self.kept.retain(|number, _| numbers.contains(number));
        }
        self.announce_kept_sets();
        Ok(())
    }

    fn announce_kept_sets(&self) {
        if let Some(snapshots) = &self.snapshots {
            snapshots.keep(self.market, self.kept.values().cloned().collect());
        }
    }
}

/// The admission record of these findings.
pub(super) fn record(id: &str, admitted: bool, findings: &[Finding]) -> AdmissionRecord {
    let findings = findings.iter().filter_map(|finding| serde_json::to_value(finding).ok()).collect();
    AdmissionRecord { id: id.to_owned(), admitted, at: Utc::now(), findings }
}

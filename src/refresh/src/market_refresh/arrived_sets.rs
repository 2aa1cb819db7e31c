//! Published sets: those that exist at the start, and newer ones. A set that was admitted before is served; any other is checked
//! first. A failure of the store is no verdict on a set.

use std::collections::BTreeSet;

use super::{MarketRefresh, rules};
use crate::admission::{Admission, UnreadFile, findings};
use crate::error::RefreshError;
use crate::finding::{Finding, Level};
use parquote_engine::{EngineError, LoadScope, MarketSnapshot, SetName};
use parquote_set::{AdmissionRecord, Root, Set, SetError, SetFile, SetOrigin};

impl MarketRefresh {
    pub(super) async fn start_from_sets(&mut self) -> Result<(), RefreshError> {
        let numbers = self.location.sets.numbers(self.market).await?;
        let (mut unjudged, mut unread) = (Vec::new(), None);
        for number in numbers.iter().rev() {
            let set = match self.location.sets.read(self.market, *number).await {
                Ok(set) => set,
                Err(error) => {
                    tracing::warn!(market = %self.market, number, %error, "a set is passed over");
                    unread = unread.or(matches!(error, SetError::Store { .. }).then_some(error));
                    continue;
                }
            };
            self.retained.insert(*number, set.clone());
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
            // A failure of the store is no verdict on a set: the next scan reads it again.
            if let Some(error) = unread.filter(|_| self.served.is_none()) {
                return Err(error.into());
            }
            self.newer.newest = numbers.last().copied().unwrap_or_default();
        }
        self.report_refused_newest();
        Ok(())
    }

    /// Reports that a set newer than the served one was refused, with the reason, so that it is also reported after a restart.
    fn report_refused_newest(&self) {
        let served = self.served.as_ref().map_or(0, |(set, _)| set.number);
        let Some((number, set)) = self.retained.last_key_value().filter(|(number, _)| **number > served)
        else {
            return;
        };
        if self.was_admitted(set) == Some(false)
            && let Some(record) = self.record(*number)
        {
            let found = record.findings.into_iter().filter_map(|found| serde_json::from_value(found).ok());
            self.refuse(&found.collect::<Vec<_>>(), &format!("set {number}"));
        }
    }

    /// Replaces a set with a damaged file by the newest undamaged set. If there is no such set, the damaged one is still served,
    /// and the status reports it.
    pub(super) async fn leave_damaged_set(&mut self) -> Result<(), RefreshError> {
        let Some((set, _)) = &self.served else { return Ok(()) };
        let (number, found) = (set.number, self.status.damage_of(self.market, set));
        if found.is_empty() || self.left == Some(number) {
            return Ok(());
        }
        self.left = Some(number);
        let before = self.served.take();
        let begun = Box::pin(self.start_from_sets()).await;
        if self.served.is_none() {
            self.served = before;
        } else {
            self.retired.extend(before.map(|(_, snapshot)| snapshot));
        }
        self.newer.newest = self.newer.newest.max(number);
        self.refuse(&found, &format!("set {number}"));
        begun
    }

    /// Returns the earlier verdict on a set, or on the one that it rolls back to; `None` if it was never checked by the current rules.
    pub(super) fn was_admitted(&self, set: &Set) -> Option<bool> {
        if !self.status.damage_of(self.market, set).is_empty() {
            return Some(false);
        }
        if set.published.forced {
            return Some(true);
        }
        let earlier = match set.published.origin {
            SetOrigin::RolledBack { to } => Some(to),
            SetOrigin::Derived | SetOrigin::Inbox => None,
        };
        let mut records = std::iter::once(set.number).chain(earlier).filter_map(|number| self.record(number));
        let record = records.find(|record| record.id == set.id)?;
        // A refusal by other rules does not count.
        let holds = record.admitted || record.rules == rules(self.engine.catalogue());
        holds.then_some(record.admitted)
    }

    /// Reads the admission record of a set.
    fn record(&self, number: u64) -> Option<AdmissionRecord> {
        let beside = match &self.location.sets {
            Root::Folder(home) => home.admission(self.market, number),
            Root::Bucket(_) => None,
        };
        beside.or_else(|| self.location.home.admission(self.market, number))
    }

    /// Serves a set that was admitted before; it is skipped if it can no longer be loaded.
    ///
    /// # Errors
    /// A store that fails.
    async fn serve_admitted(&mut self, set: Set) -> Result<(), RefreshError> {
        self.probe_files(&set)?;
        let failures = self.location.sets.failures();
        let files = self.location.sets.files(self.market, &set);
        let name = SetName::from_set(&set);
        match MarketSnapshot::load(&self.engine, self.market, name, &files, LoadScope::Served).await {
            Ok(loaded) => self.serve_set(set, loaded, Vec::new()).await,
            Err(_) if self.location.sets.failures() > failures => {
                return Err(self.of_store(set.number));
            }
            Err(error) => {
                let findings = self.of_error(error);
                self.refuse(&findings, &format!("set {}", set.number));
            }
        }
        Ok(())
    }

    /// Builds the error for a store that failed while a set was read.
    fn of_store(&self, number: u64) -> RefreshError {
        RefreshError::Store { number, why: self.location.sets.last_failure() }
    }

    pub(super) async fn check_for_newer_set(&mut self) -> Result<(), RefreshError> {
        let served = self.served.as_ref().map_or(0, |(set, _)| set.number);
        let Some(set) = self.newer.next(self.market, &self.location.sets, served).await? else {
            return Ok(());
        };
        let before = self.newer.newest;
        self.newer.newest = before.max(set.number);
        let arrived = self.admit_published(set).await;
        if let Err(RefreshError::Store { .. } | RefreshError::Set(_)) = &arrived {
            // The set is not checked yet, so a later scan finds it again.
            self.newer.newest = before;
        }
        arrived.map(drop)
    }

    /// Checks a set that another process published, and serves it if it is admitted. Returns true if it is served.
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
        let failures = self.location.sets.failures();
        let admission = Admission::for_today(&self.engine, &self.settings.vetter, self.market);
        self.probe_files(&set)?;
        let mut found = self.read_files(&admission, &set)?;
        let mut loaded = None;
        if !Finding::any_error(&found) {
            let (name, files) = (SetName::from_set(&set), self.location.sets.files(self.market, &set));
            // A rollback is expected to contain less than the served set.
            let goes_back = matches!(set.published.origin, SetOrigin::RolledBack { .. });
            let before = self.served().filter(|_| !goes_back);
            let admitted = admission.admit(self.market, name, &files, before.as_deref()).await?;
            found.extend(admitted.findings);
            loaded = admitted.snapshot;
        }
        let admitted = !Finding::any_error(&found);
        // A rule whose rows could not be fetched is only a warning, so an admission is not valid either.
        if self.location.sets.failures() > failures {
            return Err(self.of_store(set.number));
        }
        self.write_record(&set, admitted, &found);
        match loaded.filter(|_| admitted) {
            Some(loaded) => self.serve_set(set, loaded, found).await,
            None => self.refuse(&found, &format!("set {}", set.number)),
        }
        Ok(admitted)
    }

    /// Reads the last byte of each new file in a store, near which readers begin, so that a store that hangs is detected at the first file.
    fn probe_files(&self, set: &Set) -> Result<(), RefreshError> {
        let sets = &self.location.sets;
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

    /// Reads the files of a set in a folder that the served set does not contain.
    fn read_files(&self, admission: &Admission<'_>, set: &Set) -> Result<Vec<Finding>, RefreshError> {
        // Files in a store are read by ranges, never completely: uploads of a derivation are trusted.
        let Root::Folder(home) = &self.location.sets else { return Ok(Vec::new()) };
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
        let staging = self.location.home.stage(self.market)?;
        let vetted = admission.read(self.market, &unread, &staging)?;
        let problems = vetted.into_iter().flat_map(|vetted| vetted.problems).collect();
        Ok(findings(self.engine.catalogue(), problems))
    }

    /// Copies the admission record for a set that rolls back to an earlier one. In a folder the rollback itself writes it.
    fn inherit_record(&self, set: &Set) {
        if matches!(self.location.sets, Root::Bucket(_)) && self.record(set.number).is_none() {
            self.write_record(set, true, &[]);
        }
    }

    /// Adds a set to the available ones, and drops those whose manifest was deleted.
    async fn keep_set(&mut self, set: &Set) -> Result<(), RefreshError> {
        self.retained.insert(set.number, set.clone());
        self.drop_deleted_sets().await
    }

    /// Builds the findings for a set that loaded before and fails to load.
    fn of_error(&self, error: EngineError) -> Vec<Finding> {
        match error {
            EngineError::Contract(problems) => findings(self.engine.catalogue(), problems),
            error => {
                let remedy = "derive or publish the market again, or go back with `parquote rollback`";
                vec![Finding::new(Level::Error, self.market, error.to_string(), remedy)]
            }
        }
    }
}

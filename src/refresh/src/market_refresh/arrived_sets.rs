//! Published sets: those that exist at the start, and newer ones. A set that was admitted before is served at once; any other is checked
//! first. If the store fails meanwhile, the set is neither admitted nor refused.

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
        let (mut unchecked, mut failed_read) = (Vec::new(), None);
        for number in numbers.iter().rev() {
            let set = match self.location.sets.read(self.market, *number).await {
                Ok(set) => set,
                Err(error) => {
                    tracing::warn!(market = %self.market, number, %error, "a set is passed over");
                    failed_read = failed_read.or(matches!(error, SetError::Store { .. }).then_some(error));
                    continue;
                }
            };
            self.retained.insert(*number, set.clone());
            if self.served.is_some() {
                continue;
            }
            match self.was_admitted(&set) {
                Some(false) => {}
                None => unchecked.push(set),
                Some(true) => self.serve_admitted(set).await?,
            }
        }
        if self.served.is_none() {
            for set in unchecked {
                if self.admit_published(set).await? {
                    break;
                }
            }
            // After a failure of the store, the next scan reads the set again.
            if let Some(error) = failed_read.filter(|_| self.served.is_none()) {
                return Err(error.into());
            }
            self.examined.newest = numbers.last().copied().unwrap_or_default();
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
            let findings = record.findings.into_iter().filter_map(|value| serde_json::from_value(value).ok());
            self.refuse(&findings.collect::<Vec<_>>(), &format!("set {number}"));
        }
    }

    /// Replaces a set with a damaged file by the newest undamaged set. If there is no such set, the damaged one is still served,
    /// and the status reports it.
    pub(super) async fn replace_damaged_set(&mut self) -> Result<(), RefreshError> {
        let Some((set, _)) = &self.served else { return Ok(()) };
        let (number, damage) = (set.number, self.status.damage_of(self.market, set));
        if damage.is_empty() || self.last_damaged == Some(number) {
            return Ok(());
        }
        self.last_damaged = Some(number);
        let before = self.served.take();
        let result = Box::pin(self.start_from_sets()).await;
        if self.served.is_none() {
            self.served = before;
        } else {
            self.retired.extend(before.map(|(_, snapshot)| snapshot));
        }
        self.examined.newest = self.examined.newest.max(number);
        self.refuse(&damage, &format!("set {number}"));
        result
    }

    /// Returns true if an earlier check admitted the set, or the set that it rolls back to; `None` if the current rules never checked it.
    pub(super) fn was_admitted(&self, set: &Set) -> Option<bool> {
        if !self.status.damage_of(self.market, set).is_empty() {
            return Some(false);
        }
        if set.published.forced {
            return Some(true);
        }
        let restored = match set.published.origin {
            SetOrigin::RolledBack { to } => Some(to),
            SetOrigin::Derived | SetOrigin::Inbox => None,
        };
        let mut records =
            std::iter::once(set.number).chain(restored).filter_map(|number| self.record(number));
        let record = records.find(|record| record.id == set.id)?;
        // A refusal by other rules does not count.
        let is_valid = record.admitted || record.rules == rules(self.engine.catalogue());
        is_valid.then_some(record.admitted)
    }

    /// Reads the admission record of a set.
    fn record(&self, number: u64) -> Option<AdmissionRecord> {
        let next_to_set = match &self.location.sets {
            Root::Folder(home) => home.admission(self.market, number),
            Root::Bucket(_) => None,
        };
        next_to_set.or_else(|| self.location.home.admission(self.market, number))
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
                return Err(self.store_failure(set.number));
            }
            Err(error) => {
                let findings = self.load_findings(error);
                self.refuse(&findings, &format!("set {}", set.number));
            }
        }
        Ok(())
    }

    /// Builds the error for a store that failed while a set was read.
    fn store_failure(&self, number: u64) -> RefreshError {
        RefreshError::Store { number, why: self.location.sets.last_failure() }
    }

    pub(super) async fn check_for_newer_set(&mut self) -> Result<(), RefreshError> {
        let served = self.served.as_ref().map_or(0, |(set, _)| set.number);
        let Some(set) = self.examined.next(self.market, &self.location.sets, served).await? else {
            return Ok(());
        };
        let before = self.examined.newest;
        self.examined.newest = before.max(set.number);
        let arrived = self.admit_published(set).await;
        if let Err(RefreshError::Store { .. } | RefreshError::Set(_)) = &arrived {
            // The set is not checked yet, so a later scan finds it again.
            self.examined.newest = before;
        }
        arrived.map(drop)
    }

    /// Checks a set that another process published, and serves it if it is admitted. Returns true if it is served.
    async fn admit_published(&mut self, set: Set) -> Result<bool, RefreshError> {
        self.retain_set(&set).await?;
        match self.was_admitted(&set) {
            Some(true) => {
                let number = set.number;
                self.write_rollback_record(&set);
                self.serve_admitted(set).await?;
                return Ok(self.served.as_ref().is_some_and(|(served, _)| served.number == number));
            }
            Some(false) => return Ok(false),
            None => {}
        }
        let failures = self.location.sets.failures();
        let admission = Admission::for_today(&self.engine, &self.settings.vetter, self.market);
        self.probe_files(&set)?;
        let mut findings = self.read_files(&admission, &set)?;
        let mut loaded = None;
        if !Finding::any_error(&findings) {
            let (name, files) = (SetName::from_set(&set), self.location.sets.files(self.market, &set));
            // A rollback is expected to contain less than the served set.
            let is_rollback = matches!(set.published.origin, SetOrigin::RolledBack { .. });
            let before = self.served().filter(|_| !is_rollback);
            let admitted = admission.admit(self.market, name, &files, before.as_deref()).await?;
            findings.extend(admitted.findings);
            loaded = admitted.snapshot;
        }
        let admitted = !Finding::any_error(&findings);
        // A rule whose rows could not be fetched causes only a warning, so after a failure of the store an admission is not valid either.
        if self.location.sets.failures() > failures {
            return Err(self.store_failure(set.number));
        }
        self.write_record(&set, admitted, &findings);
        match loaded.filter(|_| admitted) {
            Some(loaded) => self.serve_set(set, loaded, findings).await,
            None => self.refuse(&findings, &format!("set {}", set.number)),
        }
        Ok(admitted)
    }

    /// Reads the last byte of each new file in a store, so that a store that hangs is detected at the first file. Readers begin there.
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
                return Err(self.store_failure(set.number));
            }
        }
        Ok(())
    }

    /// Reads those files of a set that the served set does not contain; in a store, reads nothing.
    fn read_files(&self, admission: &Admission<'_>, set: &Set) -> Result<Vec<Finding>, RefreshError> {
        // Files in a store are read by ranges, never completely: uploads of a derivation are trusted.
        let Root::Folder(home) = &self.location.sets else { return Ok(Vec::new()) };
        let served = self.served.iter().flat_map(|(set, _)| set.files());
        let key = |(table, file): (&str, &SetFile)| (table.to_owned(), file.hash.clone());
        let served_keys: BTreeSet<(String, String)> = served.map(key).collect();
        let new = set.files().filter(|file| !served_keys.contains(&key(*file)));
        let unread: Vec<UnreadFile> = new
            .map(|(table, file)| UnreadFile {
                table: table.to_owned(),
                path: home.file_path(self.market, table, &file.hash),
            })
            .collect();
        let staging = self.location.home.stage(self.market)?;
        let vetted = admission.read(self.market, &unread, &staging)?;
        let problems = vetted.into_iter().flat_map(|vetted| vetted.problems).collect();
        Ok(findings(self.engine.catalogue(), problems))
    }

    /// Writes an admission record for a set that rolls back to an admitted one. In a folder, the rollback itself writes the record.
    fn write_rollback_record(&self, set: &Set) {
        if matches!(self.location.sets, Root::Bucket(_)) && self.record(set.number).is_none() {
            self.write_record(set, true, &[]);
        }
    }

    /// Adds a set to the available ones, and drops those whose manifest was deleted.
    async fn retain_set(&mut self, set: &Set) -> Result<(), RefreshError> {
        self.retained.insert(set.number, set.clone());
        self.drop_deleted_sets().await
    }

    /// Builds the findings for an admitted set that can no longer be loaded.
    fn load_findings(&self, error: EngineError) -> Vec<Finding> {
        match error {
            EngineError::Contract(problems) => findings(self.engine.catalogue(), problems),
            error => {
                let remedy = "derive or publish the market again, or go back with `parquote rollback`";
                vec![Finding::new(Level::Error, self.market, error.to_string(), remedy)]
            }
        }
    }
}

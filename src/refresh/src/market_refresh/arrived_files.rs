//! Plain files that users put under the root: once they have been unchanged for a quiet time, they are copied, checked and published.

use super::{MarketRefresh, record};
use crate::admission::{Admission, AdmissionResult, misplaced_files, split_unknown_files};
use crate::candidate::{Candidate, CandidateFolders, InboxChanges};
use crate::error::RefreshError;
use crate::finding::Finding;
use crate::quiet_files::{PlainFiles, ScanResult, with_versions_of_set};
use parquote_set::Set;

impl MarketRefresh {
    pub(super) async fn check_plain_files(&mut self, at_once: bool) -> Result<(), RefreshError> {
        let Some(inbox) = self.location.inbox.clone() else { return Ok(()) };
        let files = inbox.scan(self.market).await?;
        let catalogue = self.engine.catalogue();
        let (mut now, mut warnings) = split_unknown_files(catalogue, self.market, files);
        warnings.extend(misplaced_files(catalogue, self.market, &inbox.ignored_files(self.market).await?));
        self.status.set_unknown_file_warnings(self.market, warnings);
        let base = self.base();
        let mut changed = InboxChanges::since(now.clone(), base.as_ref());
        if changed.is_empty() {
            if self.refused.take().is_some() || !self.quiet_files.is_empty() {
                self.quiet_files.clear();
                self.clear_refusal();
            }
            return Ok(());
        }
        if self.refused.as_ref() == Some(&now) && !at_once {
            self.quiet_files.clear();
            return Ok(());
        }
        if !at_once {
            let (paths, is_first) =
                (changed.new_or_changed.iter().chain(&changed.removed), self.served.is_none());
            match self.quiet_files.update(&now, paths, self.settings.quiet, is_first) {
                ScanResult::Wait => return Ok(()),
                ScanResult::Ready { busy } if !busy.is_empty() => {
                    with_versions_of_set(&mut now, base.as_ref(), &busy);
                    changed = InboxChanges::since(now.clone(), base.as_ref());
                    if changed.is_empty() || self.refused.as_ref() == Some(&now) {
                        return Ok(());
                    }
                }
                ScanResult::Ready { .. } => {}
            }
        }
        // A removal may be refused and must not delay new files, so removals are handled by the next scan.
        let only_removed = changed.paths_only_removed();
        if !only_removed.is_empty() && !changed.new_or_changed.is_empty() {
            with_versions_of_set(&mut now, base.as_ref(), &only_removed);
            changed = InboxChanges::since(now.clone(), base.as_ref());
        }
        self.in_check = Some(now.clone());
        let copied_paths = changed.new_or_changed.clone();
        let admission = Admission::for_today(&self.engine, &self.settings.vetter, self.market);
        let home = &self.location.home;
        let folders = CandidateFolders { inbox: &inbox, home, made_in: home };
        let candidate =
            Candidate::from_changes(&admission, folders, self.market, changed, base.as_ref()).await?;
        // A file that was modified while it was copied may be inconsistent.
        let after = inbox.scan(self.market).await?;
        if copied_paths.iter().any(|path| after.get(path) != now.get(path)) {
            return Ok(());
        }
        self.quiet_files.clear();
        match candidate.map(|candidate| candidate.with_number_above(self.examined.newest)) {
            None => {
                self.clear_refusal();
                self.mark_unchanged(now);
            }
            Some(candidate) => {
                let before = self.served();
                let admitted = candidate.admit(&admission, home, before.as_deref()).await?;
                self.publish_or_refuse(candidate, admitted, now).await?;
            }
        }
        Ok(())
    }

    /// Publishes and serves an admitted candidate, or records why it is refused.
    async fn publish_or_refuse(
        &mut self,
        candidate: Candidate,
        admitted: AdmissionResult,
        now: PlainFiles,
    ) -> Result<(), RefreshError> {
        let AdmissionResult { findings, snapshot } = admitted;
        let Some(loaded) = snapshot.filter(|_| !Finding::any_error(&findings)) else {
            self.refused = Some(now);
            let catalogue = self.engine.catalogue();
            let record = record(catalogue, candidate.name().id.as_ref(), false, &findings);
            // The record is written before the refusal is reported, so that readers of the report find it.
            let recorded = self.location.home.refuse(self.market, Some(&record));
            self.refuse(&findings, "plain files");
            return Ok(recorded?);
        };
        let set = candidate.publish(&self.location.home, loaded.as_of(), false)?;
        self.write_record(&set, true, &findings);
        self.examined.newest = set.number;
        self.retained.insert(set.number, set.clone());
        self.clear_refusal();
        self.serve_set(set, loaded, findings).await;
        if let Err(error) = self.location.home.sweep(self.market, &self.settings.keep) {
            tracing::warn!(market = %self.market, %error, "sets that are not retained could not be deleted");
        }
        self.drop_deleted_sets().await
    }

    /// Returns the set into which plain files are merged: the served set, or else the newest one, with the highest number.
    fn base(&self) -> Option<Set> {
        let newest = self.retained.last_key_value().map(|(_, set)| set);
        let target = self.served.as_ref().map(|(set, _)| set).or(newest)?;
        let inbox = newest.map_or_else(PlainFiles::new, |set| set.inbox.clone());
        Some(Set { number: self.examined.newest.max(target.number), inbox, ..target.clone() })
    }

    /// Marks plain files whose content is already in the set; they are not read again until they change.
    fn mark_unchanged(&mut self, now: PlainFiles) {
        if let Some((_, newest)) = self.retained.iter_mut().next_back() {
            newest.inbox = now;
        }
    }

    fn clear_refusal(&mut self) {
        self.refused = None;
        self.status.clear_refusal(self.market);
        if let Err(error) = self.location.home.refuse(self.market, None) {
            tracing::warn!(market = %self.market, %error, "an old refusal could not be taken away");
        }
    }
}

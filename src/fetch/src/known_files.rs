//! The files on disk and the manifest at one time, and the decision about one file: if it is requested, and why.
//!
//! Nothing is sent or written. A past day without a file from any source of the market is a holiday: stored calendars become
//! outdated, so the archives decide.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::declared_source::Step;
use super::folders::{FilesOnDisk, Folders};
use super::manifest::{Manifest, ManifestLine};
use super::outcome::FetchOutcome;
use super::path_template::Values;
use super::planned_request::RequestReason;
use super::source::Source;
use super::source_catalogue::SourceCatalogue;
use parquote_catalogue::operation::Market;

/// Minimum time between two requests for one file, after any reply.
const AGAIN_AFTER: TimeDelta = TimeDelta::hours(1);
/// Time between two checks of a file that the host may still correct.
const CHECK_EVERY: TimeDelta = TimeDelta::days(3);
/// Time after publication at which a day without files counts as a day without a session.
const NO_SESSION_AFTER: TimeDelta = TimeDelta::days(1);

/// The files on disk and the manifest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownFiles<'a> {
    pub(crate) catalogue: &'a SourceCatalogue,
    pub(crate) folders: &'a Folders,
    pub(crate) manifest: &'a Manifest,
    pub(crate) files_on_disk: &'a BTreeMap<Market, FilesOnDisk>,
    pub(crate) now: DateTime<Utc>,
    /// True to repeat requests that are settled or recent.
    pub(crate) again: bool,
}

/// The outcome for a file that the host does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingFile {
    pub(crate) outcome: FetchOutcome,
    pub(crate) why: String,
    pub(crate) settled: bool,
}

impl KnownFiles<'_> {
    /// Returns true if a file with the name of this path is on disk, in any folder of its market.
    pub(crate) fn is_on_disk(&self, source: &Source, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.files_on_disk.get(&source.market).is_some_and(|files_on_disk| files_on_disk.has(name))
    }

    /// Returns true if the file of a day is on disk.
    pub(crate) fn is_day_on_disk(&self, source: &Source, date: NaiveDate) -> bool {
        let path = source.into.fill(&Values { date: Some(date), ..Values::default() });
        path.is_some_and(|path| self.is_on_disk(source, &path))
    }

    /// Returns the newest good line of a file; `None` if the file is not on disk.
    pub(crate) fn copy_on_disk(&self, source: &Source, item: &str) -> Option<&ManifestLine> {
        let path = self.manifest.lines_for(&source.name, item).find_map(|line| line.path.as_deref())?;
        let has_file = self.folders.raw().join(path).is_file() || self.is_on_disk(source, path);
        self.manifest.newest_good(&source.name, item).filter(|_| has_file)
    }

    /// Returns true if the market traded on a day, by the files of that day on disk.
    pub(crate) fn is_session(&self, market: Market, date: NaiveDate) -> bool {
        let daily = |source: &Source| {
            source.market == market && source.follows_sessions() && source.includes_day(date)
        };
        self.catalogue.sources().iter().any(|source| daily(source) && self.is_day_on_disk(source, date))
    }

    /// Returns the reason to request a dated file with this target path; `None` if it is not requested.
    pub(crate) fn reason_to_request(
        &self,
        source: &Source,
        (date, item): (NaiveDate, &str),
        path: &str,
    ) -> Option<RequestReason> {
        if source.ready_at(date) > self.now {
            return None;
        }
        if self.is_on_disk(source, path) {
            return self.reason_to_check(source, date, item);
        }
        let Some(last) = self.manifest.newest_answered(&source.name, item) else {
            return Some(RequestReason::New);
        };
        let is_due = self.again || self.is_due(last, AGAIN_AFTER) && self.is_open(source, date, last);
        is_due.then_some(RequestReason::Again)
    }

    /// Returns true if the host may still publish a missing file.
    fn is_open(&self, source: &Source, date: NaiveDate, last: &ManifestLine) -> bool {
        match last.outcome {
            FetchOutcome::Holiday => source.follows_sessions() && self.is_session(source.market, date),
            _ => !last.settled,
        }
    }

    /// Returns the reason to check the host for a new version of a file on disk; `None` if it is not checked.
    fn reason_to_check(&self, source: &Source, date: NaiveDate, item: &str) -> Option<RequestReason> {
        // A file that the user added has no line and is never checked.
        self.manifest.newest_good(&source.name, item)?;
        let last = self.manifest.newest_answered(&source.name, item)?;
        let until = source.ready_at(date) + source.corrected?.delta();
        (self.now <= until && self.is_due(last, CHECK_EVERY)).then_some(RequestReason::Check)
    }

    /// Returns the reason to request a snapshot; `None` if it is not requested.
    pub(crate) fn reason_to_request_snapshot(&self, source: &Source, item: &str) -> Option<RequestReason> {
        let Some(last) = self.manifest.newest_answered(&source.name, item) else {
            return Some(RequestReason::New);
        };
        let wait = if last.outcome.is_good() { source.every.delta() } else { AGAIN_AFTER };
        (self.again || self.is_due(last, wait)).then_some(RequestReason::Again)
    }

    /// Returns true if a page or listing is fresh. The listing of a past month stays fresh if it was fetched after `closed`, the end of
    /// corrections.
    pub(crate) fn is_fresh(&self, source: &Source, item: &str, closed: Option<DateTime<Utc>>) -> bool {
        let Some(last) = self.manifest.newest_answered(&source.name, item) else { return false };
        let has_page = last.outcome.is_good() && self.folders.page(&source.name, item).is_file();
        let is_closed = closed.is_some_and(|closed| last.at > closed);
        has_page && !self.again && (is_closed || !self.is_due(last, source.every.delta()))
    }

    /// Returns true if a page may be requested; false for some time after a failed request.
    pub(crate) fn may_request_page(&self, source: &Source, item: &str) -> bool {
        let last = self.manifest.newest_answered(&source.name, item);
        self.again || last.is_none_or(|last| last.outcome.is_good() || self.is_due(last, AGAIN_AFTER))
    }

    fn is_due(&self, last: &ManifestLine, after: TimeDelta) -> bool {
        self.now - last.at >= after
    }

    /// Determines the outcome for a day without a file. `is_older`: the host has the data of an earlier day under the name of this one.
    pub(crate) fn outcome_without_file(
        &self,
        source: &Source,
        date: NaiveDate,
        is_older: bool,
        why: String,
    ) -> MissingFile {
        let unsettled = |outcome, why| MissingFile { outcome, why, settled: false };
        let waiting = if is_older { FetchOutcome::Stale } else { FetchOutcome::NotYet };
        let age = self.now - source.ready_at(date);
        let today = self.now.with_timezone(&source.ready().zone).date_naive();
        let is_expected =
            source.step == Step::Quarter || source.follows_sessions() && self.is_session(source.market, date);
        if !is_expected {
            let is_past = today > date && age >= NO_SESSION_AFTER;
            return unsettled(if is_past { FetchOutcome::Holiday } else { waiting }, why);
        }
        if age < source.retry.delta() {
            return unsettled(waiting, why);
        }
        let why = format!(
            "{why}; the market traded that day, and this file has not come in {} days",
            age.num_days()
        );
        MissingFile { outcome: FetchOutcome::Failed, why, settled: true }
    }
}

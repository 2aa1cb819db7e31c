//! The files on disk and the manifest at one time, and the decision about one file: if it is requested, and why.
//!
//! It sends and writes nothing. A past day without a file from any source of the market is a holiday: stored calendars become
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
/// Delay after which a day without files is taken as a day without a session.
const NO_SESSION_AFTER: TimeDelta = TimeDelta::days(1);

/// The files on disk and the manifest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownFiles<'a> {
    pub(crate) catalogue: &'a SourceCatalogue,
    pub(crate) folders: &'a Folders,
    pub(crate) manifest: &'a Manifest,
    pub(crate) held: &'a BTreeMap<Market, FilesOnDisk>,
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
    pub(crate) fn is_held(&self, source: &Source, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.held.get(&source.market).is_some_and(|held| held.has(name))
    }

    /// Returns true if the file of a day is on disk.
    pub(crate) fn is_day_held(&self, source: &Source, date: NaiveDate) -> bool {
        let path = source.into.fill(&Values { date: Some(date), ..Values::default() });
        path.is_some_and(|path| self.is_held(source, &path))
    }

    /// Returns the newest good line of a file that is still on disk.
    pub(crate) fn copy(&self, source: &Source, item: &str) -> Option<&ManifestLine> {
        let path = self.manifest.lines_for(&source.name, item).find_map(|line| line.path.as_deref())?;
        let is_there = self.folders.raw().join(path).is_file() || self.is_held(source, path);
        self.manifest.newest_good(&source.name, item).filter(|_| is_there)
    }

    /// Returns true if the market traded on a day, by the files of that day on disk.
    pub(crate) fn is_session(&self, market: Market, date: NaiveDate) -> bool {
        let daily =
            |source: &Source| source.market == market && source.is_of_sessions() && source.includes_day(date);
        self.catalogue.sources().iter().any(|source| daily(source) && self.is_day_held(source, date))
    }

    /// Returns why a dated file with this target path is to be requested; `None` if it is not.
    pub(crate) fn reason_to_request(
        &self,
        source: &Source,
        (date, item): (NaiveDate, &str),
        path: &str,
    ) -> Option<RequestReason> {
        if source.ready_at(date) > self.now {
            return None;
        }
        if self.is_held(source, path) {
            return self.check(source, date, item);
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
            FetchOutcome::Holiday => source.is_of_sessions() && self.is_session(source.market, date),
            _ => !last.settled,
        }
    }

    /// Decides if the host is checked for a new version of a file on disk.
    fn check(&self, source: &Source, date: NaiveDate, item: &str) -> Option<RequestReason> {
        // A file that the user added has no line and is never checked.
        self.manifest.newest_good(&source.name, item)?;
        let last = self.manifest.newest_answered(&source.name, item)?;
        let until = source.ready_at(date) + source.corrected?.delta();
        (self.now <= until && self.is_due(last, CHECK_EVERY)).then_some(RequestReason::Check)
    }

    /// Returns why a snapshot is to be requested; `None` if it is not.
    pub(crate) fn snapshot(&self, source: &Source, item: &str) -> Option<RequestReason> {
        let Some(last) = self.manifest.newest_answered(&source.name, item) else {
            return Some(RequestReason::New);
        };
        let wait = if last.outcome.is_good() { source.every.delta() } else { AGAIN_AFTER };
        (self.again || self.is_due(last, wait)).then_some(RequestReason::Again)
    }

    /// Returns true if a page or listing is fresh. The listing of a past month stays fresh once the host makes no more corrections.
    pub(crate) fn is_fresh(&self, source: &Source, item: &str, closed: Option<DateTime<Utc>>) -> bool {
        let Some(last) = self.manifest.newest_answered(&source.name, item) else { return false };
        let is_there = last.outcome.is_good() && self.folders.page(&source.name, item).is_file();
        let is_closed = closed.is_some_and(|closed| last.at > closed);
        is_there && !self.again && (is_closed || !self.is_due(last, source.every.delta()))
    }

    /// Returns true if a page may be requested; false for some time after a failed request.
    pub(crate) fn may_request_page(&self, source: &Source, item: &str) -> bool {
        let last = self.manifest.newest_answered(&source.name, item);
        self.again || last.is_none_or(|last| last.outcome.is_good() || self.is_due(last, AGAIN_AFTER))
    }

    fn is_due(&self, last: &ManifestLine, after: TimeDelta) -> bool {
        self.now - last.at >= after
    }

    /// Determines the outcome for a day without a file, or (`is_older`) with an earlier day's bytes under its name.
    pub(crate) fn outcome_without_file(
        &self,
        source: &Source,
        date: NaiveDate,
        is_older: bool,
        why: String,
    ) -> MissingFile {
        let open = |outcome, why| MissingFile { outcome, why, settled: false };
        let waiting = if is_older { FetchOutcome::Stale } else { FetchOutcome::NotYet };
        let age = self.now - source.ready_at(date);
        let today = self.now.with_timezone(&source.ready().zone).date_naive();
        let is_lacking =
            source.step == Step::Quarter || source.is_of_sessions() && self.is_session(source.market, date);
        if !is_lacking {
            let is_past = today > date && age >= NO_SESSION_AFTER;
            return open(if is_past { FetchOutcome::Holiday } else { waiting }, why);
        }
        if age < source.retry.delta() {
            return open(waiting, why);
        }
        let why = format!(
            "{why}; the market traded that day, and this file has not come in {} days",
            age.num_days()
        );
        MissingFile { outcome: FetchOutcome::Failed, why, settled: true }
    }
}

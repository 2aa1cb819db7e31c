//! The result of a run: every request with its outcome, the files that were not requested and why, and the files that a person can get.

use std::path::PathBuf;
use std::sync::Arc;

use super::fetch_request::Need;
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::source::Source;

/// A request that ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// As it stands in the manifest.
    pub line: ManifestLine,
    /// Where a person gets the file that a host refuses to a program, and where it is to be laid.
    pub by_hand: Option<ByHand>,
}

/// How a person helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByHand {
    /// The page where the file is.
    pub page: String,
    /// The folder to drop it in; its own name is kept.
    pub folder: PathBuf,
}

/// A group of hosts that is not asked any more in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedGroup {
    /// The group.
    pub group: String,
    /// Why.
    pub why: String,
    /// Requests that were planned and not made.
    pub left: usize,
}

/// What came of a run.
#[derive(Debug, Clone, Default)]
pub struct FetchReport {
    /// Requests that ended, in their order within a group of hosts.
    pub ended: Vec<Ended>,
    /// Groups of hosts that were closed.
    pub closed: Vec<ClosedGroup>,
    /// Sources that could be asked.
    pub sources: usize,
    /// Sources that were not asked, and why.
    pub lacking: Vec<(Arc<Source>, Need)>,
}

impl FetchReport {
    /// How many requests ended so.
    pub fn count(&self, outcome: FetchOutcome) -> usize {
        self.ended.iter().filter(|ended| ended.line.outcome == outcome).count()
    }

    /// Whether a file came that was not there.
    pub fn has_news(&self) -> bool {
        self.ended.iter().any(|ended| ended.line.outcome == FetchOutcome::Ok && ended.line.path.is_some())
    }

    /// The exit code of a run: 0 all is there, 2 something is not out yet, 3 a host refused, 1 something failed.
    pub fn exit_code(&self) -> u8 {
        let any = |outcomes: &[FetchOutcome]| outcomes.iter().any(|outcome| self.count(*outcome) > 0);
        if any(&[FetchOutcome::Failed, FetchOutcome::Drifted]) {
            1
        } else if any(&[FetchOutcome::Blocked]) || !self.closed.is_empty() {
            3
        } else if any(&[FetchOutcome::NotYet, FetchOutcome::Stale]) {
            2
        } else {
            0
        }
    }
}

//! The result of a run: requests with their outcomes, closed host groups, sources without requests, and files for manual download.

use std::path::PathBuf;
use std::sync::Arc;

use super::fetch_request::Need;
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::source::Source;

/// A finished request.
#[derive(Debug, Clone)]
pub struct FinishedRequest {
    /// The line of the request in the manifest.
    pub line: ManifestLine,
    /// Page and folder for a manual download, if the host refuses the file to programs.
    pub by_hand: Option<ManualDownload>,
}

/// Instructions for a manual download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualDownload {
    /// URL of the page with the file.
    pub page: String,
    /// Folder in which to save the file, under its original name.
    pub folder: PathBuf,
}

/// A host group that gets no more requests in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedGroup {
    /// Name of the host group.
    pub group: String,
    /// The reason.
    pub why: String,
    /// Number of planned requests that were not made.
    pub left: usize,
}

/// The result of a run.
#[derive(Debug, Clone, Default)]
pub struct FetchReport {
    /// Finished requests, in their order within a host group.
    pub finished: Vec<FinishedRequest>,
    /// Host groups that were closed.
    pub closed: Vec<ClosedGroup>,
    /// Number of sources that could be requested.
    pub sources: usize,
    /// Sources that were not requested, and why.
    pub unmet_needs: Vec<(Arc<Source>, Need)>,
}

impl FetchReport {
    /// Returns the number of requests with an outcome.
    pub fn count(&self, outcome: FetchOutcome) -> usize {
        self.finished.iter().filter(|ended| ended.line.outcome == outcome).count()
    }

    /// Returns the exit code of a run, the first that applies: 1 a request failed, 3 a host refused, 2 a file is not published yet, 0
    /// success.
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

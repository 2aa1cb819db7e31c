//! Progress callbacks of a run, and its request for confirmation.

use std::time::Duration;

use super::manifest::ManifestLine;
use super::plan::FetchPlan;

/// Receives the progress of a run. All methods have default implementations.
pub trait FetchProgress: Send + Sync {
    /// Returns true to confirm a plan with many requests.
    fn agree(&self, _plan: &FetchPlan) -> bool {
        false
    }

    /// Called at the start of the run.
    fn begin(&self, _plan: &FetchPlan) {}

    /// Called before a wait for a host group.
    fn wait(&self, _group: &str, _time: Duration) {}

    /// Called when bytes were received.
    fn bytes(&self, _source: &str, _count: u64) {}

    /// Called after a request has ended and is in the manifest.
    fn end(&self, _line: &ManifestLine) {}

    /// Called when a group gets no more requests in this run.
    fn closed(&self, _group: &str, _why: &str) {}
}

/// Ignores all progress and confirms nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentFetch;

impl FetchProgress for SilentFetch {}

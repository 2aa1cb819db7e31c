//! Progress callbacks of a run, and its request for confirmation.

use std::time::Duration;

use super::manifest::ManifestLine;
use super::plan::FetchPlan;

/// Receives the progress of a run. All methods have default implementations.
pub trait FetchProgress: Send + Sync {
    /// Returns true to confirm a plan with many requests.
    fn agree(&self, plan: &FetchPlan) -> bool {
        let _ = plan;
        false
    }

    /// Called at the start of the run.
    fn begin(&self, plan: &FetchPlan) {
        let _ = plan;
    }

    /// Called before a wait for a host group.
    fn wait(&self, group: &str, time: Duration) {
        let _ = (group, time);
    }

    /// Called when bytes were received.
    fn bytes(&self, source: &str, count: u64) {
        let _ = (source, count);
    }

    /// Called after a request has ended and is in the manifest.
    fn end(&self, line: &ManifestLine) {
        let _ = line;
    }

    /// Called when a group gets no more requests in this run.
    fn closed(&self, group: &str, why: &str) {
        let _ = (group, why);
    }
}

/// Ignores all progress and confirms nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentFetch;

impl FetchProgress for SilentFetch {}

//! The reports of a run while it works, and the one question that it asks.

use std::time::Duration;

use super::manifest::ManifestLine;
use super::plan::FetchPlan;

/// Hears how a run goes. All but the question may be left as they are.
pub trait FetchProgress: Send + Sync {
    /// Whether a plan with many requests is agreed to.
    fn agree(&self, plan: &FetchPlan) -> bool {
        let _ = plan;
        false
    }

    /// The run begins with this plan.
    fn begin(&self, plan: &FetchPlan) {
        let _ = plan;
    }

    /// A group of hosts is waited for.
    fn wait(&self, group: &str, time: Duration) {
        let _ = (group, time);
    }

    /// Bytes came.
    fn bytes(&self, source: &str, count: u64) {
        let _ = (source, count);
    }

    /// A request ended; it stands in the manifest now.
    fn end(&self, line: &ManifestLine) {
        let _ = line;
    }

    /// No more is asked of a group in this run.
    fn closed(&self, group: &str, why: &str) {
        let _ = (group, why);
    }
}

/// Hears nothing and agrees to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentFetch;

impl FetchProgress for SilentFetch {}

//! The steps of a back-fill, ordered so that most operations work as early as possible, and the cost of each step in a plan.
//!
//! The step of a file depends only on its size and date.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{NaiveDate, TimeDelta};

use super::planned_request::PlannedRequest;

/// Bytes from which a file is large, and is fetched after the small ones.
const LARGE_FILE_BYTES: u64 = 50_000_000;
/// Length of the newest period: figures over a year need more than 365 days.
const NEWEST_PERIOD: TimeDelta = TimeDelta::days(400);

/// A step of a back-fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BackfillStep {
    /// Small lists without a date.
    Lists,
    /// The files of the newest year.
    Newest,
    /// Large archives, such as the figures of all companies.
    Large,
    /// Older files.
    History,
}

/// Cost of one step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackfillPart {
    /// The step.
    pub step: BackfillStep,
    /// Number of requests.
    pub requests: usize,
    /// Approximate bytes.
    pub bytes: u64,
    /// Names of the sources with files in the step.
    pub sources: BTreeSet<String>,
    /// Approximate time from the start of the plan to the end of this step.
    pub time_to_end: Duration,
}

impl BackfillStep {
    /// Returns the step of a request, in a plan with this newest day.
    pub(super) fn for_request(item: &PlannedRequest, newest: Option<NaiveDate>) -> Self {
        let is_old = item.date.zip(newest).is_some_and(|(date, newest)| newest - date > NEWEST_PERIOD);
        match (is_old, item.source.bytes >= LARGE_FILE_BYTES, item.date) {
            (true, ..) => Self::History,
            (false, true, _) => Self::Large,
            (false, false, Some(_)) => Self::Newest,
            (false, false, None) => Self::Lists,
        }
    }

    /// Describes the files of the step, for messages.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Lists => "small lists",
            Self::Newest => "the newest sessions and quarters",
            Self::Large => "large archives",
            Self::History => "the history before the last year",
        }
    }
}

/// Computes the cost of each step. `items` must be ordered by step; `time` returns the duration of requests.
pub(super) fn cost_of_steps(
    items: &[PlannedRequest],
    newest: Option<NaiveDate>,
    time: impl Fn(&[PlannedRequest]) -> Duration,
) -> Vec<BackfillPart> {
    let step = |item: &PlannedRequest| BackfillStep::for_request(item, newest);
    let mut end = 0;
    let parts = items.chunk_by(|a, b| step(a) == step(b)).filter_map(|part| {
        end += part.len();
        Some(BackfillPart {
            step: step(part.first()?),
            requests: part.len(),
            bytes: part.iter().map(PlannedRequest::cost).sum(),
            sources: part.iter().map(|item| item.source.name.clone()).collect(),
            time_to_end: time(items.get(..end).unwrap_or(items)),
        })
    });
    parts.collect()
}

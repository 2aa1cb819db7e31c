//! The steps of a back-fill, in the order in which they let most operations answer soonest, and what a plan costs in each of them.
//!
//! It knows sizes and days, not what files are good for.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{NaiveDate, TimeDelta};

use super::planned_request::PlannedRequest;

/// A file of more bytes waits until the small ones are there.
const LARGE: u64 = 50_000_000;
/// The figures of a year need so many days before the newest one.
const NEWEST: TimeDelta = TimeDelta::days(400);

/// A step of a back-fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BackfillStep {
    /// Small lists without a day of their own.
    Lists,
    /// The files of the newest year.
    Newest,
    /// Large archives, such as the figures of all companies.
    Large,
    /// What is older.
    History,
}

/// What a plan costs in one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackfillPart {
    /// The step.
    pub step: BackfillStep,
    /// Its requests.
    pub requests: usize,
    /// Bytes that come, about.
    pub bytes: u64,
    /// The sources that have files in it, by name.
    pub sources: BTreeSet<String>,
    /// How long the whole plan takes up to its end, about.
    pub until: Duration,
}

impl BackfillStep {
    /// The step of a request, in a plan whose newest day is this one.
    pub(super) fn of(item: &PlannedRequest, newest: Option<NaiveDate>) -> Self {
        let is_old = item.date.zip(newest).is_some_and(|(date, newest)| newest - date > NEWEST);
        match (is_old, item.source.bytes >= LARGE, item.date) {
            (true, ..) => Self::History,
            (false, true, _) => Self::Large,
            (false, false, Some(_)) => Self::Newest,
            (false, false, None) => Self::Lists,
        }
    }

    /// What comes in it, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Lists => "small lists",
            Self::Newest => "the newest sessions and quarters",
            Self::Large => "large archives",
            Self::History => "the history before the last year",
        }
    }
}

/// What requests cost step by step; they stand in the order of the steps.
pub(super) fn parts(
    items: &[PlannedRequest],
    newest: Option<NaiveDate>,
    time: impl Fn(&[PlannedRequest]) -> Duration,
) -> Vec<BackfillPart> {
    let step = |item: &PlannedRequest| BackfillStep::of(item, newest);
    let mut end = 0;
    let parts = items.chunk_by(|a, b| step(a) == step(b)).filter_map(|part| {
        end += part.len();
        Some(BackfillPart {
            step: step(part.first()?),
            requests: part.len(),
            bytes: part.iter().map(PlannedRequest::cost).sum(),
            sources: part.iter().map(|item| item.source.name.clone()).collect(),
            until: time(items.get(..end).unwrap_or(items)),
        })
    });
    parts.collect()
}

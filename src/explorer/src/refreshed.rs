//! Pages of runs that ask for themselves again while the run is at work. A reader turns that off by a parameter of the page.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::page_rows::PartOutcome;
use super::plan::PartCall;
use super::request::{PageRequest, REFRESH};

const OFF: &str = "off";

/// Seconds between two looks.
const SECONDS: u32 = 5;

/// Pages that show one run.
const OF_RUNS: [&str; 2] = ["presets/run", "committee/run"];

/// After how many seconds a page is to be asked again; none where nothing on it will change by itself, or the reader turned it off.
pub fn seconds(request: &PageRequest, calls: &[(PartCall, PartOutcome)]) -> Option<u32> {
    (is_running(request, calls) && request.get(REFRESH) != Some(OFF)).then_some(SECONDS)
}

fn is_running(request: &PageRequest, calls: &[(PartCall, PartOutcome)]) -> bool {
    let status = |outcome: &PartOutcome| match outcome {
        PartOutcome::Answered(rows) => {
            rows.rows.first().and_then(|row| row.get("status")).and_then(Json::as_str) == Some("running")
        }
        PartOutcome::Refused(_) => false,
    };
    OF_RUNS.contains(&request.page.path) && calls.iter().any(|(_, outcome)| status(outcome))
}

/// The way to turn it off, and on again.
pub(super) fn switch(request: &PageRequest, calls: &[(PartCall, PartOutcome)]) -> Markup {
    html! {
        @if is_running(request, calls) {
            p.onward {
                @if request.get(REFRESH) == Some(OFF) {
                    a href=(request.with(&[(REFRESH, None)])) { "Follow it by itself" }
                } @else {
                    span.none { "This page asks again every " (SECONDS) " seconds, free of charge while nothing changed." } " "
                    a href=(request.with(&[(REFRESH, Some(OFF))])) { "Stop that" }
                }
            }
        }
    }
}

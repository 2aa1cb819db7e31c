//! Pages of runs that reload themselves while the run is at work. A parameter of the page turns that off.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::page_rows::PartOutcome;
use super::plan::PartCall;
use super::request::PageRequest;
use super::spec::REFRESH;

const OFF: &str = "off";

/// Seconds between two reloads.
const SECONDS: u32 = 5;

/// Pages that show one run.
const RUN_PAGES: [&str; 2] = ["presets/run", "committee/run"];

/// Returns the seconds until the page should reload; `None` if its run has ended, or the reader turned the reloading off.
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
    RUN_PAGES.contains(&request.page.path.as_str()) && calls.iter().any(|(_, outcome)| status(outcome))
}

/// Builds the link that stops the reloading, or starts it again.
pub(super) fn switch(request: &PageRequest, calls: &[(PartCall, PartOutcome)]) -> Markup {
    html! {
        @if is_running(request, calls) {
            p.onward {
                @if request.get(REFRESH) == Some(OFF) {
                    a href=(request.address_with(&[(REFRESH, None)])) { "Follow it by itself" }
                } @else {
                    span.none { "This page reloads every " (SECONDS) " seconds, free of charge while nothing changed." } " "
                    a href=(request.address_with(&[(REFRESH, Some(OFF))])) { "Stop that" }
                }
            }
        }
    }
}

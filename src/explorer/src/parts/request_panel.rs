//! The requests behind a page, each as a command and as a call of a tool, with a link to the manual.

use maud::{Markup, html};

use crate::request::{PageRequest, query};
use parquote_catalogue::operation::Operation;
use parquote_surface::example_request;

/// A call whose answer a part of the page shows.
pub(crate) struct PanelCall<'a> {
    /// Operation that was called.
    pub operation: &'a Operation,
    /// Arguments, by name.
    pub pairs: &'a [(String, String)],
    /// False if the call was refused without a charge.
    pub counts: bool,
}

/// Builds the panel. The first counted call that has a cost pays for all calls of the page.
pub(crate) fn request_panel(request: &PageRequest, calls: &[PanelCall<'_>]) -> Markup {
    let costs = || calls.iter().filter(|call| call.counts).map(|call| call.operation.cost);
    let page_cost = costs().find(|cost| *cost > 0).unwrap_or_default();
    let total_cost: u32 = costs().sum();
    html! {
        @if !calls.is_empty() {
            details.behind #requests {
                summary {
                    "The " @if calls.len() == 1 { "request" } @else { (calls.len()) " requests" } " behind this page"
                }
                p {
                    "This page cost " (page_cost) " of the allowance, and costs nothing while it has not changed."
                    @if total_cost > page_cost { " Sent one by one, these requests cost " (total_cost) "." }
                }
                @for call in calls { (request_lines(request, call)) }
            }
        }
    }
}

fn request_lines(request: &PageRequest, call: &PanelCall<'_>) -> Markup {
    let origin = request.reader.origin.as_deref().unwrap_or(example_request::ORIGIN);
    let operation = call.operation;
    let query = query(call.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let joint = if query.is_empty() { "" } else { "?" };
    let is_of_tool = |name: &str| operation.param(name).is_none_or(|param| !param.rest_only);
    let tool = operation.tool.as_ref().filter(|_| call.pairs.iter().all(|(name, _)| is_of_tool(name)));
    html! {
        h2 { a href={ "/v1/docs/" (operation.name) } { (operation.title) } }
        @if operation.has_route {
            div.command {
                pre tabindex="0" { code { (example_request::command_at(origin, operation, &format!("{joint}{query}"))) } }
                button type="button" data-copy hidden { "Copy" }
            }
        }
        @if let Some(tool) = tool {
            p { "Tool " code { (tool) } @if !call.pairs.is_empty() { " with " code { (arguments(call.pairs)) } } }
        }
    }
}

/// Returns the arguments as JSON for a tool.
fn arguments(pairs: &[(String, String)]) -> String {
    let fields = pairs.iter().map(|(name, value)| {
        let value = match value.parse::<serde_json::Number>() {
            Ok(number) => serde_json::Value::Number(number),
            Err(_) => serde_json::Value::from(value.as_str()),
        };
        (name.clone(), value)
    });
    serde_json::Value::Object(fields.collect()).to_string()
}

//! The requests behind a page: as a command, as a tool, with links to the manual. The explorer teaches the API.

use maud::{Markup, html};

use crate::request::query;
use parquote_catalogue::operation::Operation;
use parquote_surface::example_request;

/// A call that made a part of the page.
pub(crate) struct PanelCall<'a> {
    /// Operation.
    pub operation: &'a Operation,
    /// Arguments.
    pub pairs: &'a [(String, String)],
}

/// Builds the panel.
pub(crate) fn request_panel(calls: &[PanelCall<'_>]) -> Markup {
    let cost: u32 = calls.iter().map(|call| call.operation.cost).sum();
    html! {
        @if !calls.is_empty() {
            details.behind {
                summary {
                    "The " @if calls.len() == 1 { "request" } @else { (calls.len()) " requests" } " behind this page"
                }
                p { "This page cost what " @if calls.len() == 1 { "it costs" } @else { "they cost" } ": " (cost) " of the allowance; nothing while it has not changed." }
                @for call in calls { (one(call)) }
            }
        }
    }
}

fn one(call: &PanelCall<'_>) -> Markup {
    let operation = call.operation;
    let query = query(call.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let joint = if query.is_empty() { "" } else { "?" };
    html! {
        h3 { a href={ "/v1/docs/" (operation.name) } { (operation.title) } }
        @if operation.has_route {
            div.command {
                pre tabindex="0" { code { (example_request::command(operation, &format!("{joint}{query}"))) } }
                button type="button" data-copy hidden { "Copy" }
            }
        }
        @if let Some(tool) = &operation.tool {
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

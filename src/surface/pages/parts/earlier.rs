//! Links to the same page as it stood earlier.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::surface::pages::part_view::PartView;

/// The dates of earlier rows, and the way back to the last one.
pub(super) fn earlier(view: PartView<'_>, parameter: &str, within: &str) -> Markup {
    let earlier = view.rows.within(within);
    let dates: Vec<&str> =
        earlier.rows.iter().filter_map(|row| row.get("session").and_then(Json::as_str)).collect();
    let asked = view.request.get(parameter);
    let present = view.rows.rows.first().and_then(|row| row.get("session")).and_then(Json::as_str);
    html! {
        nav.choices aria-label="As it stood on" {
            @if asked.is_some() { a href=(view.request.with(&[(parameter, None)])) { "Latest" } }
            @if let Some(date) = present { a href=(view.request.address()) aria-current="true" { (date) } }
            @for date in dates { a href=(view.request.with(&[(parameter, Some(date))])) { (date) } }
        }
    }
}

//! Texts: a paragraph for a text, a list for several.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::part_view::PartView;

/// Shows the texts of the first row, if present.
pub(super) fn prose(view: PartView<'_>, columns: &[&str]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    html! {
        @for name in columns {
            @if let Some(value) = row.get(*name) { (paragraph(&title(name, view.rows.column(name)), value)) }
        }
    }
}

/// Shows a text or a list of texts below its heading; nothing if it is empty.
pub(super) fn paragraph(heading: &str, value: &Json) -> Markup {
    match value {
        Json::String(text) if !text.is_empty() => html! { h3 { (heading) } p.text { (text) } },
        Json::Array(items) if !items.is_empty() => html! {
            h3 { (heading) }
            ul.text { @for item in items { li { (words(item)) } } }
        },
        _ => html! {},
    }
}

fn words(item: &Json) -> String {
    match item {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

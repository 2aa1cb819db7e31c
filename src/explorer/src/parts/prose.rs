//! Texts: a paragraph for a text, a list for several.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::part_view::PartView;
use crate::view_spec::NoticeSpec;

/// Shows the texts of the first row, if present. In a part without a title, under which no heading could be, a text has none.
pub(super) fn prose(view: PartView<'_>, columns: &[&str]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    html! {
        @for name in columns {
            @match row.get(*name) {
                Some(Json::String(text)) if view.part.title.is_empty() => p.text { (text) },
                Some(value) => (paragraph(&title(name, view.rows.column(name)), value)),
                None => {},
            }
        }
    }
}

/// Shows a sentence about the rows if it applies.
pub(super) fn notice(view: PartView<'_>, spec: &NoticeSpec) -> Markup {
    let has = |value: &str| view.rows.texts(&spec.column).iter().any(|text| is_alike(text, value));
    let missing = spec.lacks.as_deref().and_then(|name| view.request.get(name));
    let missing = missing.filter(|value| !view.rows.rows.is_empty() && !has(value));
    html! {
        @if let Some(value) = spec.is.as_deref().filter(|value| has(value)).or(missing) {
            p { span.late { (spec.words.replace("{}", value)) } }
        }
    }
}

/// Returns true if two names differ in spaces and capitals only.
fn is_alike(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.replace(' ', "").to_lowercase();
    bare(one) == bare(other)
}

/// Shows a text or a list of texts below its heading; nothing if it is empty.
pub(super) fn paragraph(heading: &str, value: &Json) -> Markup {
    match value {
        Json::String(text) if !text.is_empty() => html! { h3 { (heading) } p.text { (text) } },
        Json::Array(items) if !items.is_empty() => html! {
            h3 { (heading) }
            ul.text { @for item in items { li { (item_text(item)) } } }
        },
        _ => html! {},
    }
}

fn item_text(item: &Json) -> String {
    match item {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

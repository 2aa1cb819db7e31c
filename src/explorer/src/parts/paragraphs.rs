//! The paragraphs of a document: each has its number, which is a link to its address on the page.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::page_rows::text;
use crate::part_view::PartView;

/// Shows the paragraphs in their order, and says if there are more than are shown.
pub(super) fn paragraphs(view: PartView<'_>) -> Markup {
    let numbered = view.rows.rows.iter().filter_map(|row| {
        let number = row.get("paragraph").and_then(Json::as_i64)?;
        Some((number, text(row, "paragraph_text")))
    });
    html! {
        @if view.rows.rows.is_empty() { (view.empty_notice("There is no such document.")) }
        @for (number, text) in numbered {
            p.text id=(format!("p{number}")) { a href=(format!("#p{number}")) { (number) } " " (text) }
        }
        @if view.rows.extent.is_some_and(|extent| extent.more) {
            p.none { "The document has more paragraphs; the operation returns them with " code { "limit" } "." }
        }
    }
}

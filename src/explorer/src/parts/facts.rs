//! Fields of an object with their values; nested lists and objects follow as tables and texts.
//!
//! Where an answer has fields around its rows, these are the object. Several rows become a table: a reader would take the first one alone
//! for all of them.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::prose::paragraph;
use super::table::plain_table;
use super::verdict::removed_numbers;
use crate::cell::{CellContext, cell};
use crate::column_title::title;
use crate::links;
use crate::page_rows::PageRows;
use crate::part_view::PartView;

/// Maximum number of characters of a text beside its name; a longer one is a paragraph.
const LONG_TEXT: usize = 60;

/// Shows the named fields, or all if none is named.
pub(crate) fn facts(view: PartView<'_>, columns: &[&str]) -> Markup {
    let around = view.rows.object_around();
    let view = around.as_ref().map_or(view, |rows| PartView { rows, ..view });
    if view.rows.rows.len() > 1 {
        return plain_table(view, &view.part.title, columns);
    }
    let Some(row) = view.rows.rows.first() else { return html! {} };
    let is_named = |name: &str| columns.is_empty() || columns.contains(&name);
    let fields: Vec<(&String, &Json)> = row.iter().filter(|(name, _)| is_named(name)).collect();
    let (short, long): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(_, value)| is_short(value));
    html! {
        @if !short.is_empty() { dl.facts {
            @for (name, value) in short {
                @let column = view.rows.column(name);
                @let cell = cell(value, column, view.request.market, CellContext::Alone);
                div title=[column.map(|column| column.words.as_str())] {
                    dt { (title(name, column)) }
                    dd class=[Some(cell.class).filter(|class| !class.is_empty())] {
                        @match links::value_address(view, name, row, &[]) {
                            Some(address) => a href=(address) { (cell.text) },
                            None => (cell.text),
                        }
                    }
                }
            }
        } }
        @for (name, value) in long { (long_value(view, name, value)) }
    }
}

fn is_short(value: &Json) -> bool {
    match value {
        Json::String(text) => text.chars().count() <= LONG_TEXT,
        Json::Array(_) | Json::Object(_) => false,
        _ => true,
    }
}

/// Shows a value that is too long for a line: a paragraph, a list, or rows.
fn long_value(view: PartView<'_>, name: &str, value: &Json) -> Markup {
    let heading = title(name, view.rows.column(name));
    match value {
        // One number may have been removed in several places.
        _ if name == "unsupported_numbers" => removed_numbers(value),
        Json::Array(items) if items.iter().any(Json::is_object) => {
            let within = PageRows { columns: view.rows.fields(name), ..view.rows.rows_within(name) };
            html! { h3 { (heading) } (plain_table(view.with_rows(&within), &heading, &[])) }
        }
        Json::Object(fields) => {
            let within = PageRows {
                columns: view.rows.fields(name),
                rows: vec![fields.clone()],
                ..PageRows::default()
            };
            html! { h3 { (heading) } (facts(view.with_rows(&within), &[])) }
        }
        _ => paragraph(&heading, value),
    }
}

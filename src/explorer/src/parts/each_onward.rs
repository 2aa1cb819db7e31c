//! A link for each row, and one to the page that compares all of them.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::links::{fill_address, fill_words};
use crate::part_view::PartView;
use crate::plan::MOST_SYMBOLS;
use crate::request::address;

pub(super) fn each_onward(view: PartView<'_>, words: &str, pattern: &str) -> Markup {
    html! {
        p.onward {
            @for row in &view.rows.rows {
                @if let Some(path) = fill_address(pattern, row) { a href=(view.request.market_address(&path)) { (fill_words(words, row)) } " " }
            }
        }
    }
}

pub(super) fn compare_link(view: PartView<'_>) -> Markup {
    let symbols: Vec<&str> =
        view.rows.rows.iter().filter_map(|row| row.get("symbol")?.as_str()).take(MOST_SYMBOLS).collect();
    let symbols = symbols.join(",");
    let compare =
        address(&view.request.market_address("compare"), [("symbols", symbols.as_str())].into_iter());
    let count = view.rows.rows.iter().filter(|row| row.get("symbol").is_some_and(Json::is_string)).count();
    html! { @if count > 1 { p.onward { a href=(compare) { "Compare these " (count.min(MOST_SYMBOLS)) } } } }
}

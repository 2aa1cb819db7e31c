//! The page with the changes between two sets, by table.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, signed_in_page};
use crate::market_words;
use parquote_catalogue::operation::Market;
use parquote_refresh::SetDifference;

/// Builds the page of the changes from the set numbered `before` to that numbered `after`.
pub fn set_difference_page(
    reader: &PortalReader,
    market: Market,
    [before, after]: [u64; 2],
    difference: &SetDifference,
) -> Markup {
    let title = format!("{}: from set {before} to set {after}", market_words::name(market));
    let content = html! {
        p {
            @match difference.tables.len() { 0 => "No table differs", 1 => "1 table differs", many => { (many) " tables differ" } }
            "; " (difference.same) " are the same."
        }
        @for table in &difference.tables {
            p { b { (table.words()) } }
            @if !table.examples.is_empty() { ul { @for row in &table.examples { li { code { (row) } } } } }
        }
        p { a href="/portal/sets" { "Back to all sets" } }
    };
    signed_in_page(reader, Some(MenuPage::Sets), &title, &content)
}

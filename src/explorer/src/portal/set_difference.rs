//! The page with the changes between two sets, by table.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, signed_in};
use crate::market_words;
use parquote_catalogue::operation::Market;
use parquote_refresh::SetDifference;

/// Builds the page.
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
            @if !table.shown.is_empty() { ul { @for row in &table.shown { li { code { (row) } } } } }
        }
        p { a href="/portal/sets" { "Back to all sets" } }
    };
    signed_in(reader, Some(MenuPage::Sets), &title, &content)
}

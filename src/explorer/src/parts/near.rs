//! Additions to the rows of a search: companies of the other market, and similar names if nothing was found.

use maud::{Markup, html};

use crate::market_words;
use crate::part_view::PartView;
use crate::request::segment;
use crate::suggestions::companies;

/// Part with the search results.
const SEARCH: &str = "companies";

/// Links to companies that a search of this market does not list; empty on other pages.
pub(super) fn near(view: PartView<'_>) -> Markup {
    let Some(text) = view.request.get("q").filter(|_| view.part.id == SEARCH) else { return html! {} };
    let market = view.request.market;
    let (here, others) = companies(view.snapshot, market, text);
    let is_found = !view.rows.rows.is_empty();
    let mut groups = vec![(market, if is_found { Vec::new() } else { here })];
    groups.extend(others);
    html! {
        @for (of, found) in groups.into_iter().filter(|(_, found)| !found.is_empty()) {
            p.onward {
                @if of == market { "Did you mean:" } @else { "In the market " (market_words::name(of)) ":" }
                @for company in found {
                    a href=(format!("/{of}/company/{}", segment(&company.symbol))) { (company.symbol) " " small { (company.name.unwrap_or_default()) } }
                }
            }
        }
    }
}

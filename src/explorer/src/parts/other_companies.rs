//! Additions to the rows of a search: companies of the other market, similar names if nothing was found, and what else the text means.

use maud::{Markup, html};

use crate::market_words;
use crate::part_view::PartView;
use crate::request::segment;
use crate::suggestions::{SearchContext, companies, places};

/// Part with the search results.
const SEARCH: &str = "companies";

/// Links to companies that a search of this market does not list, and to sectors, indices and pages; empty on other pages.
pub(super) fn other_companies(view: PartView<'_>) -> Markup {
    let Some(text) = view.request.get("q").filter(|_| view.part.id == SEARCH) else { return html! {} };
    let market = view.request.market;
    let (here, others) = companies(view.snapshot, market, text);
    let has_rows = !view.rows.rows.is_empty();
    let mut groups = vec![(market, if has_rows { Vec::new() } else { here })];
    groups.extend(others);
    let (pages, tier) = (&view.request.pages, view.request.reader.tier);
    let context = SearchContext { market, pages, symbol: None, saved: None, tier };
    let places = places(view.snapshot, context, text.trim());
    html! {
        @for (other, companies) in groups.into_iter().filter(|(_, companies)| !companies.is_empty()) {
            p.onward {
                @if other == market { "Did you mean:" } @else { "In the market " (market_words::name(other)) ":" }
                @for company in companies {
                    a href=(format!("/{other}/company/{}", segment(&company.symbol))) { (company.symbol) " " small { (company.name.unwrap_or_default()) } }
                }
            }
        }
        @if !places.is_empty() {
            p.onward {
                "Also:"
                @for place in places { a href=(place.href) { (place.label) " " small { (place.detail) } } }
            }
        }
    }
}

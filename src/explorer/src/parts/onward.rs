//! Links to pages about the same subject.

use maud::{Markup, html};

use crate::links::{fill_address, fill_words};
use crate::part_view::PartView;

/// Returns true if the market has the page of a link. A path that no page declares counts as one that it has.
fn is_there(view: PartView<'_>, pattern: &str) -> bool {
    let path = pattern.split(['?', '#']).next().unwrap_or_default();
    view.request.pages.find(path).is_none_or(|page| page.is_in(view.request.market))
}

pub(super) fn links(view: PartView<'_>, links: &[(String, String)]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    html! {
        p.onward {
            @for (words, pattern) in links {
                @if let Some(path) = fill_address(pattern, row).filter(|_| is_there(view, pattern)) { a href=(view.request.market_address(&path)) { (fill_words(words, row)) } " " }
            }
        }
    }
}

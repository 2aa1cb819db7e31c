//! The menu: the pages of a market that have a menu group.

use maud::{Markup, html};

use super::pages::ExplorerPages;
use super::spec::{MenuGroup, PageSpec};
use parquote_catalogue::operation::Market;

const GROUPS: [(MenuGroup, &str); 5] = [
    (MenuGroup::Find, "Find"),
    (MenuGroup::Market, "Market"),
    (MenuGroup::Strength, "Strength"),
    (MenuGroup::Events, "Events"),
    (MenuGroup::Agents, "Agents"),
];

/// Builds the menu of a market; the present page is marked, if the menu has it.
pub(super) fn menu(pages: &ExplorerPages, market: Market, present: Option<&PageSpec>) -> Markup {
    let is_present = |page: &PageSpec| present.is_some_and(|present| present.path == page.path);
    html! {
        nav.menu aria-label="Explorer" {
            @for (group, name) in GROUPS {
                @let pages: Vec<_> = pages.in_market(market).filter(|page| page.menu == Some(group)).collect();
                @if !pages.is_empty() {
                    div {
                        h2 { (name) }
                        ul {
                            @for page in pages {
                                li { a href=(page.route(market)) aria-current=[is_present(page).then_some("page")] { (page.title) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

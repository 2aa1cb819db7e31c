//! The menu: the pages of a market that stand in it, in their groups.

use maud::{Markup, html};

use super::registry;
use super::spec::{MenuGroup, PageSpec};
use parquote_catalogue::operation::Market;

const GROUPS: [(MenuGroup, &str); 5] = [
    (MenuGroup::Find, "Find"),
    (MenuGroup::Market, "Market"),
    (MenuGroup::Strength, "Strength"),
    (MenuGroup::Events, "Events"),
    (MenuGroup::Agents, "Agents"),
];

/// The menu of a market; the present page, if it stands there, is marked.
pub(super) fn menu(market: Market, present: Option<&'static PageSpec>) -> Markup {
    let is_present = |page: &PageSpec| present.is_some_and(|present| present.path == page.path);
    html! {
        nav.menu aria-label="Explorer" {
            @for (group, name) in GROUPS {
                @let pages: Vec<&PageSpec> = registry::pages().filter(|page| page.menu == Some(group) && page.is_in(market)).collect();
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

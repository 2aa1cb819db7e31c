//! All pages, a file a subject. A new page is a `PageSpec` in one of them, or a file and its line here.

mod agents;
mod company;
mod compare;
mod events;
mod find;
mod home;
mod market;
mod own;
mod strength;

use super::spec::PageSpec;

/// All pages, in the order of the menu.
pub fn pages() -> impl Iterator<Item = &'static PageSpec> {
    const ALL: [&[PageSpec]; 9] = [
        home::PAGES,
        find::PAGES,
        compare::PAGES,
        own::PAGES,
        company::PAGES,
        market::PAGES,
        strength::PAGES,
        events::PAGES,
        agents::PAGES,
    ];
    ALL.into_iter().flatten()
}

/// The page of a path below a market, as it is declared.
pub fn find(path: &str) -> Option<&'static PageSpec> {
    pages().find(|page| page.path == path)
}

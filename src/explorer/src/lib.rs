//! The explorer: pages of HTML from the answers of operations; and, in a room of its own, the portal.
//!
//! It is pure: it is told what was asked and what the operations answered, and writes a page. It knows no request of a protocol, no
//! cookie, no key, and runs nothing. A page is declared as data in a file of `registry`: its path, its operations, its views. What
//! an operation declares - parameters, columns, units, words - is read from it, never repeated here.
//!
//! Every view is its URL, and works with links and GET forms alone; the one script only makes it quicker. No page styles or runs
//! anything in itself, so that one policy covers all of them.

// What pages there are.
pub mod spec;
pub mod registry;
mod assets;

// What is asked of one, and what was answered.
pub mod own_things;
pub mod request;
pub mod plan;
pub mod page_rows;

// How values are written and linked.
mod column_title;
mod cell;
mod market_words;
pub mod age;
pub mod places;
mod part_view;

// Runs that are followed.
pub mod refreshed;

// What is offered while somebody types.
pub mod suggestions;

// The parts of a page, a file each.
mod parts;

// The page around them.
mod layout;
mod menu;
mod page;

// Sign-in and keys.
pub mod portal;

#[cfg(test)]
mod tests;

pub use self::assets::assets;
pub use self::page::{FormAnswer, PageContent, lost, page, problem_page};

/// Every page there is: the market and the path, in which `{symbol}` stands for a symbol.
pub fn routes() -> impl Iterator<Item = (parquote_catalogue::operation::Market, String)> {
    let markets = parquote_catalogue::operation::Market::ALL.into_iter();
    markets.flat_map(|market| {
        registry::pages().filter(move |page| page.is_in(market)).map(move |page| (market, page.route(market)))
    })
}

//! The page around everything: head, market switch, search, menu, foot.

use maud::{DOCTYPE, Markup, html};

use super::assets::{ICON, SCRIPT, STYLE};
use super::market_words;
use super::menu::menu;
use super::request::segment;
use super::spec::{PageSpec, SYMBOL};
use crate::engine::Snapshot;
use crate::operation::Market;

/// What stands around a page.
pub(super) struct PageFrame<'a> {
    /// The market.
    pub market: Market,
    /// The page, if it is one of the registry.
    pub page: Option<&'static PageSpec>,
    /// Its title.
    pub title: &'a str,
    /// The symbol that it is about.
    pub symbol: Option<&'a str>,
    /// What is looked for in the search box.
    pub search: &'a str,
    /// The data behind it.
    pub snapshot: &'a Snapshot,
}

/// The whole document around its main part.
pub(super) fn layout(frame: &PageFrame<'_>, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · Parquote " (market_words::name(frame.market)) }
                link rel="icon" href=(ICON.path) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.path);
                script src=(SCRIPT.path) defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                (head(frame))
                div.frame {
                    div.menu-box { (menu(frame.market, frame.page)) }
                    main id="main" tabindex="-1" { (main) }
                }
                (foot(frame))
                div.live role="status" aria-live="polite" {}
            }
        }
    }
}

fn head(frame: &PageFrame<'_>) -> Markup {
    html! {
        header.top {
            a.brand href={ "/" (frame.market) } { b { "Parquote" } }
            nav.markets aria-label="Market" {
                @for market in Market::ALL {
                    a href=(same_page(frame, market)) aria-current=[(market == frame.market).then_some("true")] { (market_words::name(market)) }
                }
            }
            form.search method="get" action={ "/" (frame.market) "/search" } role="search" {
                input type="search" name="q" value=(frame.search) aria-label="Search companies" placeholder="Company or symbol" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" data-search;
                button { "Search" }
            }
            nav.account aria-label="Account" { a href="/v1/docs" { "API" } a href="/portal" { "Keys" }
                form method="post" action="/logout" { button.plain { "Sign out" } } }
        }
    }
}

/// The same page of a market, where it has it; a symbol is one of its own market.
fn same_page(frame: &PageFrame<'_>, market: Market) -> String {
    match frame.page {
        Some(page) if page.is_in(market) && !page.has_symbol() => page.route(market),
        Some(page) if market == frame.market => {
            page.route(market).replace(SYMBOL, &segment(frame.symbol.unwrap_or_default()))
        }
        _ => format!("/{market}"),
    }
}

fn foot(frame: &PageFrame<'_>) -> Markup {
    html! {
        footer.foot {
            @match frame.snapshot.as_of(frame.market) {
                Some(date) => p { (market_words::name(frame.market)) " as of " time datetime=(date) { (date) } ". Figures, no advice." },
                None => p { "There is no data of this market." },
            }
            p { a href="/v1/docs" { "The manual" } " has every operation behind these pages." }
        }
    }
}

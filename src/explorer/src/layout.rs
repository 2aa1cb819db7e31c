//! The page around everything: market switch, search, menu, foot.

use chrono::Utc;
use maud::{Markup, html};

use super::age::DataAge;
use super::assets::{SCRIPT, STYLE};
use super::market_words;
use super::menu::menu;
use super::request::segment;
use super::spec::{PageSpec, Placement, SYMBOL};
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// What stands around a page.
pub(super) struct PageLayout<'a> {
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
    /// Whether the reader is a guest.
    pub is_guest: bool,
    /// The data behind it.
    pub snapshot: &'a Snapshot,
}

/// The whole document around its main part.
pub(super) fn document(layout: &PageLayout<'_>, main: &Markup) -> Markup {
    let title = format!("{} · Parquote {}", layout.title, market_words::name(layout.market));
    HtmlPage { title: &title, style: &STYLE, script: &SCRIPT }.around(&html! {
        (top_bar(layout))
        div.frame {
            div.menu-box { (menu(layout.market, layout.page)) }
            // Said at once, so that nothing moves while the rest of the page comes.
            main.in-columns[is_in_columns(layout.page)] id=(MAIN_ID) tabindex="-1" { (main) }
        }
        (foot(layout))
        div.live role="status" aria-live="polite" {}
    })
}

/// Whether parts of the page stand beside each other where there is room.
fn is_in_columns(page: Option<&PageSpec>) -> bool {
    page.is_some_and(|page| page.parts.iter().any(|part| part.stands(Placement::Wide)))
}

fn top_bar(layout: &PageLayout<'_>) -> Markup {
    html! {
        header.top {
            a.brand href={ "/" (layout.market) } { b { "Parquote" } }
            nav.markets aria-label="Market" {
                @for market in Market::ALL {
                    a href=(same_page(layout, market)) aria-current=[(market == layout.market).then_some("true")] { (market_words::name(market)) }
                }
            }
            @if let Some(age) = DataAge::of(layout.snapshot, layout.market, Utc::now()) { (age) }
            form.search method="get" action={ "/" (layout.market) "/search" } role="search" {
                input type="search" name="q" value=(layout.search) aria-label="Search companies" placeholder="Company, page or action" autocomplete="off" spellcheck="false" aria-keyshortcuts="/ Control+K" data-search;
                button { "Search" }
                ul.suggestions #suggestions aria-label="Suggestions" hidden {}
            }
            nav.account aria-label="Account" {
                a href="/v1/docs" { "API" }
                @if layout.is_guest { a href="/login" { "Sign in" } } @else {
                    a href="/portal" { "Keys" }
                    form method="post" action="/logout" { button.plain { "Sign out" } }
                }
            }
        }
    }
}

/// The same page of a market, where it has it; a symbol is one of its own market.
fn same_page(layout: &PageLayout<'_>, market: Market) -> String {
    match layout.page {
        Some(page) if page.is_in(market) && !page.has_symbol() => page.route(market),
        Some(page) if market == layout.market => {
            page.route(market).replace(SYMBOL, &segment(layout.symbol.unwrap_or_default()))
        }
        _ => format!("/{market}"),
    }
}

fn foot(layout: &PageLayout<'_>) -> Markup {
    html! {
        footer.foot {
            @match layout.snapshot.as_of(layout.market) {
                Some(_) => p { "Figures, no advice." },
                None => p { "There is no data of this market." },
            }
            p { a href="/v1/docs" { "The manual" } " has every operation behind these pages." }
        }
    }
}

//! Frame of every page: market switch, search, menu, foot.

use chrono::Utc;
use maud::{Markup, html};

use super::age::DataAge;
use super::assets::{SCRIPT, STYLE};
use super::market_words;
use super::menu::menu;
use super::pages::ExplorerPages;
use super::request::segment;
use super::spec::{PageColumn, PageSpec, SYMBOL};
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// Content of the frame.
pub(super) struct PageLayout<'a> {
    pub market: Market,
    /// Page, if it is a declared one.
    pub page: Option<&'a PageSpec>,
    pub pages: &'a ExplorerPages,
    pub title: &'a str,
    /// Symbol of the page.
    pub symbol: Option<&'a str>,
    /// Text in the search box.
    pub search: &'a str,
    /// True if the reader is a guest.
    pub is_guest: bool,
    /// Data behind the page.
    pub snapshot: &'a Snapshot,
}

/// Builds the whole document around its main part.
pub(super) fn document(layout: &PageLayout<'_>, main: &Markup) -> Markup {
    let title = format!("{} · Parquote {}", layout.title, market_words::name(layout.market));
    HtmlPage { title: &title, style: &STYLE, script: &SCRIPT }.around(&html! {
        (top_bar(layout))
        div.frame {
            div.menu-box { (menu(layout.pages, layout.market, layout.page)) }
            // Decided at the start, so that nothing moves while the rest of the page loads.
            main.in-columns[is_in_columns(layout.page)] id=(MAIN_ID) tabindex="-1" { (main) }
        }
        (foot(layout))
        div.live role="status" aria-live="polite" {}
    })
}

/// Returns true if parts of the page are side by side if there is room.
fn is_in_columns(page: Option<&PageSpec>) -> bool {
    page.is_some_and(|page| page.parts.iter().any(|part| part.column == Some(PageColumn::Wide)))
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
            @if let Some(age) = DataAge::for_market(layout.snapshot, layout.market, Utc::now()) { (age) }
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

/// Returns the same page of another market, if that has it; a symbol belongs to one market only.
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

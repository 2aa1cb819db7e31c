//! Frame of every page: the bar, the main part, and the foot.

use chrono::Utc;
use maud::{Markup, html};

use super::age::{DataAge, freshness};
use super::assets::{SCRIPT, STYLE};
use super::bar::{BarReader, TopBar, top_bar};
use super::market_words;
use super::menu::{menu_entries, tabs};
use super::moment::ZONE;
use super::pages::ExplorerPages;
use super::request::{PageReader, PageRequest};
use super::spec::PageColumn;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// Content of the frame.
pub(super) struct PageLayout<'a> {
    pub market: Market,
    /// Request; `None` if no file declares the page.
    pub request: Option<&'a PageRequest>,
    pub pages: &'a ExplorerPages,
    pub title: &'a str,
    /// Data behind the page.
    pub snapshot: &'a Snapshot,
    /// Reader of the page.
    pub reader: &'a PageReader,
}

/// Builds the whole document around its main part.
pub(super) fn document(layout: &PageLayout<'_>, main: &Markup) -> Markup {
    let title = format!("{} · Parquote {}", layout.title, market_words::name(layout.market));
    let parts = layout.request.map(|request| request.page.parts.as_slice()).unwrap_or_default();
    let is_in_columns = parts.iter().any(|part| part.column == Some(PageColumn::Wide));
    HtmlPage { title: &title, style: &STYLE, scheme: layout.reader.scheme, script: &SCRIPT }.around(&html! {
        (bar(layout))
        // Decided at the start, so that nothing moves while the rest of the page loads.
        main.in-columns[is_in_columns] id=(MAIN_ID) tabindex="-1" { (main) }
        (foot(layout))
        div.live role="status" aria-live="polite" {}
    })
}

fn bar(layout: &PageLayout<'_>) -> Markup {
    let (market, request) = (layout.market, layout.request);
    let entries = menu_entries(layout.pages, layout.snapshot, market, layout.reader.tier);
    let (tabs, path, address) = match request {
        Some(request) => (tabs(request, layout.snapshot, &entries), request.path(), request.address()),
        None => (Vec::new(), String::new(), format!("/{market}")),
    };
    let age = DataAge::for_market(layout.snapshot, market, Utc::now());
    top_bar(&TopBar {
        market,
        markets: Market::ALL.map(|other| (other, same_page(layout, other))),
        is_of_market: true,
        entries: &entries,
        section: request.and_then(|request| request.page.section),
        tabs: &tabs,
        path: &path,
        ages: age.as_slice(),
        search: request.and_then(|request| request.get("q")).unwrap_or_default(),
        reader: BarReader {
            is_guest: layout.reader.is_guest,
            scheme: layout.reader.scheme,
            day: layout.reader.day,
            days: &layout.reader.days,
            back: &address,
        },
    })
}

/// Returns the address of the same page in another market, or of that market's first page if it lacks the page or the page has a symbol.
fn same_page(layout: &PageLayout<'_>, market: Market) -> String {
    match layout.request {
        Some(request) if market == layout.market => request.path(),
        Some(request) if request.page.is_in(market) && !request.page.has_symbol() => {
            request.page.route(market)
        }
        _ => format!("/{market}"),
    }
}

fn foot(layout: &PageLayout<'_>) -> Markup {
    // An open page compares the id of its set to detect that another set is served.
    let set_id = layout.snapshot.market(layout.market).map(|market| &*market.name().id);
    html! {
        footer.foot {
            @match freshness(layout.snapshot, layout.market) {
                Some(line) => p data-set=[set_id.filter(|_| layout.reader.day.is_none())] { (line) ". Figures, no advice. Times of day are " (ZONE) "." },
                None => p { "There is no data of this market." },
            }
            p { a href="/v1/docs" { "The manual" } " has every operation behind these pages." }
        }
    }
}

//! Frame of the portal's pages: its menu and its main part.

use maud::{Markup, html};

use super::assets::{SCRIPT, STYLE};
use crate::age::DataAge;
use crate::market_words;
use parquote_catalogue::operation::Market;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// Pages in the portal's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MenuPage {
    Keys,
    Usage,
    Sessions,
    Log,
}

impl MenuPage {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Keys, "/portal", "Keys"),
        (Self::Usage, "/portal/usage", "Usage"),
        (Self::Sessions, "/portal/sessions", "Sessions"),
        (Self::Log, "/portal/log", "Log"),
    ];
}

/// Content of the top bar for a signed-in reader.
#[derive(Debug, Clone)]
pub struct PortalReader {
    /// Owner.
    pub owner: String,
    /// Age of the data of each market.
    pub ages: Vec<DataAge>,
}

/// Builds a page for a signed-in reader.
pub(super) fn signed_in(
    reader: &PortalReader,
    page: Option<MenuPage>,
    title: &str,
    content: &Markup,
) -> Markup {
    let menu = html! {
        nav.top aria-label="Portal" {
            a.brand href="/" { "Parquote" }
            @for market in Market::ALL {
                span {
                    a href={ "/" (market) } { (market_words::name(market)) }
                    @for age in reader.ages.iter().filter(|age| age.market == market) { " " (age) }
                }
            }
            @for (of, path, name) in MenuPage::ALL {
                a href=(path) aria-current=[(Some(of) == page).then_some("page")] { (name) }
            }
            a href="/v1/docs" { "Manual" }
            span.who { "Signed in as " b { (reader.owner) } }
            form method="post" action="/logout" { button.plain { "Sign out" } }
        }
    };
    document(title, &menu, "", &html! { h1 { (title) } (content) })
}

/// Builds a page for any reader.
pub(super) fn plain(title: &str, content: &Markup) -> Markup {
    let menu = html! {
        nav.top aria-label="Parquote" {
            a.brand href="/" { "Parquote" }
            a href="/v1/docs" { "Manual" }
        }
    };
    document(title, &menu, "narrow", &html! { h1 { (title) } (content) })
}

fn document(title: &str, menu: &Markup, width: &str, content: &Markup) -> Markup {
    let title = format!("{title} · Parquote");
    HtmlPage { title: &title, style: &STYLE, script: &SCRIPT }.around(&html! {
        (menu)
        main id=(MAIN_ID) tabindex="-1" class=(width) { (content) }
    })
}

//! Frame of the portal's pages: the bar of the explorer, with the portal's pages as its tabs, and the main part.

use maud::{Markup, html};

use super::assets::SCRIPT;
use crate::age::DataAge;
use crate::assets::STYLE;
use crate::bar::{BarReader, TopBar, top_bar};
use crate::menu::MenuEntry;
use crate::moment::ZONE;
use parquote_catalogue::operation::{Market, Tier};
use parquote_surface::asset::ColourScheme;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// Pages in the portal's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MenuPage {
    Keys,
    Usage,
    Sessions,
    Log,
    Sets,
    Sources,
}

impl MenuPage {
    const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Keys, "/portal", "Keys"),
        (Self::Usage, "/portal/usage", "Usage"),
        (Self::Sessions, "/portal/sessions", "Sessions"),
        (Self::Log, "/portal/log", "Log"),
        (Self::Sets, "/portal/sets", "Sets"),
        (Self::Sources, "/portal/sources", "Sources"),
    ];

    /// Returns the pages that a reader may open.
    fn open_to(reader: &PortalReader) -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        let is_operator = reader.is_operator;
        let is_open = move |page| is_operator || !matches!(page, Self::Sets | Self::Sources);
        Self::ALL.into_iter().filter(move |(page, ..)| is_open(*page))
    }
}

/// A signed-in reader, with the content of the bar.
#[derive(Debug, Clone)]
pub struct PortalReader {
    /// Owner of the key.
    pub owner: String,
    /// Tier of the key.
    pub tier: Tier,
    /// Age of the data of each market.
    pub ages: Vec<DataAge>,
    /// True if the sets and sources of the server are open to the reader.
    pub is_operator: bool,
    /// Tabs of all sections of each market, in the order of [`Market::ALL`].
    pub menus: [Vec<MenuEntry>; 2],
    /// Colours that the reader chose.
    pub scheme: ColourScheme,
}

/// Builds a page for a signed-in reader.
pub(super) fn signed_in_page(
    reader: &PortalReader,
    page: Option<MenuPage>,
    title: &str,
    content: &Markup,
) -> Markup {
    let tab = |(_, path, name): (MenuPage, &str, &str)| MenuEntry {
        section: None,
        title: name.to_owned(),
        href: path.to_owned(),
        lock: None,
    };
    let present = MenuPage::ALL.into_iter().find(|(known, ..)| Some(*known) == page);
    let path = present.map_or("", |(_, path, _)| path);
    let [entries, _] = &reader.menus;
    let bar = top_bar(&TopBar {
        market: Market::India,
        markets: Market::ALL.map(|market| (market, format!("/{market}"))),
        is_of_market: false,
        entries,
        section: None,
        tabs: &MenuPage::open_to(reader).map(tab).collect::<Vec<_>>(),
        path,
        ages: &reader.ages,
        search: "",
        reader: BarReader {
            is_guest: false,
            scheme: reader.scheme,
            day: None,
            days: &[],
            back: present.map_or("/portal", |_| path),
        },
    });
    let content = html! {
        h1 { (title) }
        p.soft { "Signed in as " b { (reader.owner) } "." }
        (content)
    };
    document(title, &bar, reader.scheme, "portal", &content)
}

/// Shows the result of the last form, or its error.
pub(super) fn form_result(message: Option<&str>, problem: Option<&str>) -> Markup {
    html! {
        @if let Some(message) = message { p.good role="status" { (message) } }
        @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
    }
}

/// Builds a page for a reader who may not be signed in.
pub(super) fn plain_page(title: &str, scheme: ColourScheme, content: &Markup) -> Markup {
    let bar = html! {
        header.top {
            div.bar {
                a.brand href="/" { b { "Parquote" } }
                nav.account aria-label="Parquote" { a href="/v1/docs" { "Manual" } }
            }
        }
    };
    document(title, &bar, scheme, "portal narrow", &html! { h1 { (title) } (content) })
}

fn document(title: &str, bar: &Markup, scheme: ColourScheme, class: &str, content: &Markup) -> Markup {
    let title = format!("{title} · Parquote");
    HtmlPage { title: &title, style: &STYLE, scheme, script: &SCRIPT }.around(&html! {
        (bar)
        main id=(MAIN_ID) tabindex="-1" class=(class) { (content) }
        footer.foot { p { "Times of day are " (ZONE) "." } }
    })
}

//! The frame of the manual's pages: the bar, the list of operations, and the introduction.

use maud::{Markup, html};

use super::super::paths::DOCS;
use super::assets::{SCRIPT, STYLE};
use super::{anchor, guide_path, page_path};
use parquote_catalogue::operation::Catalogue;
use parquote_surface::asset::ColourScheme;
use parquote_surface::groups::groups;
use parquote_surface::guides::guides;
use parquote_surface::html_page::{HtmlPage, MAIN_ID};

/// Targets of the list of operations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// Anchors on this page.
    Within,
    /// Separate pages.
    Away,
}

/// Renders a page of the manual.
pub(super) fn page(
    catalogue: &Catalogue,
    title: &str,
    links: Links,
    scheme: ColourScheme,
    content: &Markup,
) -> Markup {
    HtmlPage { title, style: &STYLE, scheme, script: &SCRIPT }.around(&html! {
        header.top {
            a.brand href=(DOCS) { b { "Parquote" } span { (env!("CARGO_PKG_VERSION")) } }
            a href="/" { "Explorer" }
            input #find type="search" placeholder="Find an operation, field or word ( / )" aria-label="Find"
                autocomplete="off";
            input #key type="password" placeholder="API key" aria-label="API key" autocomplete="off"
                spellcheck="false";
        }
        div.columns #top {
            nav aria-label="Operations" { (navigation(catalogue, links)) }
            main id=(MAIN_ID) tabindex="-1" {
                (content)
                p #nothing hidden { "Nothing matches." }
            }
        }
    })
}

/// Renders the list of guides and operations.
fn navigation(catalogue: &Catalogue, links: Links) -> Markup {
    html! {
        div {
            h2 { "Guides" }
            @for guide in guides() { a href=(guide_path(guide)) { (guide.title) } }
        }
        @for group in groups(catalogue) {
            div {
                h2 { (group.name) }
                @for operation in group.operations {
                    @let address = match links {
                        Links::Within => format!("#{}", anchor(operation)),
                        Links::Away => page_path(operation),
                    };
                    a href=(address) title=(operation.title) { (operation.name) }
                }
            }
        }
    }
}

/// Renders the introduction of the page of all operations: how to send requests, and the data's dates.
pub(super) fn introduction(routes: usize, snapshot: &str, dates: &str) -> Markup {
    html! {
        section.intro {
            h1 { "Market intelligence for Indian and US equities" }
            p {
                (routes) " operations, read with GET below " code { "/v1" } ". An answer is "
                code { "{\"data\": …, \"meta\": …}" } "; a refusal is "
                code { "{\"error\": true, \"status\": …, \"message\": …}" } " and says what would have been right."
            }
            dl.facts {
                div { dt { "Data" } dd { (dates) } }
                div { dt { "Snapshot" } dd { code { (snapshot) } } }
                div {
                    dt { "Key" }
                    dd {
                        code { "X-Api-Key" } ", " code { "Authorization: Bearer" } " or " code { "?apiKey=" }
                        "; the operator of this server issues one with " code { "parquote keys issue" }
                    }
                }
                div {
                    dt { "Forms" }
                    dd {
                        code { "format=" } "json, columns, ndjson, csv, arrow or xlsx, or " code { "Accept" } "; "
                        code { "fields=a,b" } " for some fields"
                    }
                }
                div {
                    dt { "Limits" }
                    dd {
                        "the " code { "X-RateLimit" }
                        " headers say what is left of the hour and the day; 304 and refusals of a key cost nothing"
                    }
                }
                div {
                    dt { "Again" }
                    dd { "send the " code { "ETag" } " as " code { "If-None-Match" } ": 304 while nothing changed" }
                }
                div {
                    dt { "Machines" }
                    dd {
                        a href="/v1/openapi.json" { "OpenAPI 3.1" }
                        "; every page below is Markdown too, with " code { ".md" }
                        " behind its address; the operations are tools of the Model Context Protocol at " code { "/mcp" }
                    }
                }
            }
        }
    }
}

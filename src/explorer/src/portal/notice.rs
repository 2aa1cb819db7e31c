//! A page with a message and nothing else.

use maud::{Markup, html};

use super::layout::plain;

/// Builds the page.
pub fn notice_page(title: &str, message: &str) -> Markup {
    plain(title, &html! { p.problem role="alert" { (message) } p { a href="/portal" { "To the portal" } } })
}

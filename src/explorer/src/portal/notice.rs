//! A page that says why there is nothing else.

use maud::{Markup, html};

use super::layout::plain;

/// The page.
pub fn notice_page(title: &str, message: &str) -> Markup {
    plain(title, &html! { p.problem role="alert" { (message) } p { a href="/portal" { "To the portal" } } })
}

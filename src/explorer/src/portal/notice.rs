//! A page with a message and nothing else.

use maud::{Markup, html};

use super::layout::plain_page;
use parquote_surface::asset::ColourScheme;

/// Builds a page with this title and this message.
pub fn notice_page(title: &str, message: &str, scheme: ColourScheme) -> Markup {
    let content = html! {
        p.problem role="alert" { (message) }
        p { a href="/" { "To the explorer" } " · " a href="/portal" { "To the portal" } }
    };
    plain_page(title, scheme, &content)
}

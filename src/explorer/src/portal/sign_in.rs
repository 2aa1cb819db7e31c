//! The page on which a key, or a printed code, signs a browser in.

use maud::{Markup, html};

use super::layout::{form_result, plain_page};
use parquote_surface::asset::ColourScheme;

/// Content of the sign-in page.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignInView<'a> {
    /// Address to continue with.
    pub next: Option<&'a str>,
    /// Error of the last try.
    pub problem: Option<&'a str>,
    /// Owner who is already signed in.
    pub current_owner: Option<&'a str>,
    /// True if guests may read pages without a key.
    pub has_guests: bool,
    /// Colours that the reader chose.
    pub scheme: ColourScheme,
}

/// Builds the sign-in page.
pub fn sign_in_page(view: SignInView<'_>) -> Markup {
    let go_on = view.next.unwrap_or("/");
    let content = html! {
        p { "The Indian and US stock markets: screens, relative strength, sector rotation, filings and figures of every company." }
        @if view.has_guests && view.current_owner.is_none() { p { a href="/india" { "Look around without a key" } ", as a guest who changes nothing." } }
        (form_result(None, view.problem))
        @if let Some(owner) = view.current_owner {
            p.good { "You are signed in as " b { (owner) } ". " a href=(go_on) { "Go on" } ", or sign in as somebody else:" }
        }
        form.card method="post" action="/login" {
            (next_field(view.next))
            // Password managers need a user name to store a key.
            input type="text" name="account" value="API key" autocomplete="username" hidden;
            label for="key" { "API key" }
            input #key type="password" name="key" autocomplete="current-password" spellcheck="false" required
                aria-describedby="key-help";
            p #key-help .soft { "It begins with pq_. It is exchanged for a cookie that is good for pages only. Whoever runs this server issues keys." }
            button { "Sign in" }
        }
        form.card method="post" action="/login" data-send=[view.current_owner.is_none().then_some("now")] {
            (next_field(view.next))
            label for="code" { "Or a sign-in code" }
            input #code type="text" name="code" autocomplete="one-time-code" spellcheck="false" required
                aria-describedby="code-help";
            p #code-help .soft {
                "It follows the # of a sign-in link, and works once within ten minutes. "
                "Whoever runs this server prints one with " code { "parquote keys login ID" } "."
            }
            button.plain { "Use the code" }
        }
    };
    plain_page("Sign in", view.scheme, &content)
}

fn next_field(next: Option<&str>) -> Markup {
    html! { @if let Some(next) = next { input type="hidden" name="next" value=(next); } }
}

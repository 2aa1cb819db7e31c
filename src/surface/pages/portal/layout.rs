//! The page around everything that the portal shows. Where another house has a layout of its own, this is the one file to change.

use maud::{DOCTYPE, Markup, html};

use super::assets::{ICON, SCRIPT, STYLE};

/// The pages of the portal that its menu names.
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

/// A page of somebody who is signed in.
pub(super) fn signed_in(owner: &str, page: Option<MenuPage>, title: &str, content: &Markup) -> Markup {
    let menu = html! {
        nav.top aria-label="Portal" {
            a.brand href="/" { "Parquote" }
            @for (of, path, name) in MenuPage::ALL {
                a href=(path) aria-current=[(Some(of) == page).then_some("page")] { (name) }
            }
            a href="/v1/docs" { "Manual" }
            span.who { "Signed in as " b { (owner) } }
            form method="post" action="/logout" { button.plain { "Sign out" } }
        }
    };
    document(title, &menu, "", &html! { h1 { (title) } (content) })
}

/// A page of anybody.
pub(super) fn plain(title: &str, content: &Markup) -> Markup {
    let menu = html! {
        nav.top aria-label="Parquote" {
            a.brand href="/portal" { "Parquote" }
            a href="/v1/docs" { "Manual" }
        }
    };
    document(title, &menu, "narrow", &html! { h1 { (title) } (content) })
}

fn document(title: &str, menu: &Markup, width: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - Parquote" }
                link rel="icon" href=(ICON.path);
                link rel="stylesheet" href=(STYLE.path);
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                (menu)
                main #content class=(width) { (content) }
                script src=(SCRIPT.path) {}
            }
        }
    }
}

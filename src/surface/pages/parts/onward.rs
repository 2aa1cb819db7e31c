//! Links to pages about the same thing.

use maud::{Markup, html};

use crate::surface::pages::part_view::PartView;
use crate::surface::pages::places::{filled, worded};

pub(super) fn onward(view: PartView<'_>, links: &[(&str, &str)]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    html! {
        p.onward {
            @for (words, pattern) in links {
                @if let Some(path) = filled(pattern, row) { a href=(view.request.elsewhere(&path)) { (worded(words, row)) } " " }
            }
        }
    }
}

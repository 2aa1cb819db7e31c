//! The tour of the demo market: four links with a note each. It can be hidden, and shown again.

use maud::{Markup, html};

use crate::request::{PageRequest, QUERY, Tour, address};

/// A sentence that every demo market understands.
const SCREEN: &str = "stage 2, RS above 80, by RS";

/// Shows the tour, or the button that brings it back.
pub(crate) fn tour(request: &PageRequest, tour: Tour) -> Markup {
    match tour {
        Tour::Shown => steps(request),
        Tour::Hidden => button(request, "tour/show", "Show the tour"),
    }
}

/// Builds a button that shows or hides the tour: a form, because its request sets a cookie.
fn button(request: &PageRequest, path: &str, label: &str) -> Markup {
    html! { form method="get" action=(request.market_address(path)) { button.small { (label) } } }
}

fn steps(request: &PageRequest) -> Markup {
    let screen = address(&request.market_address("screener"), [(QUERY, SCREEN)].into_iter());
    let chart = request.market_address(&format!("company/{}/chart", request.market.invented_symbol()));
    let steps = [
        (
            screen,
            "Screen in a sentence",
            "Each part of the sentence is a condition that you can take out; each row says why it is there.",
        ),
        (
            chart,
            "Read a chart",
            "Levels, results and dividends by day, and other stocks over it. From a list, [ and ] lead to its next stock.",
        ),
        (
            request.market_address("rotation"),
            "See which sectors gain strength",
            "Each tail is the way of a sector over the last weeks; its stocks are one click away.",
        ),
        (
            "/v1/docs/guides/fetch".to_owned(),
            "Use your own data",
            "This market is invented. The guide has the commands that fetch official files; an admin key finds the plan under Keys, Sources.",
        ),
    ];
    html! {
        section.part.tour aria-labelledby="tour-title" {
            h2 id="tour-title" { "Four steps to begin with" }
            ol { @for (href, title, note) in steps { li { a href=(href) { (title) } " " span { (note) } } } }
            (button(request, "tour/hide", "Hide this"))
        }
    }
}

//! Counts of matching stocks by size, stage, sector and industry. A count links to the screen of these stocks alone; a chosen one links to
//! all again.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::market_words;
use crate::part_view::PartView;
use parquote_catalogue::operation::Market;
use parquote_picture::number::format_grouped;

const FACETS: [&str; 4] = ["cap", "stage", "sector", "industry"];
/// Number of counts shown at first; a click shows the rest.
const MOST_SHOWN: usize = 14;

type Count<'a> = (&'a str, f64);

pub(super) fn counts(view: PartView<'_>) -> Markup {
    let all = view.rows.around.get("facets").and_then(Json::as_array);
    let counts_of = |facet: &str| -> Vec<Count<'_>> {
        let of_facet = all
            .into_iter()
            .flatten()
            .filter(|count| count.get("facet").and_then(Json::as_str) == Some(facet));
        let count = |count: &'_ Json| count.get("stock_count").and_then(Json::as_f64);
        of_facet
            .filter_map(|one| Some((one.get("facet_value").and_then(Json::as_str)?, count(one)?)))
            .collect()
    };
    html! {
        div.screen-counts {
            @for (facet, counts) in FACETS.map(|facet| (facet, counts_of(facet))) {
                @if !counts.is_empty() { (group(view, facet, &counts)) }
            }
        }
    }
}

fn group(view: PartView<'_>, facet: &str, counts: &[Count<'_>]) -> Markup {
    let (first, rest) = counts.split_at(counts.len().min(MOST_SHOWN));
    let chosen = view.request.get(facet);
    html! {
        section.facets aria-label={ "By " (heading(facet).to_lowercase()) } {
            h2 { (heading(facet)) }
            ul { @for count in first { li.within[is_within(view, *count)] { (link(view, facet, *count)) } } }
            @if !rest.is_empty() {
                details open[rest.iter().any(|(value, _)| chosen == Some(*value))] {
                    summary { (rest.len()) " more" }
                    ul { @for count in rest { li { (link(view, facet, *count)) } } }
                }
            }
        }
    }
}

fn link(view: PartView<'_>, facet: &str, (value, count): Count<'_>) -> Markup {
    let is_chosen = view.request.get(facet).is_some_and(|chosen| chosen.eq_ignore_ascii_case(value));
    let money = market_words::money(view.request.market);
    html! {
        a href=(view.request.address_with(&[(facet, (!is_chosen).then_some(value)), ("offset", None)])) aria-current=[is_chosen.then_some("true")] {
            @if is_within(view, (value, count)) { "of which " (value_label(facet, value).to_lowercase()) } @else { (value_label(facet, value)) }
            " " small { (format_grouped(count, 0, money)) } @if is_chosen { span.mark aria-hidden="true" { " ×" } }
        }
    }
}

/// Returns true for a size that the previous size includes: in India, small caps include micro caps.
fn is_within(view: PartView<'_>, (value, _): Count<'_>) -> bool {
    view.request.market == Market::India && value == "micro"
}

/// Returns the heading of a group.
fn heading(facet: &str) -> String {
    if facet == "cap" { "Size".to_owned() } else { title(facet, None) }
}

/// Formats the value of a facet, such as `Stage 2`.
fn value_label(facet: &str, value: &str) -> String {
    match facet {
        "cap" => format!("{} cap", title(value, None)),
        "stage" => format!("Stage {value}"),
        _ => value.to_owned(),
    }
}

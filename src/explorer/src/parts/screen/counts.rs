//! Counts of matching stocks by size, stage, sector and industry: each links to the screen with only these, or with all again.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::market_words;
use crate::part_view::PartView;
use parquote_picture::number::grouped;

const FACETS: [&str; 4] = ["cap", "stage", "sector", "industry"];
/// Number of counts shown at first; a click shows the rest.
const FEW: usize = 14;

type Count<'a> = (&'a str, f64);

pub(super) fn counts(view: PartView<'_>) -> Markup {
    let all = view.rows.around.get("facets").and_then(Json::as_array);
    let of = |facet: &str| -> Vec<Count<'_>> {
        let own = all
            .into_iter()
            .flatten()
            .filter(|count| count.get("facet").and_then(Json::as_str) == Some(facet));
        let count = |count: &'_ Json| count.get("stock_count").and_then(Json::as_f64);
        own.filter_map(|one| Some((one.get("facet_value").and_then(Json::as_str)?, count(one)?))).collect()
    };
    html! {
        div.screen-counts {
            @for (facet, counts) in FACETS.map(|facet| (facet, of(facet))) {
                @if !counts.is_empty() { (group(view, facet, &counts)) }
            }
        }
    }
}

fn group(view: PartView<'_>, facet: &str, counts: &[Count<'_>]) -> Markup {
    let (first, rest) = counts.split_at(counts.len().min(FEW));
    let asked = view.request.get(facet);
    html! {
        section.facets aria-label={ "By " (heading(facet).to_lowercase()) } {
            h3 { (heading(facet)) }
            ul { @for count in first { li { (link(view, facet, *count)) } } }
            @if !rest.is_empty() {
                details open[rest.iter().any(|(value, _)| asked == Some(*value))] {
                    summary { (rest.len()) " more" }
                    ul { @for count in rest { li { (link(view, facet, *count)) } } }
                }
            }
        }
    }
}

fn link(view: PartView<'_>, facet: &str, (value, count): Count<'_>) -> Markup {
    let is_asked = view.request.get(facet).is_some_and(|asked| asked.eq_ignore_ascii_case(value));
    let money = market_words::money(view.request.market);
    html! {
        a href=(view.request.with(&[(facet, (!is_asked).then_some(value)), ("offset", None)])) aria-current=[is_asked.then_some("true")] {
            (words(facet, value)) " " small { (grouped(count, 0, money)) } @if is_asked { span.mark aria-hidden="true" { " ×" } }
        }
    }
}

/// Returns the heading of a group.
fn heading(facet: &str) -> String {
    if facet == "cap" { "Size".to_owned() } else { title(facet, None) }
}

/// Writes a value for readers.
fn words(facet: &str, value: &str) -> String {
    match facet {
        "cap" => format!("{} cap", title(value, None)),
        "stage" => format!("Stage {value}"),
        _ => value.to_owned(),
    }
}

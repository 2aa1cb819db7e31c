//! Links to earlier states of the same page.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::moment::dates_in;
use crate::part_view::PartView;
use parquote_catalogue::operation::ValueLimits;

/// Shows links for the parameter's words, for the dates of earlier rows, and to the latest state.
pub(super) fn date_links(view: PartView<'_>, parameter: &str, within: &str) -> Markup {
    let earlier = view.rows.rows_within(within);
    let dates: Vec<&str> =
        earlier.rows.iter().filter_map(|row| row.get("session").and_then(Json::as_str)).collect();
    let requested = view.request.get(parameter);
    let present = view.rows.rows.first().and_then(|row| row.get("session")).and_then(Json::as_str);
    let words = match view.operation.param(parameter).map(|param| &param.limits) {
        Some(ValueLimits::WordsOrDate(words)) => words.as_slice(),
        _ => &[],
    };
    html! {
        nav.choices aria-label="As it stood on" {
            @if requested.is_some() { a href=(view.request.address_with(&[(parameter, None)])) { "Latest" } }
            @if let Some(date) = present { a href=(view.request.address()) aria-current="true" { (dates_in(date)) } }
            @for date in dates { a href=(view.request.address_with(&[(parameter, Some(date))])) { (dates_in(date)) } }
            @for word in words.iter().filter(|word| requested != Some(word.as_str())) {
                a href=(view.request.address_with(&[(parameter, Some(word))])) { (span_words(word)) }
            }
        }
    }
}

/// Writes a span such as `3m` in words.
fn span_words(word: &str) -> String {
    let (count, unit) = word.split_at(word.len().saturating_sub(1));
    let unit = if unit == "y" { "year" } else { "month" };
    if count == "1" { format!("1 {unit} ago") } else { format!("{count} {unit}s ago") }
}

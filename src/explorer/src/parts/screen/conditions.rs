//! The conditions as understood: a chip for each, which links to the screen without it; the words not understood; and if few stocks match,
//! the number of matches without each condition.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::part_view::PartView;

/// The parameter with the positions of the sentence's conditions that are left out.
const WITHOUT: &str = "without";

/// The parameter with the reader's watchlists.
const LIST: &str = "list";

pub(super) fn conditions(view: PartView<'_>) -> Markup {
    let all = objects(view.rows.around.get("conditions"));
    let unread = texts(view.rows.around.get("not_understood"));
    let notes = texts(view.rows.around.get("notes"));
    html! {
        @if !unread.is_empty() {
            div.refusal role="status" { p { "Not understood: " b { (unread.join(", ")) } ". No stock is listed." } }
        }
        @let list = view.request.get(LIST);
        @if !all.is_empty() || list.is_some() {
            ul.chips aria-label="Conditions" {
                @if let Some(list) = list {
                    li { a href=(view.request.with(&[(LIST, None), ("offset", None)])) aria-label={ "Without the list " (list) } { "in " (list) span.mark aria-hidden="true" { " ×" } } }
                }
                @for condition in &all { li { (chip(view, condition)) } }
                @if all.len() > 1 { li { a.clear href=(view.request.path()) { "Clear all" } } }
            }
        }
        @if !notes.is_empty() { ul.notes { @for note in notes { li { (sentence(note)) } } } }
        @if unread.is_empty() { (near_misses(view, &all)) }
    }
}

fn chip(view: PartView<'_>, condition: &Json) -> Markup {
    let words = text(condition, "condition");
    let is_out = condition.get("is_left_out") == Some(&Json::Bool(true));
    html! {
        @if is_out {
            a.out href=(address(view, condition)) aria-label={ "With " (words) " again" } { s { (words) } span.mark aria-hidden="true" { " +" } }
        } @else {
            a href=(address(view, condition)) aria-label={ "Without " (words) } { (words) span.mark aria-hidden="true" { " ×" } }
        }
    }
}

/// Returns the address of the same screen without a condition, or with it again.
fn address(view: PartView<'_>, condition: &Json) -> String {
    let request = view.request;
    let Some(place) = condition.get("place").and_then(Json::as_u64) else {
        return request.with(&[(text(condition, "limited_by"), None), ("offset", None)]);
    };
    let place = place.to_string();
    let listed = request.get(WITHOUT).unwrap_or_default().split(',').map(str::trim);
    let mut places: Vec<&str> = listed.filter(|place| !place.is_empty()).collect();
    if places.contains(&place.as_str()) {
        places.retain(|known| *known != place);
    } else {
        places.push(&place);
    }
    let places = places.join(",");
    request.with(&[(WITHOUT, Some(places.as_str()).filter(|places| !places.is_empty())), ("offset", None)])
}

/// Shows the additional matches without each condition.
fn near_misses(view: PartView<'_>, all: &[&Json]) -> Markup {
    let total = view.rows.extent.and_then(|extent| extent.total).unwrap_or_default() as u64;
    let counted =
        all.iter().filter_map(|condition| Some((*condition, condition.get("without_it")?.as_u64()?)));
    let gains: Vec<(&Json, u64)> = counted.filter(|(_, without)| *without > total).collect();
    html! {
        @if !gains.is_empty() {
            div.near {
                p { @if total == 0 { "No stock meets all of it." } @else { "Few stocks meet all of it." } }
                ul {
                    @for (condition, without) in gains {
                        li { a href=(address(view, condition)) { "without " (text(condition, "condition")) } ": " b { (without) } @if without == 1 { " stock" } @else { " stocks" } }
                    }
                }
            }
        }
    }
}

fn objects(list: Option<&Json>) -> Vec<&Json> {
    list.and_then(Json::as_array).into_iter().flatten().filter(|item| item.is_object()).collect()
}

fn texts(list: Option<&Json>) -> Vec<&str> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    object.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Replaces the backquotes of a note by typographic quotes.
fn sentence(note: &str) -> String {
    let quoted = note
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { format!("“{part}”") } else { part.to_owned() });
    quoted.collect()
}

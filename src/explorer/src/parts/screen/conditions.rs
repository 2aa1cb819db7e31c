//! The conditions as understood: a chip for each, with its figure as a field and a link to the screen without it; the words not understood;
//! and if few stocks match, the number of matches without each condition.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::market_words;
use crate::part_view::PartView;
use crate::request::FIGURE;
use parquote_catalogue::digits;
use parquote_picture::number::format_grouped;
use parquote_picture::small::histogram;

/// The parameter with the positions of the sentence's conditions that are left out.
const WITHOUT_PARAM: &str = "without";

/// The parameter with the reader's watchlists.
const LIST: &str = "list";

pub(super) fn conditions(view: PartView<'_>) -> Markup {
    let all = objects(view.rows.around.get("conditions"));
    let not_understood = texts(view.rows.around.get("not_understood"));
    let notes = texts(view.rows.around.get("notes"));
    html! {
        @if !not_understood.is_empty() {
            div.refusal role="status" { p { "Not understood: " b { (not_understood.join(", ")) } ". No stock is listed." } }
        }
        @let list = view.request.get(LIST);
        @if !all.is_empty() || list.is_some() {
            ul.chips aria-label="Conditions" {
                @if let Some(list) = list {
                    li { a href=(view.request.address_with(&[(LIST, None), ("offset", None)])) aria-label={ "Without the list " (list) } { "in " (list) span.mark aria-hidden="true" { " ×" } } }
                }
                @for (number, condition) in (1..).zip(&all) { li { (chip(view, condition)) (distribution(view, number, condition)) } }
                @if all.len() > 1 { li { a.clear href=(view.request.path()) { "Clear all" } } }
            }
        }
        @if !notes.is_empty() { ul.notes { @for note in notes { li { (with_quotes(note)) } } } }
        @if not_understood.is_empty() { (near_misses(view, &all)) }
    }
}

fn chip(view: PartView<'_>, condition: &Json) -> Markup {
    let words = text(condition, "condition");
    let is_out = condition.get("is_left_out") == Some(&Json::Bool(true));
    html! {
        @if is_out {
            a.out href=(address(view, condition)) aria-label={ "With " (words) " again" } { s { (words) } span.mark aria-hidden="true" { " +" } }
        } @else if let Some(editable) = editable_chip(view, condition) { (editable) } @else {
            a href=(address(view, condition)) aria-label={ "Without " (words) } { (words) span.mark aria-hidden="true" { " ×" } }
        }
    }
}

/// Shows a condition with its figure as a field, which applies on change; `None` for a condition without a figure.
fn editable_chip(view: PartView<'_>, condition: &Json) -> Option<Markup> {
    let (request, words) = (view.request, text(condition, "condition"));
    let figure = condition.get("figure")?.as_f64()?;
    let written = digits::group_number(figure, request.market.digit_groups());
    let (before, after) = words.rsplit_once(written.as_str())?;
    let name = match condition.get("place").and_then(Json::as_u64) {
        Some(position) => format!("{FIGURE}{position}"),
        None => text(condition, "limited_by").to_owned(),
    };
    let hidden = request.pairs.iter().filter(|(known, _)| *known != name && known != "offset");
    Some(html! {
        form.condition.applies method="get" action=(request.path()) {
            (before) " "
            input id={ "of-" (name) } type="number" step="any" name=(name) value=(digits::shortest(figure)) aria-label=(words) autocomplete="off";
            (after)
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
            a href=(address(view, condition)) aria-label={ "Without " (words) } { span.mark aria-hidden="true" { "×" } }
        }
    })
}

/// Draws the distribution of the figure that a condition limits, over the stocks that meet all other conditions; empty without a figure.
fn distribution(view: PartView<'_>, number: u64, condition: &Json) -> Markup {
    let bars = objects(view.rows.around.get("histograms"));
    let of_condition =
        bars.into_iter().filter(|bar| bar.get("of_condition").and_then(Json::as_u64) == Some(number));
    let counted: Vec<&Json> = of_condition.collect();
    let count = |bar: &&Json| {
        let count = bar.get("stock_count").and_then(Json::as_u64).unwrap_or_default();
        (count, bar.get("is_within") == Some(&Json::Bool(true)))
    };
    let edge = |bar: Option<&&Json>, name: &str| {
        let number = bar.and_then(|bar| bar.get(name)?.as_f64()).unwrap_or_default();
        format_grouped(number, 1, market_words::money(view.request.market))
    };
    let counts: Vec<(u64, bool)> = counted.iter().map(count).collect();
    let bars = bars_for_scripts(condition, &counted, &counts);
    html! {
        @if !counts.is_empty() {
            span.distribution data-bars=[bars.as_deref()] title={ "From " (edge(counted.first(), "bar_from")) " to " (edge(counted.last(), "bar_to")) ", among the stocks that meet the other conditions" } {
                (histogram(&counts))
                @if bars.is_some() { output {} }
            }
        }
    }
}

/// Writes a histogram for scripts, which estimate the matches with another figure: 1 if the condition has a smallest figure, 0 if it has a
/// largest one, the start of the first bar, the width of a bar, and the counts. `None` for a condition without one such figure.
fn bars_for_scripts(condition: &Json, bars: &[&Json], counts: &[(u64, bool)]) -> Option<String> {
    let figure = condition.get("figure")?.as_f64()?;
    let edge = |bar: Option<&&Json>, name: &str| bar?.get(name)?.as_f64();
    let (from, to) = (edge(bars.first(), "bar_from")?, edge(bars.last(), "bar_to")?);
    let (is_first_within, is_last_within) = (counts.first()?.1, counts.last()?.1);
    let has_smallest = if is_first_within == is_last_within {
        // If all bars or none match, the figure is before the first bar or after the last one.
        let is_low = figure <= from;
        if !is_low && figure < to {
            return None;
        }
        is_first_within == is_low
    } else {
        is_last_within
    };
    let width = (to - from) / counts.len() as f64;
    let counts: Vec<String> = counts.iter().map(|(count, _)| count.to_string()).collect();
    Some(format!("{} {from} {width:.6} {}", u8::from(has_smallest), counts.join(" ")))
}

/// Returns the address of the same screen without a condition, or with it again.
fn address(view: PartView<'_>, condition: &Json) -> String {
    let request = view.request;
    let Some(position) = condition.get("place").and_then(Json::as_u64) else {
        return request.address_with(&[(text(condition, "limited_by"), None), ("offset", None)]);
    };
    let position = position.to_string();
    let mut places: Vec<&str> = request.list(WITHOUT_PARAM).collect();
    if places.contains(&position.as_str()) {
        places.retain(|known| *known != position);
    } else {
        places.push(&position);
    }
    let places = places.join(",");
    request.address_with(&[
        (WITHOUT_PARAM, Some(places.as_str()).filter(|places| !places.is_empty())),
        ("offset", None),
    ])
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
fn with_quotes(note: &str) -> String {
    let quoted = note
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { format!("“{part}”") } else { part.to_owned() });
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scripts_learn_on_which_side_of_the_figure_stocks_match() {
        let written = |figure: Json, within: [bool; 2]| {
            let bars = [(0, 10), (10, 20)].map(|(from, to)| json!({"bar_from": from, "bar_to": to}));
            let counts: Vec<(u64, bool)> = [3, 5].into_iter().zip(within).collect();
            bars_for_scripts(&json!({ "figure": figure }), &bars.each_ref(), &counts)
        };
        let (least, most) = (Some("1 0 10.000000 3 5".to_owned()), Some("0 0 10.000000 3 5".to_owned()));
        assert_eq!(written(json!(10), [false, true]), least);
        assert_eq!(written(json!(10), [true, false]), most);
        // Beyond the bars.
        assert_eq!(written(json!(-1), [true, true]), least);
        assert_eq!(written(json!(30), [true, true]), most);
        assert_eq!(written(json!(30), [false, false]), least);
        assert_eq!(written(json!(-1), [false, false]), most);
        // An equation, and two figures.
        assert_eq!(written(json!(12), [false, false]), None);
        assert_eq!(written(json!(null), [false, true]), None);
    }
}

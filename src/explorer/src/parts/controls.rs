//! Parameters of an operation as a GET form, and a chip for each given one, which links to the page without it.

use maud::{Markup, html};

use super::field::{FieldContext, field};
use crate::column_title::{title, without_unit};
use crate::part_view::PartView;
use crate::spec::Argument;
use parquote_catalogue::operation::{Operation, Param};

/// Parameters with controls elsewhere on a page, or set by links of rows.
const ELSEWHERE: [&str; 3] = ["explain", "market", "facet"];

/// Builds the form and the chips.
pub(super) fn controls(view: PartView<'_>) -> Markup {
    let request = view.request;
    let own = asked_for(view);
    let hidden = request.pairs.iter().filter(|(name, _)| {
        own.iter().all(|(known, _)| known != name) && !matches!(name.as_str(), "offset" | "page")
    });
    let place = FieldContext::for_part(view);
    html! {
        @if !own.is_empty() {
            form.controls method="get" action=(request.path()) {
                @for (name, param) in &own { (field(&place, name, param, request.get(name))) }
                @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
                div.field { button { "Show" } }
            }
            (chips(view, &own))
        }
    }
}

/// Returns the parameters with controls, each with its name on the page: those without another source.
fn asked_for(view: PartView<'_>) -> Vec<(&str, &Param)> {
    let Some(call) = view.part.call(view.request.market) else { return Vec::new() };
    let has_pager = view.part.has_whole_table();
    let shown = view.operation.params.iter().filter(|param| {
        let is_page = has_pager && param.name == "page";
        // The page of a watchlist is about that list.
        let is_subject = param.own_list && view.request.page.path == "list";
        !is_page && !is_subject && !ELSEWHERE.contains(&param.name.as_str())
    });
    let named = shown.filter_map(|param| match call.arguments.iter().find(|(name, _)| *name == param.name) {
        None if !view.part.takes_query => None,
        None => Some((param.name.as_str(), param)),
        Some((_, Argument::Query(name))) => Some((name.as_str(), param)),
        Some((_, Argument::Each)) => view.part.each.as_deref().map(|name| (name, param)),
        Some(_) => None,
    });
    named.collect()
}

fn chips(view: PartView<'_>, own: &[(&str, &Param)]) -> Markup {
    let request = view.request;
    let set: Vec<(&str, &Param, &str)> =
        own.iter().filter_map(|(name, param)| Some((*name, *param, request.get(name)?))).collect();
    html! {
        @if !set.is_empty() {
            ul.chips aria-label="What is asked" {
                @for (name, param, value) in &set {
                    li {
                        a href=(request.with(&[(name, None), ("offset", None)])) aria-label={ "Without " (title(name, None)) " " (said(view, param, value)) } {
                            (title(name, None)) " " b { (said(view, param, value)) } span.mark aria-hidden="true" { " ×" }
                        }
                    }
                }
                @if set.len() > 1 { li { a href=(request.path()) { "Clear all" } } }
            }
        }
    }
}

/// Formats a value for readers.
fn said(view: PartView<'_>, param: &Param, value: &str) -> String {
    view.operation.label(&param.name, value).map_or_else(|| value.replace('_', " "), str::to_owned)
}

/// Returns the URL that orders by a column, and its present order; `None` if the operation cannot order by it.
pub(super) fn ordered_by(view: PartView<'_>, column: &str) -> Option<(String, Option<&'static str>)> {
    const BY: &str = "sort_by";
    const DIRECTION: &str = "sort_dir";
    let by = view.operation.param(BY)?;
    let words = by.words_allowed().filter(|_| view.takes_query())?;
    let word = words.iter().find(|word| is_of_field(column, word))?.as_str();
    // The order in the answer counts, then the requested one.
    let told = view.rows.around.get("sorted_by").and_then(serde_json::Value::as_str);
    let (is_present, is_rising) = if let Some((field, direction)) = told.and_then(|told| told.split_once(' '))
    {
        (is_of_field(field, word), direction == "asc")
    } else {
        let default = default_order(view.operation, words, word);
        let is_present = view.request.get(BY).map_or(default, |asked| asked == word);
        (is_present, view.request.get(DIRECTION) == Some("asc"))
    };
    let turns = is_present && !is_rising && view.operation.param(DIRECTION).is_some();
    let direction = turns.then_some("asc");
    let address = view.request.with(&[(BY, Some(word)), (DIRECTION, direction), ("offset", None)]);
    let order = if is_rising { "ascending" } else { "descending" };
    Some((address, is_present.then_some(order)))
}

/// Returns true if a word names a field, with or without its unit.
fn is_of_field(field: &str, word: &str) -> bool {
    field.strip_prefix(word).is_some_and(|rest| rest.is_empty() || without_unit(field) == word)
}

/// Returns true if the default order is by this column: the default of the parameter, or its first word.
fn default_order(operation: &Operation, words: &[String], word: &str) -> bool {
    let default = operation.param("sort_by").and_then(parquote_surface::wording::default);
    default.as_deref().or_else(|| words.first().map(String::as_str)) == Some(word)
}

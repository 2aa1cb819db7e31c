//! Parameters of an operation as a GET form, and a chip for each one that the query has, which links to the page without it. Filters of a
//! list have no chips.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::field::{FieldContext, field};
use crate::column_title::{title, without_unit};
use crate::moment::dates_in;
use crate::part_view::PartView;
use crate::request::{EXPLAIN, PageRequest};
use crate::row_order::{DEFAULT_ROWS, order_by, present_order};
use crate::spec::{Argument, ORDER};
use parquote_catalogue::operation::{ColumnType, Operation, Param, Value};

/// Parameters without a control in the form: another part of the page has their control, or links of rows set them.
const PARAMS_SHOWN_ELSEWHERE: [&str; 3] = [EXPLAIN, "market", "facet"];

/// Builds the form and the chips.
pub(super) fn controls(view: PartView<'_>) -> Markup {
    let request = view.request;
    let controlled = controlled_params(view);
    let hidden = request.pairs.iter().filter(|(name, _)| {
        controlled.iter().all(|(known, _)| known != name) && !matches!(name.as_str(), "offset" | "page")
    });
    let context = FieldContext::for_part(view);
    // Filters of a list apply when the reader changes them, and show in one line what they are set to.
    let is_of_list = view.takes_query() && view.part.has_whole_table();
    html! {
        @if !controlled.is_empty() {
            form.controls.applies[is_of_list] method="get" action=(request.path()) {
                @for (name, param) in &controlled {
                    @let paged = paged_limit(view, param);
                    (field(&context, name, paged.as_ref().unwrap_or(param), request.get(name)))
                }
                @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
                div.field.apply { button { "Show" } }
                @if is_of_list && controlled.iter().any(|(name, _)| request.get(name).is_some()) { a.clear href=(request.path()) { "Clear" } }
            }
            @if !is_of_list { (chips(view, &controlled)) (repeated_symbols(request, &controlled)) }
        }
    }
}

/// Returns the parameters with controls, each with its name on the page: those whose values the page does not set itself.
fn controlled_params(view: PartView<'_>) -> Vec<(&str, &Param)> {
    let Some(call) = view.part.call(view.request.market) else { return Vec::new() };
    let has_pager = view.part.has_whole_table();
    let params = view.operation.params.iter().filter(|param| {
        let is_page = has_pager && param.name == "page";
        // The page of a watchlist is about that list.
        let is_subject = param.takes_watchlists && view.request.page.path == "list";
        !is_page && !is_subject && !PARAMS_SHOWN_ELSEWHERE.contains(&param.name.as_str())
    });
    let with_names =
        params.filter_map(|param| match call.arguments.iter().find(|(name, _)| *name == param.name) {
            None if !view.part.takes_query => None,
            None => Some((param.name.as_str(), param)),
            Some((_, Argument::Each)) => view.part.each.as_deref().map(|name| (name, param)),
            Some((_, argument)) => argument.query().map(|name| (name, param)),
        });
    with_names.collect()
}

/// Returns the limit of a list whose pages have another number of rows by default than its operation; `None` for other parameters.
fn paged_limit(view: PartView<'_>, param: &Param) -> Option<Param> {
    let is_paged =
        view.part.has_whole_table() && view.operation.answers_from_select() && view.operation.run.is_none();
    let rows = Value::Int(i64::try_from(DEFAULT_ROWS).ok()?);
    (is_paged && param.name == "limit").then(|| Param { default: Some(rows), ..param.clone() })
}

fn chips(view: PartView<'_>, controlled: &[(&str, &Param)]) -> Markup {
    let request = view.request;
    let chips = controlled.iter().flat_map(|(name, param)| {
        values(request, name, param).into_iter().map(|value| (*name, *param, value)).collect::<Vec<_>>()
    });
    let chips: Vec<(&str, &Param, &str)> = chips.collect();
    // The chip of a stock removes only this stock from the list.
    let without = |name: &str, param: &Param, value: &str| {
        let rest: Vec<&str> =
            values(request, name, param).into_iter().filter(|other| *other != value).collect();
        let rest = Some(rest.join(",")).filter(|rest| !rest.is_empty());
        request.address_with(&[(name, rest.as_deref()), ("offset", None)])
    };
    html! {
        @if !chips.is_empty() {
            ul.chips aria-label="Parameters" {
                @for (name, param, value) in &chips {
                    li {
                        a href=(without(name, param, value)) aria-label={ "Without " (title(name, None)) " " (format_value(view, param, value)) } {
                            (title(name, None)) " " b { (format_value(view, param, value)) } span.mark aria-hidden="true" { " ×" }
                        }
                    }
                }
                @if chips.len() > 1 { li { a href=(request.path()) { "Clear all" } } }
            }
        }
    }
}

/// Says which symbols are named more than once.
fn repeated_symbols(request: &PageRequest, controlled: &[(&str, &Param)]) -> Markup {
    let lists = controlled.iter().filter(|(_, param)| param.is_symbols());
    let items = lists.flat_map(|(name, _)| request.items(name));
    let repeated: BTreeSet<String> =
        items.filter(|(_, is_repeated)| *is_repeated).map(|(item, _)| item.to_uppercase()).collect();
    html! {
        @if !repeated.is_empty() {
            p.soft { "Named more than once, and shown once: " (repeated.into_iter().collect::<Vec<_>>().join(", ")) "." }
        }
    }
}

/// Returns the values of a parameter that have a chip each: the symbols of a list, else its value.
fn values<'a>(request: &'a PageRequest, name: &str, param: &Param) -> Vec<&'a str> {
    if param.is_symbols() { request.list(name).collect() } else { request.get(name).into_iter().collect() }
}

/// Formats a value for readers.
fn format_value(view: PartView<'_>, param: &Param, value: &str) -> String {
    view.operation.label(&param.name, value).map_or_else(|| dates_in(value).replace('_', " "), str::to_owned)
}

/// Returns the URL that orders a list by a column, and the present direction (`ascending` or `descending`) if the list is ordered by it.
/// The operation orders the rows if it can; otherwise the page does.
pub(super) fn order_link(view: PartView<'_>, column: &str) -> Option<(String, Option<&'static str>)> {
    let present = present_order(view.request, column);
    if let Some((address, order)) = operation_order_link(view, column) {
        return Some((address, order.filter(|_| view.request.get(ORDER).is_none())));
    }
    let ty = view.rows.column(column).map(|column| column.ty);
    if !view.operation.answers_from_select()
        || matches!(ty, Some(ColumnType::Rows | ColumnType::Row | ColumnType::Texts))
    {
        return None;
    }
    // Names begin with the first letter, figures and dates with the largest.
    let is_rising = present.map_or(ty == Some(ColumnType::Text), |is_rising| !is_rising);
    let order = order_by(column, is_rising);
    let address = view.request.address_with(&[
        (ORDER, Some(order.as_str())),
        ("sort_by", None),
        ("sort_dir", None),
        ("offset", None),
        ("page", None),
    ]);
    Some((address, present.map(|is_rising| if is_rising { "ascending" } else { "descending" })))
}

/// Returns the URL at which the operation orders its rows by a column, and the present direction as [`order_link`]; `None` if the operation
/// cannot order by it.
pub(super) fn operation_order_link(
    view: PartView<'_>,
    column: &str,
) -> Option<(String, Option<&'static str>)> {
    const SORT_PARAM: &str = "sort_by";
    const DIRECTION: &str = "sort_dir";
    let by = view.operation.param(SORT_PARAM)?;
    let words = by.allowed_words().filter(|_| view.takes_query())?;
    let word = words.iter().find(|word| is_of_field(column, word))?.as_str();
    // The order that the answer states has precedence over the requested one.
    let sorted_by = view.rows.around.get("sorted_by").and_then(serde_json::Value::as_str);
    let (is_present, is_rising) =
        if let Some((field, direction)) = sorted_by.and_then(|sorted_by| sorted_by.split_once(' ')) {
            (is_of_field(field, word), direction == "asc")
        } else {
            let default = default_order(view.operation, words, word);
            let is_present = view.request.get(SORT_PARAM).map_or(default, |requested| requested == word);
            (is_present, view.request.get(DIRECTION) == Some("asc"))
        };
    let is_toggled = is_present && !is_rising && view.operation.param(DIRECTION).is_some();
    let direction = is_toggled.then_some("asc");
    let address = view.request.address_with(&[
        (SORT_PARAM, Some(word)),
        (DIRECTION, direction),
        (ORDER, None),
        ("offset", None),
    ]);
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

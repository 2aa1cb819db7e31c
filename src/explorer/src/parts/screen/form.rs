//! The form of a screen: a sentence in one wide field, and ranges of figures, each with its unit. Other parameters are hidden fields. So is
//! the present sentence: when another one is sent, the server drops the parameters that depended on it.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::{title, unit};
use crate::part_view::PartView;
use crate::parts::field::{FieldContext, field};
use crate::request::{QUERY, SAID};
use parquote_catalogue::operation::{Market, Param, ParamType, ValueLimits};
use parquote_handlers::{FORMULAS, SCREEN_RANGES};

/// Parameters left out of the form.
const OMITTED_PARAMS: [&str; 2] = ["offset", "page"];
/// Parameter among the limits that is no range.
const LIQUIDITY: &str = "liquidity";

pub(super) fn form(view: PartView<'_>) -> Markup {
    let request = view.request;
    let limits = || view.operation.params.iter().filter(|param| is_limit(&param.name));
    let is_in_form = |name: &str| name == QUERY || is_limit(name) || OMITTED_PARAMS.contains(&name);
    let hidden = request.pairs.iter().filter(|(name, _)| !is_in_form(name));
    let longest = view.operation.param(QUERY).and_then(Param::longest);
    let example = match request.market {
        Market::India if lacks_industries(view) => "midcap, RS above 80, near the 52-week high",
        Market::India => "midcap pharma, ROE above 20, RS above 80, by RS",
        Market::Us => "large cap tech, RS above 80, near the 52-week high",
    };
    let context = FieldContext::for_part(view);
    html! {
        form.screen method="get" action=(request.path()) role="search" aria-label="Screen" {
            div.sentence {
                input type="search" name=(QUERY) value=[request.get(QUERY)] maxlength=[longest] placeholder=(example)
                    aria-label="What you look for, in words" autocomplete="off" spellcheck="false";
                button { "Screen" }
            }
            details.limits open[limits().any(|param| request.get(&param.name).is_some())] {
                summary { "Limits and formulas" }
                div.ranges {
                    @for (name, column) in SCREEN_RANGES { (range(view, name, column)) }
                    @for name in [LIQUIDITY].into_iter().chain(FORMULAS) {
                        @if let Some(param) = view.operation.param(name) { (field(&context, name, param, request.get(name))) }
                    }
                    div.field { button { "Show" } output {} }
                }
            }
            input type="hidden" name=(SAID) value=[request.get(QUERY)];
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
        }
    }
}

/// Returns true if the data has no industries, so that words for one are not understood.
fn lacks_industries(view: PartView<'_>) -> bool {
    let counts = view.rows.around.get("facets").and_then(Json::as_array);
    let is_industry = |count: &Json| count.get("facet").and_then(Json::as_str) == Some("industry");
    counts.is_some_and(|counts| !counts.is_empty() && !counts.iter().any(is_industry))
}

fn is_limit(name: &str) -> bool {
    name.starts_with("min_") || name.starts_with("max_") || name == LIQUIDITY || FORMULAS.contains(&name)
}

/// Builds two boxes for a figure.
fn range(view: PartView<'_>, name: &str, column: &str) -> Markup {
    // The column of the size is another in each market, as its unit differs.
    let column = match (column, view.request.market) {
        ("", Market::India) => "market_cap_cr",
        ("", Market::Us) => "market_cap_b",
        (column, _) => column,
    };
    let figure = view.rows.column(column);
    let unit = unit(figure, view.request.market);
    html! {
        div.field.range {
            span { (title(column, figure)) @if !unit.is_empty() { " " small { (unit) } } }
            span.ends { (end(view, &format!("min_{name}"), "from")) (end(view, &format!("max_{name}"), "to")) }
        }
    }
}

fn end(view: PartView<'_>, name: &str, words: &str) -> Markup {
    let Some(param) = view.operation.param(name) else { return html! {} };
    let (low, high) = match param.limits {
        ValueLimits::Range(low, high) => (low, high),
        _ => (None, None),
    };
    let step = if param.ty == ParamType::Int { "1" } else { "any" };
    html! {
        input type="number" name=(name) value=[view.request.get(name)] min=[low] max=[high] step=(step) placeholder=(words)
            aria-label=(title(name, None)) title=(param.full_description());
    }
}

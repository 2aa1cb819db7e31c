//! A parameter as a control of a form: what it may be decides which, and its default is told, not sent.

use maud::{Markup, html};

use crate::engine::Snapshot;
use crate::operation::{Market, Param, ParamType, ValueLimits};
use crate::surface::pages::column_title::title;
use crate::surface::wording;

/// The longest list of values that is a choice rather than a text.
const LONGEST_CHOICE: usize = 80;

/// Where a control stands: whose values it has, and what makes its id its own.
pub(super) struct FieldPlace<'a> {
    /// The data with the values that there are.
    pub snapshot: &'a Snapshot,
    /// The market.
    pub market: Market,
    /// Stands before its id.
    pub id: &'a str,
}

/// A control with its label; `name` is what the form calls it.
pub(super) fn field(place: &FieldPlace<'_>, name: &str, param: &Param, value: Option<&str>) -> Markup {
    let id = format!("{}-{name}", place.id);
    html! {
        div.field {
            label for=(id) title=(param.full_description()) { (title(name, None)) @if param.required() { " *" } }
            (control(place, param, value, (&id, name)))
        }
    }
}

fn control(place: &FieldPlace<'_>, param: &Param, value: Option<&str>, (id, name): (&str, &str)) -> Markup {
    let default = wording::default(param);
    if let Some(words) = choices(place, param) {
        return html! {
            select id=(id) name=(name) required[param.required()] {
                @if !param.required() { option value="" { (default.as_deref().map_or("any".to_owned(), |word| word.replace('_', " "))) } }
                @for word in words.iter().filter(|word| Some(*word) != default.as_ref()) {
                    option value=(word) selected[is_same(value, word)] { (word.replace('_', " ")) }
                }
            }
        };
    }
    let placeholder = default.unwrap_or_default();
    let (low, high) = match (&param.limits, param.ty) {
        (ValueLimits::Range(low, high), ParamType::Int | ParamType::Number) => (*low, *high),
        _ => (None, None),
    };
    let (kind, step) = match param.ty {
        ParamType::Int => ("number", Some("1")),
        ParamType::Number => ("number", Some("any")),
        ParamType::Date => ("date", None),
        _ => ("text", None),
    };
    html! {
        input id=(id) name=(name) type=(kind) value=[value] placeholder=[Some(placeholder).filter(|text| !text.is_empty())]
            min=[low] max=[high] step=[step] required[param.required()] autocomplete="off" spellcheck="false";
    }
}

/// The values to choose from, where there are few.
fn choices(place: &FieldPlace<'_>, param: &Param) -> Option<Vec<String>> {
    match (&param.limits, param.ty, &param.lookup) {
        (ValueLimits::Words(words), ..) => Some(words.clone()),
        (_, ParamType::Bool, _) => Some(vec!["true".to_owned(), "false".to_owned()]),
        (_, ParamType::Text, Some(lookup)) => {
            let known = place.snapshot.values(place.market, &lookup.table);
            (1..=LONGEST_CHOICE).contains(&known.len()).then_some(known)
        }
        _ => None,
    }
}

fn is_same(value: Option<&str>, word: &str) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case(word))
}

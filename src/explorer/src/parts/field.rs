//! A parameter as a control of a form: what it may be decides which, and its default is told, not sent. A secret is never shown again.

use maud::{Markup, html};

use crate::column_title::title;
use crate::part_view::PartView;
use parquote_catalogue::operation::{Catalogue, Market, Operation, Param, ParamType, ValueLimits};
use parquote_engine::Snapshot;
use parquote_surface::wording;

/// The longest list of values that is a choice rather than a text.
const LONGEST_CHOICE: usize = 80;
/// A text that may be longer than this, in characters, has several lines.
const LONGEST_LINE: f64 = 200.0;

/// Where a control stands: whose values it has, and what makes its id its own.
pub(super) struct FieldPlace<'a> {
    /// The declarations with the values that there are, such as providers.
    pub catalogue: &'a Catalogue,
    /// What the form is about.
    pub operation: &'a Operation,
    /// The data with the values that there are.
    pub snapshot: &'a Snapshot,
    /// The market.
    pub market: Market,
    /// Stands before its id.
    pub id: &'a str,
}

impl<'a> FieldPlace<'a> {
    /// In a form of a part, about the operation of the part.
    pub(super) fn of(view: PartView<'a>) -> Self {
        Self {
            catalogue: view.catalogue,
            operation: view.operation,
            snapshot: view.snapshot,
            market: view.request.market,
            id: view.part.id,
        }
    }
}

/// A control with its label; `name` is what the form calls it.
pub(super) fn field(place: &FieldPlace<'_>, name: &str, param: &Param, value: Option<&str>) -> Markup {
    let id = format!("{}-{name}", place.id);
    html! {
        div.field.wide[is_long(param)] {
            label for=(id) title=(param.full_description()) { (title(name, None)) @if param.required() { " *" } }
            (control(place, param, value, (&id, name)))
        }
    }
}

fn control(place: &FieldPlace<'_>, param: &Param, value: Option<&str>, (id, name): (&str, &str)) -> Markup {
    let default = wording::default(param);
    if let Some(words) = choices(place, param) {
        let choice = |word: &String| {
            place.operation.label(&param.name, word).map_or_else(|| choice(word), str::to_owned)
        };
        return html! {
            select id=(id) name=(name) required[param.required()] {
                @if !param.required() { option value="" { (default.as_ref().map_or_else(|| "any".to_owned(), choice)) } }
                @for word in words.iter().filter(|word| Some(*word) != default.as_ref()) {
                    option value=(word) selected[is_same(value, word)] { (choice(word)) }
                }
            }
        };
    }
    let (shortest, longest) = length(param);
    if param.secret {
        return html! {
            input id=(id) name=(name) type="password" minlength=[shortest] maxlength=[longest] required[param.required()] autocomplete="off" spellcheck="false";
        };
    }
    if is_long(param) {
        return html! {
            textarea id=(id) name=(name) rows="3" minlength=[shortest] maxlength=[longest] required[param.required()] { (value.unwrap_or_default()) }
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
            min=[low] max=[high] step=[step] minlength=[shortest] maxlength=[longest] required[param.required()] autocomplete="off" spellcheck="false";
    }
}

/// A value to choose as people say it.
fn choice(word: &str) -> String {
    match word {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => word.replace('_', " "),
    }
}

/// The fewest and the most characters of a text.
fn length(param: &Param) -> (Option<f64>, Option<f64>) {
    match (&param.limits, param.ty) {
        (ValueLimits::Range(shortest, longest), ParamType::Text) => (*shortest, *longest),
        _ => (None, None),
    }
}

/// Whether a text has room for more than a line.
fn is_long(param: &Param) -> bool {
    !param.secret && length(param).1.is_some_and(|longest| longest > LONGEST_LINE)
}

/// The values to choose from, where there are few.
fn choices(place: &FieldPlace<'_>, param: &Param) -> Option<Vec<String>> {
    if let Some(folder) = &param.folder {
        return Some(place.catalogue.declared_names(folder));
    }
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

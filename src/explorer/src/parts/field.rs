//! A parameter as a form control, chosen by its allowed values; its default is shown, not sent. A secret is never shown again.

use maud::{Markup, html};

use crate::column_title::title;
use crate::part_view::PartView;
use parquote_catalogue::operation::{Catalogue, Market, Operation, Param, ParamType, ValueLimits};
use parquote_engine::Snapshot;
use parquote_surface::wording;

/// Maximum number of values of a choice; more make a text field.
const LONGEST_CHOICE: usize = 80;
/// A text that may have more characters than this gets several lines.
const LONGEST_LINE: f64 = 200.0;

/// Context of a control: sources of its values, and the prefix of its id.
pub(super) struct FieldContext<'a> {
    /// Declarations with lists of values, such as providers.
    pub catalogue: &'a Catalogue,
    /// Operation of the form.
    pub operation: &'a Operation,
    /// Data with lists of values.
    pub snapshot: &'a Snapshot,
    /// Market whose values are offered.
    pub market: Market,
    /// Prefix of the control's id.
    pub id: &'a str,
}

impl<'a> FieldContext<'a> {
    /// Builds the context for a form of a part, for the part's operation.
    pub(super) fn for_part(view: PartView<'a>) -> Self {
        Self {
            catalogue: view.catalogue,
            operation: view.operation,
            snapshot: view.snapshot,
            market: view.request.market,
            id: &view.part.id,
        }
    }
}

/// Builds a control with its label; `name` is its name in the form.
pub(super) fn field(context: &FieldContext<'_>, name: &str, param: &Param, value: Option<&str>) -> Markup {
    let id = format!("{}-{name}", context.id);
    html! {
        div.field.wide[is_long(param) || param.is_symbols()] {
            label for=(id) title=(param.full_description()) { (title(name, None)) @if param.is_required() { " *" } }
            (control(context, param, value, &id, name))
        }
    }
}

fn control(context: &FieldContext<'_>, param: &Param, value: Option<&str>, id: &str, name: &str) -> Markup {
    let default = wording::default(param);
    if let Some(words) = choices(context, param) {
        let choice = |word: &String| {
            context.operation.label(&param.name, word).map_or_else(|| choice(word), str::to_owned)
        };
        return html! {
            select id=(id) name=(name) required[param.is_required()] {
                @if !param.is_required() { option value="" { (default.as_ref().map_or_else(|| "any".to_owned(), choice)) } }
                @for word in words.iter().filter(|word| Some(*word) != default.as_ref()) {
                    option value=(word) selected[is_same(value, word)] { (choice(word)) }
                }
            }
        };
    }
    let (shortest, longest) = length(param);
    if param.secret {
        return html! {
            input id=(id) name=(name) type="password" minlength=[shortest] maxlength=[longest] required[param.is_required()] autocomplete="off" spellcheck="false";
        };
    }
    if is_long(param) {
        return html! {
            textarea id=(id) name=(name) rows="3" minlength=[shortest] maxlength=[longest] required[param.is_required()] { (value.unwrap_or_default()) }
        };
    }
    let symbols = symbols_taken(param);
    let placeholder = default.or_else(|| symbols.map(|_| "Symbol or name".to_owned())).unwrap_or_default();
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
            min=[low] max=[high] step=[step] minlength=[shortest] maxlength=[longest] required[param.is_required()] autocomplete="off" spellcheck="false" data-symbols=[symbols];
    }
}

/// Returns the number of symbols that a field takes, for its suggestions: `one` or `list`; `None` for other fields.
fn symbols_taken(param: &Param) -> Option<&'static str> {
    match (param.is_symbol(), param.is_symbols()) {
        (true, _) => Some("one"),
        (_, true) => Some("list"),
        _ => None,
    }
}

/// Writes a value of a choice for readers.
fn choice(word: &str) -> String {
    match word {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => word.replace('_', " "),
    }
}

/// Returns the minimum and the maximum number of characters of a text.
fn length(param: &Param) -> (Option<f64>, Option<f64>) {
    match (&param.limits, param.ty) {
        (ValueLimits::Range(shortest, longest), ParamType::Text) => (*shortest, *longest),
        _ => (None, None),
    }
}

/// Returns true if a text gets more than one line.
fn is_long(param: &Param) -> bool {
    !param.secret && length(param).1.is_some_and(|longest| longest > LONGEST_LINE)
}

/// Returns the values to choose from; `None` for a parameter without a list of values, or with too many.
fn choices(context: &FieldContext<'_>, param: &Param) -> Option<Vec<String>> {
    if let Some(folder) = &param.folder {
        return Some(context.catalogue.declared_names(folder));
    }
    match (&param.limits, param.ty, &param.lookup) {
        (ValueLimits::Words(words), ..) => Some(words.clone()),
        (_, ParamType::Bool, _) => Some(vec!["true".to_owned(), "false".to_owned()]),
        (_, ParamType::Text, Some(lookup)) => {
            let values = context.snapshot.values(context.market, &lookup.table);
            (1..=LONGEST_CHOICE).contains(&values.len()).then_some(values)
        }
        _ => None,
    }
}

fn is_same(value: Option<&str>, word: &str) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case(word))
}

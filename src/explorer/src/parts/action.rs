//! A form that changes data. It is sent with POST, so that a followed link changes nothing, and is shown only if its condition holds.

use maud::{Markup, html};

use super::field::{FieldContext, field};
use crate::part_view::PartView;
use crate::request::PageRequest;
use crate::view_spec::ActionSpec;

/// Builds the form; the operation and the values of the parameters in `spec.known` are hidden fields.
pub(super) fn action(view: PartView<'_>, spec: &ActionSpec) -> Markup {
    let request = view.request;
    let first = view.rows.rows.first();
    let hidden_value = |name: &str| {
        let value = first.and_then(|row| row.get(name));
        let value = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        value.or_else(|| request.get(name).map(str::to_owned))
    };
    let is_offered = spec.only.as_ref().is_none_or(|(column, word)| {
        first.and_then(|row| row.get(column)).and_then(serde_json::Value::as_str) == Some(word.as_str())
    });
    let Some(operation) = view.catalogue.operation(&spec.operation).filter(|_| is_offered) else {
        return html! {};
    };
    if request.reader.is_guest {
        return html! { p.none { "Sign in with a key to " a href="/login" { (spec.label.to_lowercase()) } "." } };
    }
    let id = format!("{}-{}", view.part.id, spec.operation.replace('/', "-"));
    let context = FieldContext { operation, id: &id, ..FieldContext::for_part(view) };
    let params =
        operation.params.iter().filter(|param| param.name != "market" && !spec.known.contains(&param.name));
    let preset_value = |name: &str| {
        spec.preset.iter().find(|(parameter, _)| parameter == name).map(|(_, value)| value.as_str())
    };
    html! {
        form.controls.action method="post" action=(request.address()) aria-label=(spec.label) {
            input type="hidden" name="operation" value=(spec.operation);
            @for name in &spec.known {
                @if let Some(value) = hidden_value(name) { input type="hidden" name=(name) value=(value); }
            }
            @for param in params { (field(&context, &param.name, param, initial_value(request, &param.name).as_deref().or_else(|| preset_value(&param.name)))) }
            div.field { button { (spec.label) } }
        }
    }
}

/// Returns the initial value of a field: that of the page's query, or for the field `goal` a text with the ticked stocks.
fn initial_value(request: &PageRequest, name: &str) -> Option<String> {
    let of_ticked = || {
        request
            .get("symbols")
            .map(|symbols| format!("Of these stocks, {symbols}: "))
            .filter(|_| name == "goal")
    };
    request.get(name).map(str::to_owned).or_else(of_ticked)
}

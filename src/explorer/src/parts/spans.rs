//! A choice of spans as links, and a form for a span between two dates. Each replaces the other.

use maud::{Markup, html};

use super::choices::unknown_word;
use super::field::{FieldContext, field};
use crate::part_view::PartView;
use crate::spec::ChoiceSpec;

/// Parameters of a span between two dates.
const SPAN_PARAMS: [&str; 2] = ["from", "to"];

pub(super) fn spans(view: PartView<'_>, choice: &ChoiceSpec) -> Markup {
    let request = view.request;
    let has_dates = SPAN_PARAMS.iter().any(|name| request.get(name).is_some());
    let chosen = choice.chosen_word(request.get(choice.parameter())).map(|(word, _)| word);
    let context = FieldContext::for_part(view);
    let is_retained = |name: &str| name != choice.parameter() && !SPAN_PARAMS.contains(&name);
    let others = request.pairs.iter().filter(|(name, _)| is_retained(name));
    html! {
        nav.choices aria-label=(choice.label) {
            @for (word, _) in &choice.words {
                @let value = (*word != choice.default).then_some(word.as_str());
                a href=(request.address_with(&[(choice.parameter(), value), ("from", None), ("to", None)])) aria-current=[(!has_dates && chosen == Some(word)).then_some("true")] { (word) }
            }
            (unknown_word(request, choice))
        }
        details.own-span open[has_dates] {
            summary { "From and to" }
            form.controls method="get" action=(request.path()) {
                @for name in SPAN_PARAMS {
                    @if let Some(param) = view.operation.param(name) { (field(&context, name, param, request.get(name))) }
                }
                @for (name, value) in others { input type="hidden" name=(name) value=(value); }
                div.field { button { "Show" } }
            }
        }
    }
}

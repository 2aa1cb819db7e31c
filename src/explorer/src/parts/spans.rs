//! A choice of spans as links, and a form for a span between two dates. Each replaces the other.

use maud::{Markup, html};

use super::field::{FieldContext, field};
use crate::part_view::PartView;
use crate::spec::ChoiceSpec;

/// Parameters of a span between two dates.
const OWN: [&str; 2] = ["from", "to"];

pub(super) fn spans(view: PartView<'_>, choice: &ChoiceSpec) -> Markup {
    let request = view.request;
    let is_own = OWN.iter().any(|name| request.get(name).is_some());
    let asked = request.get(choice.parameter()).unwrap_or(&choice.default);
    let place = FieldContext::for_part(view);
    let is_kept = |name: &str| name != choice.parameter() && !OWN.contains(&name);
    let others = request.pairs.iter().filter(|(name, _)| is_kept(name));
    html! {
        nav.choices aria-label=(choice.label) {
            @for (word, _) in &choice.words {
                @let said = (*word != choice.default).then_some(word.as_str());
                a href=(request.with(&[(choice.parameter(), said), ("from", None), ("to", None)])) aria-current=[(!is_own && asked == word).then_some("true")] { (word) }
            }
        }
        details.own-span open[is_own] {
            summary { "From and to" }
            form.controls method="get" action=(request.path()) {
                @for name in OWN {
                    @if let Some(param) = view.operation.param(name) { (field(&place, name, param, request.get(name))) }
                }
                @for (name, value) in others { input type="hidden" name=(name) value=(value); }
                div.field { button { "Show" } }
            }
        }
    }
}

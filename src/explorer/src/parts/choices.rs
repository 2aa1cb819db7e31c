//! Links for a choice: the words beside each other, the present one marked.

use maud::{Markup, html};

use crate::request::PageRequest;
use crate::spec::ChoiceSpec;

pub(super) fn choices(request: &PageRequest, choice: &'static ChoiceSpec) -> Markup {
    let asked = request.get(choice.name).unwrap_or(choice.default);
    html! {
        nav.choices aria-label=(choice.label) {
            @for (word, _) in choice.words {
                @let said = (*word != choice.default).then_some(*word);
                a href=(request.with(&[(choice.name, said)])) aria-current=[(asked == *word).then_some("true")] { (word) }
            }
        }
    }
}

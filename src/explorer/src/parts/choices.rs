//! Links for a choice: the words in a row, the present one marked.

use maud::{Markup, html};

use crate::request::PageRequest;
use crate::spec::ChoiceSpec;

pub(super) fn choices(request: &PageRequest, choice: &ChoiceSpec) -> Markup {
    let asked = request.get(choice.parameter()).unwrap_or(&choice.default);
    html! {
        nav.choices aria-label=(choice.label) {
            @for (word, _) in &choice.words {
                @let said = (*word != choice.default).then_some(word.as_str());
                a href=(request.with(&[(choice.parameter(), said)])) aria-current=[(asked == word).then_some("true")] { (word) }
            }
        }
    }
}

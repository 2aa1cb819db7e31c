//! Links for a choice: its words in a row, with a mark at the chosen one.

use maud::{Markup, html};

use crate::request::PageRequest;
use crate::spec::ChoiceSpec;

pub(super) fn choices(request: &PageRequest, choice: &ChoiceSpec) -> Markup {
    let chosen = choice.chosen_word(request.get(choice.parameter())).map(|(word, _)| word);
    html! {
        nav.choices aria-label=(choice.label) {
            // "On" says nothing alone.
            @if choice.words.iter().any(|(word, _)| word == "on") { span.soft aria-hidden="true" { (choice.label) } }
            @for (word, _) in &choice.words {
                @let value = (*word != choice.default).then_some(word.as_str());
                a href=(request.address_with(&[(choice.parameter(), value), ("offset", None)])) aria-current=[(chosen == Some(word)).then_some("true")] { (word.replace('_', " ")) }
            }
            (unknown_word(request, choice))
        }
    }
}

/// Shows a message if the requested word is not one of the choice.
pub(super) fn unknown_word(request: &PageRequest, choice: &ChoiceSpec) -> Markup {
    let unknown = request.get(choice.parameter()).filter(|text| choice.find(text).is_none());
    html! { @if let Some(text) = unknown { span.none { "There is no “" (text) "”." } } }
}

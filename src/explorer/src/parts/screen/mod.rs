//! A screen: the sentence and the limits that ask, the conditions that they were read as, counts to choose from, and the rows.

mod charts;
mod conditions;
mod counts;
mod form;

use maud::{Markup, html};

use super::choices::choices;
use super::table::table;
use crate::part_view::PartView;
use crate::spec::{ChoiceSpec, Given, TableSpec};

/// The whole of it; of a refused one the form alone.
pub(super) fn screen(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let is_answered = !view.rows.columns.is_empty();
    let shown_as = shown_as(view);
    let asked = shown_as.and_then(|choice| view.request.get(choice.name));
    html! {
        (form::form(view))
        @if is_answered {
            (conditions::conditions(view))
            div.screen-body data-screen {
                div.screen-rows {
                    @if let Some(choice) = shown_as { (choices(view.request, choice)) }
                    @if asked == Some(charts::CHARTS) { (charts::charts(view, spec)) } @else { (table(view, spec)) }
                }
                (counts::counts(view))
            }
        }
    }
}

/// The choice of how rows are shown, which also says how many.
fn shown_as(view: PartView<'_>) -> Option<&'static ChoiceSpec> {
    let arguments = view.part.ask(view.request.market)?.arguments;
    arguments.iter().find_map(|(_, given)| match given {
        Given::Chosen(choice) => Some(*choice),
        _ => None,
    })
}

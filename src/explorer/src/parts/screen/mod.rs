//! A screen: the sentence and the limits, the conditions derived from them, counts to choose from, and the rows.

mod charts;
mod conditions;
mod counts;
mod form;

use maud::{Markup, html};

use super::choices::choices;
use super::table::table;
use crate::part_view::PartView;
use crate::spec::{Argument, ChoiceSpec, TableSpec};

/// Shows the whole screen; if it was refused, only the form.
pub(super) fn screen(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let is_answered = !view.rows.columns.is_empty();
    let shown_as = shown_as(view);
    let asked = shown_as.and_then(|choice| view.request.get(choice.parameter()));
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

/// Returns the choice of how rows are shown, which also decides their number.
fn shown_as(view: PartView<'_>) -> Option<&ChoiceSpec> {
    let arguments = &view.part.call(view.request.market)?.arguments;
    arguments.iter().find_map(|(_, argument)| match argument {
        Argument::Choice(name) => view.request.page.choice(name),
        _ => None,
    })
}

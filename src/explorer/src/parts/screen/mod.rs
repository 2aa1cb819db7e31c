//! A screen: the sentence and the limits, the conditions derived from them, counts to choose from, and the rows.

mod conditions;
mod counts;
mod form;

use maud::{Markup, html};
use serde_json::Value as Json;

use super::stocks::stocks;
use crate::part_view::PartView;
use crate::view_spec::TableSpec;

/// Shows the whole screen; if it was refused, only the form.
pub(super) fn screen(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let is_answered = !view.rows.columns.is_empty();
    // Of a sentence that was not understood nothing is listed, and one message says so.
    let not_understood = view.rows.around.get("not_understood").and_then(Json::as_array);
    let is_listed = is_answered && not_understood.is_none_or(Vec::is_empty);
    html! {
        (form::form(view))
        @if is_answered { (conditions::conditions(view)) }
        @if is_listed {
            div.screen-body data-screen {
                (stocks(view, spec))
                (counts::counts(view))
            }
        }
    }
}

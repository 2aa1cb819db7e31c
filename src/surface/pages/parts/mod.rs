//! The parts of a page, a file each. Every one writes what it is given; none knows which page it stands on.

mod action;
mod bars;
mod checks;
mod choices;
mod chooser;
mod controls;
mod drawing;
mod earlier;
mod facts;
mod field;
mod figures;
mod onward;
mod pager;
mod prose;
mod refusal;
mod request_panel;
mod scores;
mod screen;
mod side_by_side;
mod table;

use maud::{Markup, html};

pub(super) use self::facts::facts;
pub(super) use self::refusal::{absence, refusal, refusal_words};
pub(super) use self::request_panel::{PanelCall, request_panel};
use super::part_view::PartView;
use super::spec::View;

/// A part whose answer is there.
pub(super) fn answered(view: PartView<'_>) -> Markup {
    html! { @for one in view.part.views { (shown(view, one)) } }
}

/// A part whose answer was refused: what can still be asked of it.
pub(super) fn unanswered(view: PartView<'_>) -> Markup {
    let still = |view: &&View| matches!(view, View::Controls | View::Choices(_) | View::Screen(_));
    html! { @for one in view.part.views.iter().filter(still) { (shown(view, one)) } }
}

fn shown(view: PartView<'_>, one: &'static View) -> Markup {
    match one {
        View::Controls => controls::controls(view),
        View::Choices(choice) => choices::choices(view.request, choice),
        View::Figures(columns) => figures::figures(view, columns),
        View::Facts(columns) => facts::facts(view, columns),
        View::Checks(columns) => checks::checks(view, columns),
        View::Scores(columns) => scores::scores(view, columns),
        View::Rows(spec) => table::table(view, spec),
        View::Screen(spec) => screen::screen(view, spec),
        View::SideBySide { heading, columns } => side_by_side::side_by_side(view, heading, columns),
        View::Drawn(spec) => drawing::drawing(view, spec),
        View::Prose(columns) => prose::prose(view, columns),
        View::Action(spec) => action::action(view, spec),
        View::Onward(links) => onward::onward(view, links),
        View::Earlier { parameter, within } => earlier::earlier(view, parameter, within),
    }
}

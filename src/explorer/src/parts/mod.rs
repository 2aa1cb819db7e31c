//! The parts of a page, a file each. Every one writes what it is given; none knows which page it stands on.

mod action;
mod bars;
mod beside;
mod checks;
mod choices;
mod chooser;
mod controls;
mod drawing;
mod each_onward;
mod earlier;
mod events;
mod facts;
mod field;
mod figures;
mod gist;
mod near;
mod newest;
mod onward;
mod own;
mod pager;
mod periods;
mod prose;
mod refusal;
mod request_panel;
mod scores;
mod screen;
mod side_by_side;
mod spans;
mod sparks;
mod switches;
mod table;
mod verdict;

use maud::{Markup, html};

pub(super) use self::facts::facts;
pub(super) use self::own::{saved_screens, star};
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
    let still = |view: &&View| {
        matches!(
            view,
            View::Controls | View::Choices(_) | View::Spans(_) | View::Switches(_) | View::Screen(_)
        )
    };
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
        View::Verdict => verdict::verdict(view),
        View::OwnLists(_) => own::own_lists(view),
        View::OwnList => own::own_list(view),
        View::OwnScreens => own::own_screens(view),
        View::Earlier { parameter, within } => earlier::earlier(view, parameter, within),
        View::Stands(_) => html! {},
        View::Gist(spec) => gist::gist(view, spec),
        View::Beside(codes) => beside::beside(view, codes),
        View::Newest(columns) => newest::newest(view, columns),
        View::Periods(spec) => periods::periods(view, spec),
        View::Top(most, spec) => table::top(view, *most, spec),
        View::Sparks(columns) => sparks::sparks(view, columns),
        View::Events => events::events(view),
        View::EachOnward(words, pattern) => each_onward::each_onward(view, words, pattern),
        View::Compared => each_onward::compared(view),
        View::Spans(choice) => spans::spans(view, choice),
        View::Switches(switches) => switches::switches(view.request, switches),
    }
}

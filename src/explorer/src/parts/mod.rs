//! The views of a part, one file each: a function turns a [`PartView`] into HTML.

mod action;
mod additions;
mod bars;
mod checks;
mod choices;
mod chooser;
mod controls;
mod coverage;
mod drawing;
mod drawn_lines;
mod each_onward;
mod earlier;
mod events;
mod facts;
mod field;
mod figures;
mod gist;
mod marks;
mod matrix;
mod newest;
mod onward;
mod other_companies;
mod pager;
mod paragraphs;
mod period_age;
mod periods;
mod prose;
mod refusal;
mod request_panel;
mod saved_items;
mod scores;
mod screen;
mod sector_ratios;
mod side_by_side;
mod small_charts;
mod spans;
mod sparks;
mod stocks;
mod switches;
mod table;
mod tour;
mod verdict;

use maud::{Markup, html};

pub(super) use self::coverage::coverage;
pub(super) use self::facts::facts;
pub(super) use self::period_age::period_age;
pub(super) use self::refusal::{absence, refusal, refusal_words};
pub(super) use self::request_panel::{PanelCall, request_panel};
pub(super) use self::saved_items::{saved_screens, star, undo};
pub(super) use self::tour::tour;
use super::part_view::PartView;
use super::view_spec::View;

pub(super) fn show_answer(view: PartView<'_>) -> Markup {
    html! { @for one in &view.part.views { (show_view(view, one)) } }
}

/// Shows the controls of a refused part, so that the request can be changed.
pub(super) fn show_controls(view: PartView<'_>) -> Markup {
    let still = |view: &&View| {
        matches!(
            view,
            View::Controls | View::Choices(_) | View::Spans(_) | View::Switches(_) | View::Screen(_)
        )
    };
    html! { @for one in view.part.views.iter().filter(still) { (show_view(view, one)) } }
}

fn show_view(view: PartView<'_>, one: &View) -> Markup {
    let choice = |name: &String| view.request.page.choice(name);
    match one {
        View::Controls => controls::controls(view),
        View::Choices(name) => {
            html! { @if let Some(choice) = choice(name) { (choices::choices(view.request, choice)) } }
        }
        View::Figures(columns) => figures::figures(view, &names(columns)),
        View::Facts(columns) => facts::facts(view, &names(columns)),
        View::Checks(columns) => checks::checks(view, &names(columns)),
        View::Scores(columns) => scores::scores(view, &names(columns)),
        View::Rows(spec) => table::table(view, spec),
        View::Stocks(spec) => stocks::stocks(view, spec),
        View::Screen(spec) => screen::screen(view, spec),
        View::SideBySide { heading, columns } => side_by_side::side_by_side(view, heading, &names(columns)),
        View::Matrix(spec) => matrix::matrix(view, spec),
        View::Drawn(spec) => drawing::drawing(view, spec),
        View::Notice(spec) => prose::notice(view, spec),
        View::Paragraphs => paragraphs::paragraphs(view),
        View::Prose(columns) => prose::prose(view, &names(columns)),
        View::Action(spec) => action::action(view, spec),
        View::Onward(links) => onward::links(view, links),
        View::Verdict => verdict::verdict(view),
        View::Watchlists(_) => saved_items::watchlists(view),
        View::Watchlist => saved_items::watchlist_actions(view),
        View::SavedScreens => saved_items::screen_table(view),
        View::Drawings => drawn_lines::drawn_lines(view),
        View::Earlier { parameter, within } => earlier::date_links(view, parameter, within),
        View::Gist(spec) => gist::gist(view, spec),
        View::Beside(codes) => sector_ratios::ratio_table(view, &names(codes)),
        View::Newest(columns) => newest::newest_figures(view, &names(columns)),
        View::Periods(spec) => periods::periods(view, spec),
        View::Sparks(columns) => sparks::sparks(view, &names(columns)),
        View::Events => events::events(view),
        View::Marks => marks::marks(view),
        View::EachOnward(words, pattern) => each_onward::each_onward(view, words, pattern),
        View::Additions(parameter) => additions::additions(view, parameter),
        View::Compared => each_onward::compare_link(view),
        View::Spans(name) => html! { @if let Some(choice) = choice(name) { (spans::spans(view, choice)) } },
        View::Switches(switches) => switches::switches(view.request, switches),
        View::Files => pager::files_of_answer(view),
    }
}

/// Returns the declared names of columns as the parts take them.
fn names(columns: &[String]) -> Vec<&str> {
    columns.iter().map(String::as_str).collect()
}

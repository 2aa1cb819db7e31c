//! A table of stocks: a row for each with a small line, or a small chart for each, as the reader chose.

use maud::{Markup, html};

use super::bars::RowBars;
use super::choices::choices;
use super::small_charts::small_charts;
use super::table::table;
use crate::part_view::PartView;
use crate::stock_tables::VIEW;
use crate::view_spec::TableSpec;

pub(super) fn stocks(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let is_explained = view.rows.column("conditions").is_some();
    let has_charts = view.request.shows_charts(view.part) && !is_explained;
    // A key that may not see the bars has rows without lines, and no charts to choose.
    let is_chosen = has_charts || !is_explained && !RowBars::from_part(view, &spec.bars).is_empty();
    html! {
        div.screen-rows {
            @if let Some(choice) = view.request.page.choice(VIEW).filter(|_| is_chosen) { (choices(view.request, choice)) }
            @if has_charts { (small_charts(view, spec)) } @else { (table(view, spec)) }
        }
    }
}

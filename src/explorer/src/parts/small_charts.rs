//! Rows as small charts, a dozen a page: the name, the candles, and the figures by which the rows were chosen.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::bars::RowBars;
use super::pager::{extent, files, pager};
use super::table::shown_columns;
use crate::cell::{CellContext, cell};
use crate::links;
use crate::page_rows::{PageRow, text};
use crate::part_view::PartView;
use crate::view_spec::TableSpec;

/// Maximum number of figures below a chart.
const MOST_FIGURES: usize = 4;

pub(super) fn small_charts(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let bars = RowBars::from_part(view, &spec.bars);
    let columns = shown_columns(view, spec);
    let figures: Vec<&str> = columns
        .into_iter()
        .filter(|name| !matches!(*name, "symbol" | "company_name"))
        .take(MOST_FIGURES)
        .collect();
    html! {
        div.tools { (extent(view)) (files(view)) }
        ol.charts { @for row in &view.rows.rows { li { (chart(view, row, &bars, &figures)) } } }
        (pager(view))
    }
}

fn chart(view: PartView<'_>, row: &PageRow, bars: &RowBars<'_>, figures: &[&str]) -> Markup {
    let symbol = text(row, "symbol");
    let words = format!("Candles of {symbol} over {} sessions, with volume and RS line", bars.sessions());
    html! {
        h2 {
            @match links::value_address(view, "symbol", row, &[]) { Some(address) => a href=(address) { (symbol) }, None => (symbol) }
            " " small { (text(row, "company_name")) }
        }
        (bars.candles(row, &words))
        dl {
            @for name in figures {
                @let column = view.rows.column(name);
                @let cell = cell(row.get(*name).unwrap_or(&Json::Null), column, view.request.market, CellContext::Alone);
                div { dt { (view.title(name)) } dd class=(cell.class) { (cell.text) } }
            }
        }
    }
}

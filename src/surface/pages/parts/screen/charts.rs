//! The rows as small charts, a dozen a page: the name, the candles, and the figures that the rows were chosen by.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::surface::pages::cell::{CellPlace, cell};
use crate::surface::pages::column_title::title;
use crate::surface::pages::page_rows::{PageRow, text};
use crate::surface::pages::part_view::PartView;
use crate::surface::pages::parts::bars::RowBars;
use crate::surface::pages::parts::pager::{extent, files, pager};
use crate::surface::pages::parts::table::shown_columns;
use crate::surface::pages::places;
use crate::surface::pages::spec::TableSpec;

/// The word of the choice.
pub(super) const CHARTS: &str = "charts";

/// The figures under a chart.
const FIGURES: usize = 4;

pub(super) fn charts(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let bars = RowBars::of(view, spec.bars);
    let columns = shown_columns(view, spec);
    let figures: Vec<&str> = columns
        .into_iter()
        .filter(|name| !matches!(*name, "symbol" | "company_name"))
        .take(FIGURES)
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
        h3 {
            @match places::lead(view.request, "symbol", row, &[]) { Some(address) => a href=(address) { (symbol) }, None => (symbol) }
            " " small { (text(row, "company_name")) }
        }
        (bars.candles(row, &words))
        dl {
            @for name in figures {
                @let column = view.rows.column(name);
                @let cell = cell(row.get(*name).unwrap_or(&Json::Null), column, view.request.market, CellPlace::Alone);
                div { dt { (title(name, column)) } dd class=(cell.class) { (cell.text) } }
            }
        }
    }
}

//! Dated events as a list, in the given order: day, kind, event, actor, and amount.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::page_rows::PageRow;
use crate::part_view::PartView;
use crate::places;

/// Names of the kinds of events.
const KINDS: [(&str, &str); 8] = [
    ("result", "Results"),
    ("action", "Corporate action"),
    ("insider", "Insider"),
    ("deal", "Large deal"),
    ("order", "Order"),
    ("pledge", "Pledge"),
    ("band", "Price band"),
    ("filing", "Filing"),
];

pub(super) fn events(view: PartView<'_>) -> Markup {
    let is_of_one = view.request.symbol.is_some();
    html! {
        @if view.rows.rows.is_empty() { (view.nothing("Nothing in this time.")) }
        ol.events {
            @for row in &view.rows.rows { (event(view, row, is_of_one)) }
        }
    }
}

fn event(view: PartView<'_>, row: &PageRow, is_of_one: bool) -> Markup {
    let text = |name: &str| row.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    let kind = text("kind").unwrap_or_default();
    let words = KINDS.iter().find(|(known, _)| *known == kind).map_or(kind, |(_, words)| words);
    let what = text("what").unwrap_or_default();
    // A side that the text begins with, or that is neither of the two, is left out.
    let side = text("event_side").filter(|side| *side != "other" && !what.to_lowercase().starts_with(side));
    let value = ["value", "value_m"].iter().find_map(|name| {
        let value = row.get(*name).filter(|value| !value.is_null())?;
        Some(cell(value, view.rows.column(name), view.request.market, CellContext::Alone).text)
    });
    let day = text("event_date").unwrap_or_default();
    html! {
        li {
            time datetime=(day) { (day) }
            span.kind { (words) }
            span {
                @if !is_of_one {
                    @if let (Some(symbol), Some(address)) = (text("symbol"), places::lead(view.request, "symbol", row, &[])) {
                        a href=(address) { (symbol) } " "
                    }
                }
                @if let Some(side) = side { b.up[side == "buy" || side == "upper"].down[side == "sell" || side == "lower"] { (side) } " " }
                (what)
                @if let Some(who) = text("who") { span.soft { " · " (who) } }
            }
            span.n { (value.unwrap_or_default()) }
        }
    }
}

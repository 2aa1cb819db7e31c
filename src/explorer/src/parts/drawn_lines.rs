//! The levels and trend lines that the reader drew on the chart of a stock, as a list with a form that removes each, and a form that sets a
//! level. Scripts draw them on the interactive chart, and send the same forms for what is drawn there.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::saved_items::{button, target};
use crate::cell::{CellContext, cell};
use crate::page_rows::{PageRow, PageRows, text};
use crate::part_view::PartView;

// Operations of the forms.
const ADD: &str = "drawings/add";
const REMOVE: &str = "drawings/remove";

pub(super) fn drawn_lines(view: PartView<'_>) -> Markup {
    let (request, lines) = (view.request, view.rows.rows_within("drawings"));
    let (Some(symbol), Some(answer)) = (&request.symbol, view.rows.rows.first()) else { return html! {} };
    html! {
        @if lines.rows.is_empty() { p.none { "There is no drawing yet." } }
        ol.events {
            @for row in &lines.rows {
                @let number = row.get("number").map(Json::to_string).unwrap_or_default();
                li data-points=(points(row)) data-number=(number) {
                    time datetime=(text(row, "day")) { (figure(view, &lines, row, "day")) }
                    span.kind { @if text(row, "kind") == "level" { "Level" } @else { "Trend line" } }
                    span { (description(view, &lines, row)) }
                    (button(&target(request, REMOVE, true), &[("symbol", symbol.as_str()), ("number", number.as_str())], "Delete", &format!("drawing {number}")))
                }
            }
        }
        form.inline.draw method="post" action=(target(request, ADD, true)) aria-label="Draw a level" {
            input type="hidden" name="symbol" value=(symbol);
            input type="hidden" name="basis" value=(text(answer, "as_of"));
            input name="price" required inputmode="decimal" size="9" placeholder="Price" aria-label="Price of a level" autocomplete="off";
            button.small { "Draw a level" }
        }
        p.none { "Prices follow splits and bonuses, as those of the chart do. Only your keys show these drawings." }
    }
}

/// Returns the points of a drawing for scripts: each a day and a price.
fn points(row: &PageRow) -> String {
    let points = [("day", "price"), ("day_2", "price_2")].into_iter().filter_map(|(day, price)| {
        Some(format!("{} {}", row.get(day)?.as_str()?, row.get(price)?.as_f64()?))
    });
    points.collect::<Vec<_>>().join(" ")
}

/// Describes a drawing: a level with its distance from the last close, a trend line with its points.
fn description(view: PartView<'_>, lines: &PageRows, row: &PageRow) -> String {
    let figure = |name: &str| figure(view, lines, row, name);
    match row.get("pct_from_close") {
        Some(Json::Number(_)) => {
            format!("{}, {} from the last close", figure("price"), figure("pct_from_close"))
        }
        _ if row.get("day_2").is_some_and(Json::is_string) => {
            format!("{} to {} on {}", figure("price"), figure("price_2"), figure("day_2"))
        }
        _ => figure("price"),
    }
}

fn figure(view: PartView<'_>, lines: &PageRows, row: &PageRow, name: &str) -> String {
    let value = row.get(name).cloned().unwrap_or_default();
    cell(&value, lines.column(name), view.request.market, CellContext::Alone).text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_of_a_drawing_are_days_with_prices() {
        let of = |row: Json| points(row.as_object().unwrap());
        let level = json!({"day": "2026-10-30", "price": 105.5, "day_2": null, "price_2": null});
        assert_eq!(of(level), "2026-10-30 105.5");
        let trend = json!({"day": "2026-03-02", "price": 100.0, "day_2": "2026-09-01", "price_2": 130.25});
        assert_eq!(of(trend), "2026-03-02 100 2026-09-01 130.25");
    }
}

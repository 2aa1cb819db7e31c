//! Ratios of a company compared with its sector: its figure, the median of the peers, and its percentile, where 100 is best. A ratio of
//! today's price to figures of old statements is left out.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::period_age::OldPeriod;
use crate::market_words;
use crate::page_rows::{PageRow, text};
use crate::part_view::PartView;
use parquote_picture::number::format_grouped;

/// Maximum number of ratios next to a chart.
const MOST_RATIOS: usize = 12;
/// Ratios of today's price to figures of the statements.
const PRICE_RATIOS: [&str; 6] = ["pe", "pb", "ps", "ev_ebitda", "fcf_yield", "dividend_yield"];
/// Shown for an unknown figure.
const NO_FIGURE: &str = "–";

pub(super) fn ratio_table(view: PartView<'_>, codes: &[&str]) -> Markup {
    let is_old = OldPeriod::newest(view).is_some();
    let is_meant = |row: &&PageRow| !is_old || !PRICE_RATIOS.contains(&text(row, "ratio_code"));
    let rows: Vec<&PageRow> = view.rows.rows.iter().filter(is_meant).collect();
    let rows = select_rows(&rows, codes);
    let sector =
        rows.first().and_then(|row| row.get("sector")).and_then(Json::as_str).unwrap_or("the sector");
    html! {
        div.scroll tabindex="0" role="group" aria-label=(view.part.title) {
            table.ratios {
                caption.quiet { (view.part.title) ": " (sector) }
                thead { tr {
                    th scope="col" { "Ratio" }
                    th.n scope="col" { "Company" }
                    th.n scope="col" { "Median" }
                    th scope="col" { "Percentile" }
                } }
                tbody {
                    @for row in rows {
                        tr title=[row.get("ratio_formula").and_then(Json::as_str)] {
                            th scope="row" { (text(row, "ratio_name")) }
                            td.n { (figure(view, row, "ratio_value")) }
                            td.n { (figure(view, row, "sector_median")) }
                            td { (percentile_bar(row)) }
                        }
                    }
                }
            }
        }
    }
}

/// Selects the rows of these codes that have a value, then others, up to the maximum.
fn select_rows<'a>(rows: &[&'a PageRow], codes: &[&str]) -> Vec<&'a PageRow> {
    let has_value = |row: &&PageRow| row.get("ratio_value").is_some_and(|value| !value.is_null());
    let of_code =
        |code: &&str| rows.iter().copied().filter(has_value).find(|row| text(row, "ratio_code") == *code);
    let mut chosen: Vec<&PageRow> = codes.iter().filter_map(of_code).collect();
    chosen.extend(
        rows.iter().copied().filter(has_value).filter(|row| !codes.contains(&text(row, "ratio_code"))),
    );
    chosen.truncate(MOST_RATIOS);
    chosen
}

/// Formats a figure in the unit of its ratio.
fn figure(view: PartView<'_>, row: &PageRow, name: &str) -> String {
    let money = market_words::money(view.request.market);
    match (row.get(name).and_then(Json::as_f64), text(row, "ratio_unit")) {
        (None, _) => NO_FIGURE.to_owned(),
        (Some(value), "pct") => format!("{}%", format_grouped(value, 1, money)),
        (Some(value), "count") => format_grouped(value, 0, money),
        (Some(value), _) => format_grouped(value, 2, money),
    }
}

/// Shows the percentile as a bar and a number, with the rank among the peers.
fn percentile_bar(row: &PageRow) -> Markup {
    let Some(percentile) = row.get("sector_percentile").and_then(Json::as_f64) else {
        return html! { span.none { (NO_FIGURE) } };
    };
    let (rank, count) =
        (row.get("ratio_place").and_then(Json::as_i64), row.get("peer_count").and_then(Json::as_i64));
    let words = format!("{}: percentile {percentile:.0} of the sector", text(row, "ratio_name"));
    html! {
        span.percentile title=[rank.zip(count).map(|(rank, count)| format!("place {rank} of {count}"))] {
            meter min="0" max="100" low="34" high="67" optimum="100" value=(format!("{percentile:.0}")) aria-label=(words) {}
            " " (format!("{percentile:.0}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ratios_stand_in_the_order_of_their_codes_and_others_fill_the_room() {
        let row = |code: &str, value: Json| {
            json!({"ratio_code": code, "ratio_value": value}).as_object().unwrap().clone()
        };
        let mut rows = vec![row("pe", json!(12.0)), row("roe", json!(null)), row("roce", json!(9.0))];
        rows.extend((0..20).map(|at| row(&format!("other_{at}"), json!(at))));
        let rows: Vec<&PageRow> = rows.iter().collect();
        let codes: Vec<&str> =
            select_rows(&rows, &["roce", "roe", "pe"]).iter().map(|row| text(row, "ratio_code")).collect();
        assert_eq!(codes.len(), MOST_RATIOS);
        assert_eq!(codes[..3], ["roce", "pe", "other_0"]);
    }
}

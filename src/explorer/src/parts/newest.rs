//! Figures of the newest period in a strip, each with its value a year before: the key figures of a bank.

use chrono::NaiveDate;
use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::column_title::title;
use crate::page_rows::PageRow;
use crate::part_view::PartView;

pub(super) fn newest_figures(view: PartView<'_>, columns: &[&str]) -> Markup {
    let rows = &view.rows.rows;
    let Some(row) = rows.first() else { return html! {} };
    let before = year_before(rows);
    let columns_with_value =
        columns.iter().filter(|name| row.get(**name).is_some_and(|value| !value.is_null()));
    let format_value = |row: &PageRow, name: &str| {
        cell(
            row.get(name).unwrap_or(&Json::Null),
            view.rows.column(name),
            view.request.market,
            CellContext::Alone,
        )
    };
    html! {
        dl.figures {
            @for name in columns_with_value {
                @let column = view.rows.column(name);
                div title=[column.map(|column| column.words.as_str())] {
                    dt { (title(name, column)) }
                    dd {
                        (format_value(row, name).text)
                        @if let Some(before) = before { small { " from " (format_value(before, name).text) } }
                    }
                }
            }
        }
        @if let Some(quarter) = row.get("quarter").and_then(Json::as_str) { p.none { (quarter) " and a year before." } }
    }
}

/// Returns the row of the same period a year before the first.
fn year_before(rows: &[PageRow]) -> Option<&PageRow> {
    let end = |row: &PageRow| NaiveDate::parse_from_str(row.get("period_end")?.as_str()?, "%Y-%m-%d").ok();
    let newest = end(rows.first()?)?;
    rows.iter().find(|row| end(row).is_some_and(|end| (360..=370).contains(&(newest - end).num_days())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_year_before_is_the_same_quarter() {
        let row = |end: &str| json!({"period_end": end}).as_object().unwrap().clone();
        let rows = ["2026-06-30", "2026-03-31", "2025-09-30", "2025-06-30"].map(row);
        assert_eq!(year_before(&rows).unwrap()["period_end"], "2025-06-30");
        assert!(year_before(&rows[..3]).is_none());
    }
}

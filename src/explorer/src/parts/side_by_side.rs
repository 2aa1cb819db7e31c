//! Rows side by side: each table row is a figure, each column a stock or a period.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, OtherValues, cell};
use crate::column_title::{title, unit};
use crate::links;
use crate::page_rows::{PageRow, text};
use crate::part_view::PartView;
use parquote_catalogue::operation::ColumnType;

/// Shows the named figures, or all that any row has.
pub(super) fn side_by_side(view: PartView<'_>, heading: &str, columns: &[&str]) -> Markup {
    let rows: Vec<&PageRow> = view.rows.rows.iter().collect();
    let has_value = |name: &&str| rows.iter().any(|row| row.get(*name).is_some_and(|value| !value.is_null()));
    let is_figure = |name: &&str| {
        let ty = view.rows.column(name).map(|column| column.ty);
        *name != heading
            && !matches!(name, &"symbol" | &"company_name")
            && !matches!(ty, Some(ColumnType::Rows | ColumnType::Row))
    };
    let names: Vec<&str> = if columns.is_empty() { view.rows.names() } else { columns.to_vec() };
    let names: Vec<&str> = names.into_iter().filter(has_value).filter(is_figure).collect();
    let caption = if view.part.title.is_empty() { &view.request.page.title } else { &view.part.title };
    html! {
        @if rows.is_empty() {
            p.none { "Nothing to show." }
        } @else {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.beside {
                    caption.quiet { (caption) }
                    thead { tr {
                        th scope="col" { "Figure" }
                        @for row in &rows {
                            @let name = text(row, heading);
                            th.n scope="col" {
                                @match links::value_address(view, heading, row, &[]) {
                                    Some(address) => a href=(address) { (name) },
                                    None => (name),
                                }
                            }
                        }
                    } }
                    tbody {
                        @for name in names { tr { (figure_cells(view, name, &rows)) } }
                    }
                }
            }
        }
    }
}

/// Shows a figure of each of the rows, after its title.
pub(super) fn figure_cells(view: PartView<'_>, name: &str, rows: &[&PageRow]) -> Markup {
    let (column, market) = (view.rows.column(name), view.request.market);
    let unit = unit(column, market);
    let others = OtherValues::measure(rows.iter().map(|row| row.get(name)));
    html! {
        th scope="row" title=[column.map(|column| column.words.as_str())] {
            (title(name, column)) @if !unit.is_empty() { " " small { (unit) } }
        }
        @for row in rows {
            @let cell = cell(row.get(name).unwrap_or(&Json::Null), column, market, CellContext::Among(others));
            td class={ "n " (cell.class.trim_start_matches('n').trim()) } { (cell.text) }
        }
    }
}

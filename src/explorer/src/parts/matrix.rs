//! A figure of each pair, such as a correlation: a small matrix, or a table of the pairs where a matrix would be too wide.

use maud::{Markup, html};
use serde_json::Value as Json;

use super::table::plain_table;
use crate::cell::{CellContext, cell};
use crate::column_title::title;
use crate::links;
use crate::page_rows::text;
use crate::part_view::PartView;
use crate::view_spec::MatrixSpec;

/// Maximum number of names of a matrix.
const MOST_NAMES: usize = 12;

pub(super) fn matrix(view: PartView<'_>, spec: &MatrixSpec) -> Markup {
    let pairs = view.rows.rows_within(&spec.within);
    let (one, other) = (spec.pair.0.as_str(), spec.pair.1.as_str());
    let mut names: Vec<&str> = view.rows.texts(&spec.order);
    names.retain(|name| pairs.rows.iter().any(|row| text(row, one) == *name || text(row, other) == *name));
    let heading = title(&spec.within, None);
    if names.len() > MOST_NAMES {
        return html! { h3 { (heading) } (plain_table(view.with_rows(&pairs), &heading, &[])) };
    }
    let value = |row_name: &str, column_name: &str| {
        let is_pair = |(first, second): (&str, &str)| {
            first == row_name && second == column_name || first == column_name && second == row_name
        };
        let row = pairs.rows.iter().find(|row| is_pair((text(row, one), text(row, other))))?;
        let value = row.get(&spec.value).unwrap_or(&Json::Null);
        Some(cell(value, pairs.column(&spec.value), view.request.market, CellContext::Table).text)
    };
    html! {
        @if names.len() > 1 {
            h3 { (heading) }
            div.scroll tabindex="0" role="group" aria-label=(heading) {
                table.matrix {
                    caption.quiet { (heading) }
                    thead { tr {
                        th scope="col" { span.quiet { "Stock" } }
                        @for name in &names { th.n scope="col" { (name) } }
                    } }
                    tbody {
                        @for row_name in &names {
                            tr {
                                th scope="row" { a href=(view.request.market_address(&links::company(row_name))) { (row_name) } }
                                @for column_name in &names { td.n { (value(row_name, column_name).unwrap_or_default()) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

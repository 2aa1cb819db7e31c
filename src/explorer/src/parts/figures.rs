//! The key figures, in a strip.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::column_title::title;
use crate::part_view::PartView;

pub(super) fn figures(view: PartView<'_>, columns: &[&str]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    let fields = columns.iter().filter_map(|name| row.get(*name).map(|value| (*name, value)));
    html! {
        dl.figures {
            @for (name, value) in fields {
                @let column = view.rows.column(name);
                @let cell = cell(value, column, view.request.market, CellContext::Alone);
                div title=[column.map(|column| column.words.as_str())] {
                    dt { (title(name, column)) }
                    dd class=[Some(cell.class).filter(|class| !class.is_empty())] {
                        (cell.text)
                        @if name == "rs_rating" && *value != Json::Null { small { " of 99" } }
                    }
                }
            }
        }
    }
}

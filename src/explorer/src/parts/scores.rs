//! Scores from 0 to 10, each as a bar and a number.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::part_view::PartView;

pub(super) fn scores(view: PartView<'_>, columns: &[&str]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    let fields = columns.iter().filter_map(|name| row.get(*name).map(|value| (*name, value)));
    html! {
        dl.scores {
            @for (name, value) in fields {
                @let column = view.rows.column(name);
                @let name = title(name, column);
                div title=[column.map(|column| column.words.as_str())] {
                    dt { (name) }
                    dd {
                        @match value.as_f64() {
                            Some(score) => {
                                meter min="0" max="10" low="4" high="7" optimum="10" value=(score) aria-label={ (name) " of 10" } { (score) " of 10" }
                                span.n { (format!("{score:.1}")) }
                            },
                            None => span.none { @if *value == Json::Null { "not scored" } @else { (value.to_string()) } },
                        }
                    }
                }
            }
        }
    }
}

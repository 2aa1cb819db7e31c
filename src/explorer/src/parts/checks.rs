//! Conditions, each true or false: a mark and a word, never a colour alone.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::part_view::PartView;

pub(super) fn checks(view: PartView<'_>, columns: &[&str]) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    let conditions: Vec<(&str, &Json)> =
        columns.iter().filter_map(|name| Some((*name, row.get(*name)?))).collect();
    let holding = conditions.iter().filter(|(_, value)| **value == Json::Bool(true)).count();
    html! {
        p.count { b { (holding) " of " (conditions.len()) } " conditions hold" }
        ul.checks {
            @for (name, value) in conditions {
                @let words = view.rows.column(name).map_or(name, |column| column.words.as_str());
                @let words = words.trim_end_matches('.');
                @match value {
                    Json::Bool(true) => li.holds { span.mark { "✓" } " " b { "holds" } " " (words) },
                    Json::Bool(false) => li.fails { span.mark { "✗" } " " b { "fails" } " " (words) },
                    _ => li { span.mark { "–" } " " b { "not known" } " " (words) },
                }
            }
        }
    }
}

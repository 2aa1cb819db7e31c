//! Coverage of a part: how many companies have each figure that it sums, averages or compares, and how many lack it. It opens on demand, and
//! is not there if no company lacks one.

use maud::{Markup, html};

use crate::part_view::PartView;

pub(crate) fn coverage(view: PartView<'_>) -> Markup {
    let counts = &view.rows.coverage;
    let listed = || {
        let each = counts.iter();
        each.map(|(figure, have, missing)| format!("{}: {have}, {missing} missing", view.title(figure)))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let is_of_indices = view.rows.column("index_name").is_some();
    html! {
        @if counts.iter().any(|(.., missing)| *missing > 0) {
            details {
                summary { small { "Not all companies have these figures" } }
                p.covered {
                    "Companies with the data of each figure, at the last session: " (listed()) "."
                    @if is_of_indices { " A company counts in each of its indices." }
                }
            }
        }
    }
}

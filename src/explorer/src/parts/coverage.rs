//! Coverage of a part: how many companies have each figure that it sums, averages or compares, and how many lack it.

use maud::{Markup, html};

use crate::part_view::PartView;

pub(crate) fn coverage(view: PartView<'_>) -> Markup {
    let counts = view.rows.coverage.iter();
    let counts = counts
        .map(|(figure, have, missing)| format!("{}: {have}, {missing} missing", view.title(figure)))
        .collect::<Vec<_>>();
    html! { @if !counts.is_empty() { p.none { "Companies with the data of each figure, at the last session: " (counts.join("; ")) "." } } }
}

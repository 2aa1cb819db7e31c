//! The number of shown and of all rows of a table, and links to the rest: pages, and files of up to the maximum per call or page.

use maud::{Markup, html};

use crate::market_words;
use crate::part_view::PartView;
use crate::request::address;
use parquote_catalogue::operation::AnswerFormat;
use parquote_engine::lacking_feature;
use parquote_picture::number::grouped;

/// Shows the number of rows, above a table.
pub(super) fn extent(view: PartView<'_>) -> Markup {
    let shown = view.rows.rows.len();
    let number = |count: usize| grouped(count as f64, 0, market_words::money(view.request.market));
    let offset = view.rows.extent.map_or(0, |extent| extent.offset);
    let total = total(view);
    html! {
        p.extent role="status" {
            @match (shown, total) {
                (0, _) => "No stock or row matches.",
                (shown, Some(total)) if total > shown => { b { (number(total)) } " match; " (number(offset + 1)) " to " (number(offset + shown)) " are shown." },
                (shown, _) => { b { (number(shown)) } @if shown == 1 { " row." } @else { " rows." } },
            }
        }
    }
}

/// Links to the previous and the next rows.
pub(super) fn pager(view: PartView<'_>) -> Markup {
    let Some(extent) = view.rows.extent.filter(|extent| extent.offset > 0 || extent.more) else {
        return html! {};
    };
    let before = (extent.offset > 0).then(|| extent.offset.saturating_sub(extent.rows.max(1)));
    let to = |offset: usize| {
        let text = offset.to_string();
        view.request.with(&[("offset", (offset > 0).then_some(text.as_str())), ("page", None)])
    };
    html! {
        nav.pager aria-label="Pages" {
            @if let Some(before) = before { a href=(to(before)) rel="prev" { "← Before" } }
            @if let Some(next) = extent.next_offset() { a href=(to(next)) rel="next" { "Next →" } }
        }
    }
}

/// Links to files of the same rows.
pub(super) fn files(view: PartView<'_>) -> Markup {
    let request = view.request;
    let kept = || {
        let kept = request.pairs.iter().filter(|(name, _)| !matches!(name.as_str(), "offset" | "page"));
        kept.map(|(name, value)| (name.as_str(), value.as_str()))
    };
    let most = view.operation.param("limit").and_then(parquote_catalogue::operation::Param::maximum);
    let is_whole = total(view).is_some_and(|total| most.is_some_and(|most| total as f64 <= most as f64));
    html! {
        @if !request.is_guest && !request.page.has_symbol() && view.takes_query() && view.operation.is_read() {
            span.files {
                @if is_whole { "All rows as " } @else { "Rows as " }
                a href=(address(&format!("{}.csv", request.path()), kept())) download { "CSV" }
                @if lacking_feature(AnswerFormat::Xlsx).is_none() {
                    ", " a href=(address(&format!("{}.xlsx", request.path()), kept())) download { "Excel" }
                }
                " or "
                a href=(address(&format!("{}.arrow", request.path()), kept())) download { "Arrow" }
            }
        }
    }
}

/// Returns the number of matching rows.
fn total(view: PartView<'_>) -> Option<usize> {
    view.rows.extent.and_then(|extent| extent.total).or_else(|| around(view, "total"))
}

fn around(view: PartView<'_>, name: &str) -> Option<usize> {
    view.rows.around.get(name)?.as_u64().and_then(|count| usize::try_from(count).ok())
}

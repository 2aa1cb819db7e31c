//! The number of rows that a table shows and has, links to its other pages, and files of all rows.

use maud::{Markup, html};

use crate::market_words;
use crate::part_view::PartView;
use crate::request::{PageRequest, address};
use crate::spec::ORDER;
use parquote_catalogue::operation::{AnswerFormat, Tier};
use parquote_engine::lacking_feature;
use parquote_picture::number::format_grouped;

/// Shows the number of rows, above a table.
pub(super) fn extent(view: PartView<'_>) -> Markup {
    let count = view.rows.rows.len();
    let number = |number: usize| format_grouped(number as f64, 0, market_words::money(view.request.market));
    let offset = view.rows.extent.map_or(0, |extent| extent.offset);
    let total = total(view);
    html! {
        p.extent role="status" {
            @match (count, total) {
                (0, Some(total)) if total > 0 => { b { (number(total)) } " match; none are this far down." },
                (0, _) => "No stock or row matches.",
                (count, Some(total)) if total > count => { b { (number(total)) } " match; " (number(offset + 1)) " to " (number(offset + count)) " are shown." },
                (count, _) => { b { (number(count)) } @if count == 1 { " row." } @else { " rows." } },
            }
        }
    }
}

/// Links to the previous and the next rows.
pub(super) fn pager(view: PartView<'_>) -> Markup {
    let Some(extent) = view.rows.extent.filter(|extent| extent.offset > 0 || extent.more) else {
        return html! {};
    };
    let before = (extent.offset > 0).then(|| match extent.rows {
        0 => 0,
        rows => extent.offset.saturating_sub(rows),
    });
    let to = |offset: usize| {
        let text = offset.to_string();
        view.request.address_with(&[("offset", (offset > 0).then_some(text.as_str())), ("page", None)])
    };
    html! {
        nav.pager aria-label="Pages" {
            @if let Some(before) = before { a href=(to(before)) rel="prev" { "← Before" } }
            @if let Some(next) = extent.next_offset() { a href=(to(next)) rel="next" { "Next →" } }
        }
    }
}

/// Links to files of all rows, which have the order of the operation.
pub(super) fn files(view: PartView<'_>) -> Markup {
    let request = view.request;
    let link = |format: AnswerFormat, label: &str| file_link(request, format, label);
    html! {
        @if !request.reader.is_guest && !request.page.has_symbol() && view.takes_query() && view.operation.answers_from_select() {
            span.files {
                @if view.operation.most_file_rows(Tier::Free).is_none() { "All rows as " } @else { "All rows that your key may list as " }
                (link(AnswerFormat::Csv, "CSV"))
                @if lacking_feature(AnswerFormat::Xlsx).is_none() { ", " (link(AnswerFormat::Xlsx, "Excel")) }
                ", " (link(AnswerFormat::Arrow, "Arrow")) " or " (link(AnswerFormat::Json, "JSON"))
            }
        }
    }
}

/// Links to the whole answer as files: a workbook of its figures and lists, and JSON.
pub(super) fn files_of_answer(view: PartView<'_>) -> Markup {
    let request = view.request;
    html! {
        @if !request.reader.is_guest {
            div.tools {
                span.files {
                    "All of it as "
                    @if lacking_feature(AnswerFormat::Xlsx).is_none() {
                        (file_link(request, AnswerFormat::Xlsx, "Excel")) " or "
                    }
                    (file_link(request, AnswerFormat::Json, "JSON"))
                }
            }
        }
    }
}

fn file_link(request: &PageRequest, format: AnswerFormat, label: &str) -> Markup {
    let is_of_file = |name: &str| !["offset", "page", ORDER].contains(&name);
    let pairs = request.pairs.iter().filter(|(name, _)| is_of_file(name));
    let pairs = pairs.map(|(name, value)| (name.as_str(), value.as_str()));
    html! { a href=(address(&format!("{}.{}", request.path(), format.word()), pairs)) download { (label) } }
}

/// Returns the number of matching rows.
fn total(view: PartView<'_>) -> Option<usize> {
    let around = || view.rows.around.get("total")?.as_u64().and_then(|count| usize::try_from(count).ok());
    view.rows.extent.and_then(|extent| extent.total).or_else(around)
}

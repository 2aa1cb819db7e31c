//! Small lines of the last sessions: each figure with its last value and its change since the first.

use chrono::NaiveDate;
use maud::{Markup, PreEscaped, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::column_title::title;
use crate::market_words;
use crate::part_view::PartView;
use parquote_picture::Picture;
use parquote_picture::data::{ColumnValues, PictureData};
use parquote_picture::number::NumberForm;
use parquote_picture::sheet::{PictureSize, PictureWords};
use parquote_picture::spec::PictureSpec;
use parquote_picture::theme::Theme;

pub(super) fn sparks(view: PartView<'_>, columns: &[&str]) -> Markup {
    let rows = &view.rows.rows;
    let Some(last) = rows.last() else { return html! { p.none { "Nothing to show." } } };
    let columns_with_value =
        columns.iter().filter(|name| last.get(**name).is_some_and(|value| !value.is_null()));
    html! {
        dl.sparks {
            @for name in columns_with_value {
                @let column = view.rows.column(name);
                @let cell = cell(last.get(*name).unwrap_or(&Json::Null), column, view.request.market, CellContext::Alone);
                div title=[column.map(|column| column.words.as_str())] {
                    dt { (title(name, column)) }
                    dd { (line(view, name)) " " b class=(cell.class) { (cell.text) } }
                }
            }
        }
        @if let (Some(first), Some(last)) = (session(view, 0), session(view, rows.len() - 1)) {
            p.none { (rows.len()) " sessions, " (first.format("%-d %b")) " to " (last.format("%-d %b %Y")) "." }
        }
    }
}

fn session(view: PartView<'_>, row: usize) -> Option<NaiveDate> {
    let text = view.rows.rows.get(row)?.get("session")?.as_str()?;
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

/// Draws a figure of all rows as a line without text.
fn line(view: PartView<'_>, name: &str) -> Markup {
    let values: Vec<Option<f64>> =
        view.rows.rows.iter().map(|row| row.get(name).and_then(Json::as_f64)).collect();
    let data = PictureData::new().with("value", ColumnValues::Numbers(&values), NumberForm::Plain);
    let Ok(spec) = PictureSpec::parse("sparkline value=value") else { return html! {} };
    let picture = Picture {
        spec: &spec,
        data: &data,
        words: PictureWords { id: name, lang: "en", title: "", description: "", footnote: "" },
        size: PictureSize::Regular,
        theme: Theme::Page,
        currency: market_words::money(view.request.market),
        links: None,
    };
    // The renderer escapes all texts.
    html! { (PreEscaped(picture.svg().unwrap_or_default())) }
}

//! A picture of the rows, with the data of its crosshair; below it a table with the same figures.

use chrono::NaiveDate;
use maud::{Markup, PreEscaped, html};
use serde_json::Value as Json;

use super::names;
use super::table::plain_table;
use crate::market_words;
use crate::page_rows::PageRows;
use crate::part_view::PartView;
use crate::spec::DrawnSpec;
use parquote_catalogue::operation::ColumnType;
use parquote_engine::{ResultColumn, number_form};
use parquote_picture::data::{ColumnValues, PictureData};
use parquote_picture::kind::PictureKind;
use parquote_picture::sheet::{PictureLinks, PictureSize, PictureWords};
use parquote_picture::spec::PictureSpec;
use parquote_picture::theme::Theme;
use parquote_picture::{Picture, PictureError};

/// A column of the rows, converted for pictures.
enum DrawnCells<'a> {
    Dates(Vec<Option<NaiveDate>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<&'a str>>),
    Bools(Vec<Option<bool>>),
}

/// Builds the picture and its table.
pub(super) fn drawing(view: PartView<'_>, spec: &DrawnSpec) -> Markup {
    let Some(picture) = &view.rows.picture else { return html! {} };
    let flat = picture.rows_within().map(|column| view.rows.with_earlier(column));
    let rows = flat.as_ref().unwrap_or(view.rows);
    if rows.rows.is_empty() {
        return html! { p.none { "Nothing to draw." } };
    }
    let title = picture.title().unwrap_or(view.request.page.title.as_str());
    // A phone gets a picture of its width: fewer bars, and no scrolling.
    let drawn = [PictureSize::Regular, PictureSize::Phone].map(|size| {
        let drawn = drawn(view, rows, picture, title, spec.leads.as_str(), size);
        // Declarations were checked; the only possible error is too many rows.
        drawn.unwrap_or_else(|refused| html! { p.none { (refused.to_string()) } })
    });
    html! {
        figure.picture-box {
            figcaption { (title) }
            @for drawn in drawn { (drawn) }
        }
        details.behind-picture {
            @match newest(picture, rows) {
                Some(newest) => {
                    summary { "The last " (newest.rows.len()) " bars as a table" }
                    (plain_table(view.over(&newest), title, &names(&spec.table)))
                },
                None => {
                    summary { "The same as a table" }
                    (plain_table(view.over(rows), title, &names(&spec.table)))
                },
            }
        }
    }
}

/// Returns the newest bars, if a table of all would be too large for the page; the picture has every bar.
fn newest(picture: &PictureSpec, rows: &PageRows) -> Option<PageRows> {
    const MOST: usize = 60;
    let is_long = picture.kind() == PictureKind::Candles && rows.rows.len() > 2 * MOST;
    is_long.then(|| PageRows {
        columns: rows.columns.clone(),
        rows: rows.rows.iter().skip(rows.rows.len() - MOST).cloned().collect(),
        ..PageRows::default()
    })
}

fn drawn(
    view: PartView<'_>,
    rows: &PageRows,
    spec: &PictureSpec,
    title: &str,
    leads: &str,
    size: PictureSize,
) -> Result<Markup, PictureError> {
    let needed: Vec<(&str, Option<&ResultColumn>)> =
        spec.columns().iter().map(|needed| (needed.name.as_str(), rows.column(&needed.name))).collect();
    let cells: Vec<DrawnCells<'_>> = needed.iter().map(|(name, column)| cells(rows, name, *column)).collect();
    let mut data = PictureData::new();
    for ((name, column), cells) in needed.iter().zip(&cells) {
        data = data.with(name, cells.values(), number_form(column.map(|column| column.unit)));
    }
    let (class, kind) =
        if size == PictureSize::Phone { ("on-phone", "phone") } else { ("on-wide", "picture") };
    let (id, before) = (format!("{}-{kind}", view.part.id), view.request.elsewhere(leads));
    let picture = Picture {
        spec,
        data: &data,
        words: PictureWords {
            id: &id,
            lang: "en",
            title,
            description: "The table behind the picture says the same.",
            footnote: "",
        },
        size,
        theme: Theme::Page,
        currency: market_words::money(view.request.market),
        links: (!leads.is_empty()).then_some(PictureLinks { before: &before, after: "" }),
    };
    let (svg, crosshair) = (picture.svg()?, picture.crosshair()?);
    // The renderer escapes all texts.
    let svg = PreEscaped(svg);
    Ok(html! {
        div.picture-scroll.(class) tabindex="0" role="region" aria-label=(title) data-crosshair[crosshair.is_some()] {
            @if crosshair.is_some() { p.readout {} }
            (svg)
            @if let Some(data) = crosshair {
                script type="application/json" { (PreEscaped(data.replace('<', "\\u003c"))) }
            }
        }
    })
}

fn cells<'a>(rows: &'a PageRows, name: &str, column: Option<&ResultColumn>) -> DrawnCells<'a> {
    let values = || rows.rows.iter().map(|row| row.get(name));
    let date = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    match column.map(|column| column.ty) {
        Some(ColumnType::Date) => {
            DrawnCells::Dates(values().map(|value| value.and_then(Json::as_str).and_then(date)).collect())
        }
        Some(ColumnType::Int | ColumnType::Number) => {
            DrawnCells::Numbers(values().map(|value| value.and_then(Json::as_f64)).collect())
        }
        Some(ColumnType::Bool) => {
            DrawnCells::Bools(values().map(|value| value.and_then(Json::as_bool)).collect())
        }
        _ => DrawnCells::Texts(values().map(|value| value.and_then(Json::as_str)).collect()),
    }
}

impl DrawnCells<'_> {
    fn values(&self) -> ColumnValues<'_> {
        match self {
            Self::Dates(cells) => ColumnValues::Dates(cells),
            Self::Numbers(cells) => ColumnValues::Numbers(cells),
            Self::Texts(cells) => ColumnValues::Texts(cells),
            Self::Bools(cells) => ColumnValues::Bools(cells),
        }
    }
}

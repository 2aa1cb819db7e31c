//! A picture of the rows in each width that its box may have, with the figures under the pointer; below it a table with the same figures.

use chrono::NaiveDate;
use maud::{Markup, PreEscaped, html};
use serde_json::Value as Json;

use super::names;
use super::table::plain_table;
use crate::assets::LIVE_CHART;
use crate::market_words;
use crate::page_rows::PageRows;
use crate::part_view::PartView;
use crate::spec::PageColumn;
use crate::view_spec::DrawnSpec;
use parquote_catalogue::operation::ColumnType;
use parquote_engine::{ResultColumn, number_form};
use parquote_picture::data::{ColumnValues, PictureData};
use parquote_picture::kind::PictureKind;
use parquote_picture::readings::Readings;
use parquote_picture::sheet::{PageWidth, PictureLinks, PictureSize, PictureWords};
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

/// A picture in one of its widths.
struct DrawnForm {
    width: PageWidth,
    svg: String,
    /// Figures at each step of the picture, which the page shows under the pointer; `None` for a picture without steps.
    readings: Option<Readings>,
}

/// Builds the picture and its table.
pub(super) fn drawing(view: PartView<'_>, spec: &DrawnSpec) -> Markup {
    let Some(picture) = spec.picture.as_ref().or(view.rows.picture.as_ref()) else { return html! {} };
    let flat = picture.rows_within().map(|column| match spec.picture {
        Some(_) => view.rows.rows_within(column),
        None => view.rows.with_earlier(column),
    });
    let rows = flat.as_ref().unwrap_or(view.rows);
    if rows.rows.is_empty() {
        return html! { p.none { "Nothing to draw." } };
    }
    let title = title_of(view, picture);
    let widths = widths(view.part.column, picture.kind());
    let widest = widths.last().map_or_else(String::new, |width| format!("to-{}", width.units()));
    let forms = widths.iter().map(|width| draw_picture(view, rows, picture, spec, *width));
    html! {
        figure.picture-box.(widest) data-live=[spec.is_live.then_some(LIVE_CHART.path.as_str())] {
            figcaption { (title) }
            // Declarations were checked; the only possible error is too many rows.
            @match forms.collect::<Result<Vec<_>, _>>() {
                Ok(forms) => (pictures(&forms, title)),
                Err(refused) => p.none { (refused.to_string()) },
            }
        }
        details.behind-picture {
            @match some_rows(picture, spec, rows) {
                Some((end, some)) => {
                    summary { "The " (end) " " (some.rows.len()) " rows as a table" }
                    (plain_table(view.with_rows(&some), title, &names(&spec.table)))
                },
                None => {
                    summary { "The same as a table" }
                    (plain_table(view.with_rows(rows), title, &names(&spec.table)))
                },
            }
        }
    }
}

/// Returns the declared title of a picture, or else that of its page.
fn title_of<'a>(view: PartView<'a>, picture: &'a PictureSpec) -> &'a str {
    picture.title().unwrap_or(view.request.page.title_in(view.request.market))
}

/// Returns the widths for which a picture is drawn: those that its column may have. Pictures of many shapes are large, and end earlier.
fn widths(column: Option<PageColumn>, kind: PictureKind) -> &'static [PageWidth] {
    let is_light = matches!(kind, PictureKind::Breadth | PictureKind::Compare | PictureKind::Bars);
    let count = match column {
        Some(PageColumn::Narrow) => 2,
        Some(PageColumn::Wide) if kind == PictureKind::Candles => 2,
        None if is_light => PageWidth::ALL.len(),
        Some(PageColumn::Wide) | None => 3,
    };
    let all: &'static [PageWidth] = &PageWidth::ALL;
    all.get(..count).unwrap_or(all)
}

/// Shows the picture in all widths, of which the style sheet displays one. Pictures with the same steps share their figures.
fn pictures(forms: &[DrawnForm], title: &str) -> Markup {
    let mut shared: Vec<&str> = Vec::new();
    for readings in forms.iter().filter_map(|form| form.readings.as_ref()) {
        if !shared.contains(&readings.values.as_str()) {
            shared.push(&readings.values);
        }
    }
    html! {
        @for form in forms {
            @let class = format!("form-{}", form.width.units());
            @let readings = form.readings.as_ref();
            @let values = readings.and_then(|readings| shared.iter().position(|one| *one == readings.values));
            div.picture-form.(class) tabindex=[values.map(|_| "0")] role="group" aria-label=(title)
                data-values=[values] data-places=[readings.map(|readings| readings.positions.as_str())] {
                @if let Some(readings) = readings {
                    dl.readout { @for one in &readings.last { div { dt { (one.name) } dd { (one.text) } } } }
                }
                // The renderer escapes all texts.
                (PreEscaped(&form.svg))
            }
        }
        @for values in shared {
            script type="application/json" { (PreEscaped(values.replace('<', "\\u003c"))) }
        }
    }
}

/// Returns the rows for the table with their end of the list: the newest sessions, or the first of very many others; `None` if it can have
/// all rows.
fn some_rows(picture: &PictureSpec, spec: &DrawnSpec, rows: &PageRows) -> Option<(&'static str, PageRows)> {
    let is_by_session = picture.kind() == PictureKind::Candles || spec.picture.is_some();
    let (end, most) = if is_by_session { ("last", 40) } else { ("first", 150) };
    let count = rows.rows.len();
    let skipped = if is_by_session { count.saturating_sub(most) } else { 0 };
    (count > 2 * most).then(|| {
        let some = rows.rows.iter().skip(skipped).take(most).cloned().collect();
        (end, PageRows { columns: rows.columns.clone(), rows: some, ..PageRows::default() })
    })
}

fn draw_picture(
    view: PartView<'_>,
    rows: &PageRows,
    spec: &PictureSpec,
    declared: &DrawnSpec,
    width: PageWidth,
) -> Result<DrawnForm, PictureError> {
    let needed: Vec<(&str, Option<&ResultColumn>)> =
        spec.columns().iter().map(|needed| (needed.name.as_str(), rows.column(&needed.name))).collect();
    let cells: Vec<DrawnCells<'_>> = needed.iter().map(|(name, column)| cells(rows, name, *column)).collect();
    let mut data = PictureData::new();
    for ((name, column), cells) in needed.iter().zip(&cells) {
        data = data.with(name, cells.values(), number_form(column.map(|column| column.unit)));
    }
    // A part may have several pictures of its own.
    let title_in_id =
        declared.picture.as_ref().and_then(PictureSpec::title).unwrap_or_default().replace(' ', "-");
    let id = format!("{}{title_in_id}-{}", view.part.id, width.units());
    let (before, groups) =
        (view.request.market_address(&declared.leads), group_address(view, &declared.groups));
    let picture = Picture {
        spec,
        data: &data,
        words: PictureWords {
            id: &id,
            lang: "en",
            title: title_of(view, spec),
            description: "The table behind the picture says the same.",
            footnote: "",
        },
        size: PictureSize::Page(width),
        theme: Theme::Page,
        currency: market_words::money(view.request.market),
        links: (!declared.leads.is_empty()).then_some(PictureLinks {
            before: &before,
            after: "",
            groups: &groups,
        }),
    };
    Ok(DrawnForm { width, svg: picture.svg()?, readings: picture.readings()? })
}

/// Returns the address of the page for a group, before the group's name; empty if groups are no links.
fn group_address(view: PartView<'_>, parameters: &[String]) -> String {
    let Some(parameter) = parameters.iter().find(|name| view.request.get(name).is_none()) else {
        return String::new();
    };
    let page = view.request.address();
    let joint = if page.contains('?') { '&' } else { '?' };
    format!("{page}{joint}{parameter}=")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_among_the_figures_does_not_end_their_script() {
        let readings = Readings {
            positions: "{}".to_owned(),
            values: r#"{"name":"</script><b>"}"#.to_owned(),
            last: Vec::new(),
        };
        let form = DrawnForm { width: PageWidth::Phone, svg: String::new(), readings: Some(readings) };
        let markup = pictures(&[form], "A").into_string();
        assert!(markup.contains(r#">{"name":"\u003c/script>\u003cb>"}</script>"#), "{markup}");
    }
}

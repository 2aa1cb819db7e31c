//! Ranking: one horizontal bar per row, in row order; the first rows if the list is longer than the sheet.
//!
//! Names are left of the bars, figures at their ends. A bar below 0 goes to the left and is hollow; its figure has a minus sign.

use maud::{Markup, html};

use crate::data::RoleColumns;
use crate::legend::{Swatch, legend};
use crate::number::{NumberForm, format_number};
use crate::scale::{Scale, Span};
use crate::shape::{Anchor, Area, Ink, PathText, path, texts};
use crate::sheet::{Drawing, Sheet};
use crate::text::{FontWeight, clean_text};
use crate::theme::Tint;

/// Height of a row, in ems.
const ROW_HEIGHT: f64 = 1.75;
/// Height of a row if not all rows fit otherwise, in ems.
const CLOSE_ROW: f64 = 1.45;
/// Share of a row's height that its bar fills.
const BAR_SHARE: f64 = 0.66;
/// Maximum share of the sheet's width that names take.
const NAME_SHARE: f64 = 0.34;
/// Shown for a row without a figure.
const NO_FIGURE: &str = "–";

/// A row: its name, its figure, and the figure's text.
#[derive(Debug)]
struct RankedRow {
    name: String,
    value: Option<f64>,
    figure: String,
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let mut rows = ranked_rows(sheet, columns);
    if rows.iter().all(|row| row.value.is_none()) {
        return sheet.empty_drawing("there are no figures");
    }
    let em = sheet.font_size();
    let area = sheet.area();
    let row_count = rows.len();
    let fitting = |row: f64| ((area.height() / (em * row)) as usize).max(1);
    let is_close = row_count > fitting(ROW_HEIGHT);
    rows.truncate(fitting(if is_close { CLOSE_ROW } else { ROW_HEIGHT }));
    let step =
        if is_close { (area.height() / rows.len() as f64).min(em * ROW_HEIGHT) } else { em * ROW_HEIGHT };
    let drawn = RankedBars::new(sheet, &rows, area, step);
    let label = columns.first_column("value").map(|column| column.label.clone()).unwrap_or_default();
    let is_fall = |row: &RankedRow| row.value.is_some_and(|value| value < 0.0);
    let [filled, hollow] = [Swatch::Filled(Tint::Line1), Swatch::Hollow(Tint::Line1)];
    let entries = match (rows.iter().any(is_fall), rows.iter().all(is_fall)) {
        (_, true) => vec![(hollow, label.as_str())],
        (true, _) => vec![(filled, label.as_str()), (hollow, "below 0")],
        _ => vec![(filled, label.as_str())],
    };
    let body = html! {
        (legend(sheet, entries))
        (drawn.draw(sheet, &rows))
    };
    Drawing::new(
        body,
        (row_count > rows.len()).then(|| format!("the first {} of {row_count} rows", rows.len())),
    )
}

fn ranked_rows(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Vec<RankedRow> {
    // Ratings and ranks are integers, so a decimal would be superfluous.
    let is_whole =
        (0..columns.rows).filter_map(|row| columns.number("value", row)).all(|value| value.fract() == 0.0);
    let form = match columns.form("value") {
        NumberForm::Plain if is_whole => NumberForm::Count,
        form => form,
    };
    let row = |row: usize| {
        let name = clean_text(columns.text("of", row)?);
        let value = columns.number("value", row);
        let figure = value.map_or(NO_FIGURE.to_owned(), |value| format_number(value, form, sheet.currency));
        Some(RankedRow { name, value, figure })
    };
    (0..columns.rows).filter_map(row).collect()
}

/// Positions of names, bars and figures.
#[derive(Debug)]
struct RankedBars {
    /// Right end of the names.
    names: f64,
    scale: Scale,
    /// Middle of the first row, and height of each row.
    first: f64,
    step: f64,
}

impl RankedBars {
    fn new(sheet: &Sheet<'_>, rows: &[RankedRow], area: Area, step: f64) -> Self {
        let em = sheet.font_size();
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| sheet.width(text, FontWeight::Regular)).fold(0.0, f64::max)
        };
        let names = widest(&mut rows.iter().map(|row| row.name.as_str())).min(area.width() * NAME_SHARE);
        // Rows without a figure have their dash on the side of rises.
        let figures_width = |is_fall: bool| {
            let of_sign = rows.iter().filter(|row| row.value.is_some_and(|value| value < 0.0) == is_fall);
            let widest = widest(&mut of_sign.map(|row| row.figure.as_str()));
            if widest > 0.0 { widest + em * 0.6 } else { 0.0 }
        };
        let least = rows.iter().filter_map(|row| row.value).fold(0.0, f64::min);
        let most = rows.iter().filter_map(|row| row.value).fold(0.0, f64::max);
        // 0 is one end if all values have the same sign.
        let span = Span { low: least, high: if most > least { most } else { least + 1.0 } };
        let left = area.left + names + em * 0.8 + figures_width(true);
        let right = area.right - figures_width(false);
        Self {
            names: area.left + names,
            scale: Scale::new(span, left, right),
            first: area.top + step / 2.0,
            step,
        }
    }

    fn draw(&self, sheet: &Sheet<'_>, rows: &[RankedRow]) -> Markup {
        let em = sheet.font_size();
        let zero = self.scale.position(0.0);
        let (mut rises, mut falls, mut axis) = (PathText::new(), PathText::new(), PathText::new());
        let (mut names, mut right, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for (position, row) in rows.iter().enumerate() {
            let y = self.first + position as f64 * self.step;
            let room = self.names - sheet.area().left;
            names.push((self.names, y, sheet.fit_text(&row.name, room + 0.5, FontWeight::Regular)));
            let end = self.scale.position(row.value.unwrap_or(0.0));
            let half = self.step * BAR_SHARE / 2.0;
            let bar = Area { left: zero.min(end), top: y - half, right: zero.max(end), bottom: y + half };
            if row.value.is_some_and(|value| value < 0.0) {
                falls.add_box(bar.inset(0.7));
                left.push((end - em * 0.4, y, row.figure.as_str()));
            } else {
                if row.value.is_some() {
                    rises.add_box(bar);
                }
                right.push((end + em * 0.4, y, row.figure.as_str()));
            }
        }
        let bottom = self.first + (rows.len() as f64 - 0.5) * self.step;
        axis.move_to(zero, self.first - self.step / 2.0).down_to(bottom);
        let lettering = |tint, anchor| sheet.text_style(tint, anchor);
        let hollow = Ink::line(Tint::Line1, 1.4).with_fill(Tint::Surface);
        html! {
            (texts(sheet.theme, lettering(Tint::Text, Anchor::End), names.iter().map(|(x, y, name)| (*x, *y, name.as_str()))))
            g stroke-linejoin="miter" {
                (path(sheet.theme, Ink::filled(Tint::Line1), &rises))
                (path(sheet.theme, hollow, &falls))
            }
            (path(sheet.theme, Ink::line(Tint::Axis, 1.2), &axis))
            (texts(sheet.theme, lettering(Tint::Text, Anchor::Start), right))
            (texts(sheet.theme, lettering(Tint::Text, Anchor::End), left))
        }
    }
}

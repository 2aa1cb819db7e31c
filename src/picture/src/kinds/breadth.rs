//! Breadth: shares of stocks above their averages, advances minus declines, and the McClellan oscillator, over one date axis.
//!
//! Each pane has a separate number axis; lines are dashed and named at their ends.

use chrono::NaiveDate;
use maud::{Markup, html};

use crate::axis::{AxisSide, NumberAxis, date_axis, date_span};
use crate::data::{RoleColumn, RoleColumns};
use crate::label::place_labels;
use crate::legend::{Swatch, legend};
use crate::number::{NumberForm, ReadingForm, format_number};
use crate::readings::{ReadingPositions, ReadingSeries, Readings};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, PathText, blunt_path, path, text};
use crate::sheet::{Drawing, Sheet};
use crate::text::FontWeight;
use crate::theme::{LINES, Tint};

/// Rows in date order.
#[derive(Debug)]
struct Sessions<'a, 'b> {
    columns: &'b RoleColumns<'a>,
    rows: Vec<usize>,
    dates: Vec<NaiveDate>,
    steps: Steps,
}

impl Sessions<'_, '_> {
    /// Builds the path of a line, thinned to what can be seen and broken where a number is missing.
    fn line(&self, scale: &Scale, number: impl Fn(usize) -> Option<f64>) -> PathText {
        let points: Vec<Option<(f64, f64)>> = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| Some((self.steps.position(at), scale.position(number(*row)?))))
            .collect();
        let mut drawn = PathText::new();
        drawn.thin_line(&points, 1.5);
        drawn
    }
}

/// Sessions, the lines of shares, and the area of all panes.
#[derive(Debug)]
struct BreadthLayout<'a, 'b> {
    sessions: Sessions<'a, 'b>,
    shares: Vec<&'b RoleColumn<'a>>,
    /// Text at the end of each share's line.
    ends: Vec<String>,
    body: Area,
}

impl<'a, 'b> BreadthLayout<'a, 'b> {
    /// Returns `None` without sessions.
    fn new(sheet: &Sheet<'_>, columns: &'b RoleColumns<'a>) -> Option<Self> {
        let em = sheet.font_size();
        let mut ordered: Vec<(NaiveDate, usize)> =
            (0..columns.rows).filter_map(|row| Some((columns.date("date", row)?, row))).collect();
        ordered.sort_by_key(|(date, _)| *date);
        let (dates, rows): (Vec<NaiveDate>, Vec<usize>) = ordered.into_iter().unzip();
        let shares: Vec<&RoleColumn<'a>> = columns.with_role("above").collect();
        let last_row = rows.last().copied()?;
        let ends: Vec<String> = shares.iter().map(|share| end_words(sheet, share, last_row)).collect();
        let area = sheet.area();
        let end_width =
            ends.iter().map(|words| sheet.width(words, FontWeight::Bold)).fold(em * 4.0, f64::max);
        let body = Area {
            left: area.left + em * 4.0,
            top: area.top + em * 1.2,
            right: area.right - end_width - em,
            bottom: area.bottom - em * 2.0,
        };
        let steps = Steps::new(body.left, body.right, dates.len());
        Some(Self { sessions: Sessions { columns, rows, dates, steps }, shares, ends, body })
    }
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let Some(layout) = BreadthLayout::new(sheet, columns) else {
        return sheet.empty_drawing("there are no sessions");
    };
    let BreadthLayout { sessions, shares, ends, body } = &layout;
    let has_net = has_net(columns);
    let has_oscillator = columns.first_column("mcclellan").is_some();
    let heights = [Some(2.2), has_net.then_some(1.0), has_oscillator.then_some(1.0)];
    let heights: Vec<f64> = heights.into_iter().flatten().collect();
    let mut panes = body.cut_into_rows(&heights, sheet.font_size() * 2.0).into_iter();
    let drawn = html! {
        (date_axis(sheet, *body, &sessions.steps, &sessions.dates))
        @if let Some(pane) = panes.next() { (shares_above(sheet, sessions, pane, shares, ends)) }
        @if has_net { @if let Some(pane) = panes.next() { (net_advances(sheet, sessions, pane)) } }
        @if has_oscillator { @if let Some(pane) = panes.next() { (oscillator(sheet, sessions, pane)) } }
    };
    Drawing { body: drawn, note: date_span(&sessions.dates) }
}

fn has_net(columns: &RoleColumns<'_>) -> bool {
    columns.first_column("advances").is_some() && columns.first_column("declines").is_some()
}

/// Returns advances less declines.
fn net(columns: &RoleColumns<'_>, row: usize) -> Option<f64> {
    Some(columns.number("advances", row)? - columns.number("declines", row)?)
}

/// Returns the figures of the sessions.
pub(crate) fn readings(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Option<Readings> {
    let layout = BreadthLayout::new(sheet, columns)?;
    let rows = &layout.sessions.rows;
    let form = |form: NumberForm| form.reading_form(sheet.currency);
    let mut all: Vec<ReadingSeries> = layout
        .shares
        .iter()
        .map(|share| ReadingSeries {
            key: "above",
            name: share.label.clone(),
            form: form(NumberForm::Percent),
            values: rows.iter().map(|row| share.column.number(*row)).collect(),
        })
        .collect();
    let other = |name: &str, unit: NumberForm, values: Vec<Option<f64>>| ReadingSeries {
        key: "other",
        name: name.to_owned(),
        form: ReadingForm { is_signed: true, ..form(unit) },
        values,
    };
    let advances = rows.iter().map(|row| net(columns, *row)).collect();
    let mcclellan = rows.iter().map(|row| columns.number("mcclellan", *row)).collect();
    all.push(other("Advances less declines", NumberForm::Count, advances));
    all.push(other("McClellan", NumberForm::Plain, mcclellan));
    let step_names: Vec<String> = layout.sessions.dates.iter().map(NaiveDate::to_string).collect();
    let positions = ReadingPositions { steps: &layout.sessions.steps, panes: layout.body, axis: None };
    Some(Readings::new(&positions, &step_names, all, sheet.currency))
}

/// Returns the last value of a share, written at the end of its line; `–` if missing.
fn end_words(sheet: &Sheet<'_>, share: &RoleColumn<'_>, row: usize) -> String {
    let value =
        share.column.number(row).map(|value| format_number(value, NumberForm::Percent, sheet.currency));
    value.unwrap_or_else(|| "–".to_owned())
}

fn shares_above(
    sheet: &Sheet<'_>,
    sessions: &Sessions<'_, '_>,
    pane: Area,
    shares: &[&RoleColumn<'_>],
    ends: &[String],
) -> Markup {
    let em = sheet.font_size();
    let span = Span { low: 0.0, high: 100.0 };
    let axis = NumberAxis::new(sheet, span, pane.height(), NumberForm::Percent);
    let scale = Scale::new(span, pane.bottom, pane.top);
    let clamped = |value: f64| value.clamp(0.0, 100.0);
    let last =
        |share: &RoleColumn<'_>| sessions.rows.last().and_then(|row| share.column.number(*row)).map(clamped);
    let wanted: Vec<f64> = shares.iter().map(|share| scale.position(last(share).unwrap_or(0.0))).collect();
    let positions = place_labels(&wanted, em * 1.3, pane.top, pane.bottom);
    let mut half = PathText::new();
    half.move_to(pane.left, scale.position(50.0)).across_to(pane.right);
    html! {
        (legend(sheet, shares.iter().zip(LINES).map(|(share, (tint, dashes))| (Swatch::Line(tint, dashes), share.label.as_str()))))
        (axis.draw(sheet, pane, AxisSide::Left, &scale, None))
        (sheet.pane_title(pane, "Stocks above their average"))
        (path(sheet.theme, Ink::line(Tint::Axis, 1.0), &half))
        @for ((share, (tint, dashes)), (position, words)) in shares.iter().zip(LINES).zip(positions.into_iter().zip(ends)) {
            @let line = sessions.line(&scale, |row| share.column.number(row).map(clamped));
            (path(sheet.theme, Ink::line(tint, 1.7).dashed(dashes), &line))
            @if let Some(y) = position {
                (text(sheet.theme, sheet.text_style(tint, Anchor::Start).bold(), (pane.right + em * 0.6, y), words))
            }
        }
    }
}

/// Draws bars from the 0 line: above it more stocks rose, below it more fell.
fn net_advances(sheet: &Sheet<'_>, sessions: &Sessions<'_, '_>, pane: Area) -> Markup {
    let columns = sessions.columns;
    let numbers: Vec<Option<f64>> = sessions.rows.iter().map(|row| net(columns, *row)).collect();
    let span = Span::from_numbers(numbers.iter().flatten().copied().chain([0.0]))
        .unwrap_or(Span { low: -1.0, high: 1.0 });
    let axis = NumberAxis::new(sheet, span, pane.height(), NumberForm::Count);
    let scale = Scale::new(span, pane.bottom, pane.top);
    let zero = scale.position(0.0);
    let (mut up, mut down) = (PathText::new(), PathText::new());
    for (at, number) in numbers.iter().enumerate() {
        if let Some(number) = number {
            let bars = if *number >= 0.0 { &mut up } else { &mut down };
            bars.move_to(sessions.steps.position(at), zero).down_to(scale.position(*number));
        }
    }
    let bar_width = (sessions.steps.step * 0.7).clamp(0.6, 16.0);
    html! {
        (axis.draw(sheet, pane, AxisSide::Left, &scale, None))
        (sheet.pane_title(pane, "Advances less declines"))
        (blunt_path(sheet.theme, Ink::line(Tint::Up, bar_width), &up))
        (blunt_path(sheet.theme, Ink::line(Tint::Down, bar_width), &down))
        (zero_line(sheet, pane, zero))
    }
}

fn zero_line(sheet: &Sheet<'_>, pane: Area, y: f64) -> Markup {
    let mut line = PathText::new();
    line.move_to(pane.left, y).across_to(pane.right);
    path(sheet.theme, Ink::line(Tint::Axis, 1.0), &line)
}

fn oscillator(sheet: &Sheet<'_>, sessions: &Sessions<'_, '_>, pane: Area) -> Markup {
    let number = |row: usize| sessions.columns.number("mcclellan", row);
    let numbers = sessions.rows.iter().filter_map(|row| number(*row));
    let span =
        Span::from_numbers(numbers.chain([0.0])).unwrap_or(Span { low: -1.0, high: 1.0 }).widen_by(0.05);
    let axis = NumberAxis::new(sheet, span, pane.height(), NumberForm::Plain);
    let scale = Scale::new(span, pane.bottom, pane.top);
    html! {
        (axis.draw(sheet, pane, AxisSide::Left, &scale, None))
        (sheet.pane_title(pane, "McClellan oscillator"))
        (zero_line(sheet, pane, scale.position(0.0)))
        (path(sheet.theme, Ink::line(Tint::Accent, 1.5), &sessions.line(&scale, number)))
    }
}

//! Bars: one or two figures by period, as in financial statements; negative ones go down from the 0 line.
//!
//! The first figure is filled, the second hollow. Figures of one unit share a pane; others have a pane each, so that no pane has two axes.
//! A figure beside them, such as a margin, is a line in a lower pane, and growth is written below the periods. A period without a figure
//! shows a dash.

use maud::{Markup, html};

use crate::axis::{AxisSide, NumberAxis, long_date, period_axis};
use crate::data::{RoleColumn, RoleColumns};
use crate::legend::{Swatch, legend};
use crate::readings::{ReadingPositions, ReadingSeries, Readings};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, Lettering, PathText, circle, path, texts};
use crate::sheet::{Drawing, PageWidth, PictureSize, Sheet};
use crate::text::{FontWeight, clean_text, width};
use crate::theme::Tint;

/// Shown for a period without a figure.
const NO_FIGURE: &str = "–";
const SERIES: [Tint; 3] = [Tint::Line1, Tint::Line2, Tint::Line3];

/// Returns the font size of the figures at bars. On a page it is the size of all letters, because a page may scale a picture down.
fn figure_font_size(sheet: &Sheet<'_>) -> f64 {
    sheet.font_size() * if sheet.is_file() { 0.9 } else { 1.0 }
}
/// Height of a pane of lines, as a part of the height of a pane of bars.
const LINE_PANE: f64 = 0.45;
/// Role of a figure that is a line.
const LINE: &str = "line";

/// Figures that share a pane, each with its index among all figures.
type Figures<'a, 'b> = Vec<(usize, &'b RoleColumn<'a>)>;

/// Periods, figures and panes.
#[derive(Debug)]
struct BarLayout<'a, 'b> {
    rows: Vec<usize>,
    /// Number of all periods; `rows` has the last of them.
    period_count: usize,
    labels: Vec<String>,
    figures: Figures<'a, 'b>,
    panes: Vec<(BarPane, Figures<'a, 'b>)>,
    steps: Steps,
    /// Area of all panes.
    body: Area,
}

impl<'a, 'b> BarLayout<'a, 'b> {
    /// Returns `None` without figures.
    fn new(sheet: &Sheet<'_>, columns: &'b RoleColumns<'a>) -> Option<Self> {
        let (rows, period_count) = periods(sheet, columns);
        let labels: Vec<String> = rows.iter().filter_map(|row| label(columns, *row)).collect();
        let figures: Figures<'a, 'b> =
            columns.with_role("value").chain(columns.with_role(LINE)).enumerate().collect();
        let has_figure = |row: &usize| figures.iter().any(|(_, figure)| figure.column.number(*row).is_some());
        if !rows.iter().any(has_figure) {
            return None;
        }
        let em = sheet.font_size();
        let area = sheet.area();
        let is_shared = |a: &(usize, &RoleColumn<'_>), b: &(usize, &RoleColumn<'_>)| {
            a.1.column.form == b.1.column.form && a.1.role == b.1.role
        };
        let shared: Vec<Figures<'a, 'b>> = figures.chunk_by(is_shared).map(<[_]>::to_vec).collect();
        let below = if columns.first_column("growth").is_some() { 3.3 } else { 2.0 };
        let body = Area { top: area.top + em * 1.4, bottom: area.bottom - em * below, ..area };
        let heights: Vec<f64> =
            shared.iter().map(|figures| if are_lines(figures) { LINE_PANE } else { 1.0 }).collect();
        let areas = body.cut_into_rows(&heights, em * 2.4);
        let pane =
            |(figures, area): (Figures<'a, 'b>, Area)| (BarPane::new(sheet, &figures, &rows, area), figures);
        let panes: Vec<(BarPane, Figures<'a, 'b>)> = shared.into_iter().zip(areas).map(pane).collect();
        let left = area.left + panes.iter().map(|(pane, _)| pane.axis.width).fold(0.0, f64::max);
        let steps = Steps::new(left, area.right, rows.len());
        Some(Self { rows, period_count, labels, figures, panes, steps, body: Area { left, ..body } })
    }
}

/// Returns true if figures that share a pane are lines.
fn are_lines(figures: &[(usize, &RoleColumn<'_>)]) -> bool {
    figures.iter().all(|(_, figure)| figure.role == LINE)
}

pub(crate) fn draw(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let Some(layout) = BarLayout::new(sheet, columns) else {
        return sheet.empty_drawing("there are no figures");
    };
    let BarLayout { rows, period_count, labels, figures, panes, steps, body } = &layout;
    let entries = figures.iter().map(|(nth, figure)| {
        let tint = SERIES.get(*nth).copied().unwrap_or(Tint::Line1);
        let swatch = match *nth {
            _ if figure.role == LINE => Swatch::Line(tint, ""),
            0 => Swatch::Filled(tint),
            _ => Swatch::Hollow(tint),
        };
        (swatch, figure.label.as_str())
    });
    let has_titles = panes.len() > 1;
    let growth = growth_row(sheet, columns, &layout);
    let drawn = html! {
        (legend(sheet, entries))
        @for (pane, figures) in panes {
            @if has_titles { (pane.title(sheet, figures, body.left)) }
            (pane.draw(sheet, figures, rows, steps))
        }
        (period_axis(sheet, *body, steps, labels))
        @if let Some(growth) = &growth { (growth) }
    };
    // Panes with titles name their units there.
    let unit = panes.first().filter(|_| !has_titles).map(|(pane, _)| pane.axis.unit.to_owned());
    let cut =
        (*period_count > rows.len()).then(|| format!("the last {} of {period_count} periods", rows.len()));
    let below = columns.first_column("growth").filter(|_| growth.is_some());
    let below = below.map(|growth| format!("below the periods: {}", growth.label));
    Drawing::new(drawn, unit.into_iter().chain(cut).chain(below))
}

/// Writes the growth of each period below its label; `None` if it does not fit.
fn growth_row(sheet: &Sheet<'_>, columns: &RoleColumns<'_>, layout: &BarLayout<'_, '_>) -> Option<Markup> {
    const FALL: char = '−';
    let size = figure_font_size(sheet);
    let y = layout.body.bottom + sheet.font_size() * 2.55;
    let written = layout.rows.iter().enumerate().filter_map(|(at, row)| {
        let growth = columns.number("growth", *row)?.round();
        let sign = if growth > 0.0 {
            "+".to_owned()
        } else if growth < 0.0 {
            FALL.to_string()
        } else {
            String::new()
        };
        Some((layout.steps.position(at), format!("{sign}{:.0}%", growth.abs())))
    });
    let written: Vec<(f64, String)> = written.collect();
    let fits =
        |words: &str| width(words, size, FontWeight::Regular) + sheet.font_size() * 0.4 <= layout.steps.step;
    if written.is_empty() || !written.iter().all(|(_, words)| fits(words)) {
        return None;
    }
    let (falls, rises): (Vec<_>, Vec<_>) = written.iter().partition(|(_, words)| words.starts_with(FALL));
    let row = |tint, all: Vec<&(f64, String)>| {
        let lettering = Lettering { size, ..sheet.text_style(tint, Anchor::Middle) };
        texts(sheet.theme, lettering, all.into_iter().map(|(x, words)| (*x, y, words.as_str())))
    };
    Some(html! { (row(Tint::Up, rises)) (row(Tint::Down, falls)) })
}

/// Returns the figures of the periods.
pub(crate) fn readings(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> Option<Readings> {
    let layout = BarLayout::new(sheet, columns)?;
    let read = |(_, figure): &(usize, &RoleColumn<'_>)| ReadingSeries {
        key: "value",
        name: figure.label.clone(),
        form: figure.column.form.reading_form(sheet.currency),
        values: layout.rows.iter().map(|row| figure.column.number(*row)).collect(),
    };
    let all: Vec<ReadingSeries> = layout.figures.iter().map(read).collect();
    let positions = ReadingPositions { steps: &layout.steps, panes: layout.body, axis: None };
    Some(Readings::new(&positions, &layout.labels, all, sheet.currency))
}

/// Returns the rows of the last periods, which are drawn, and the number of all periods.
fn periods(sheet: &Sheet<'_>, columns: &RoleColumns<'_>) -> (Vec<usize>, usize) {
    let most = match sheet.size {
        PictureSize::Page(PageWidth::Phone) => 12,
        PictureSize::Page(PageWidth::Column) => 24,
        PictureSize::Regular | PictureSize::Page(PageWidth::Page) => 40,
        PictureSize::Large | PictureSize::Page(PageWidth::Screen) => 60,
    };
    let mut rows: Vec<usize> = (0..columns.rows).filter(|row| label(columns, *row).is_some()).collect();
    if columns.first_column("end").is_some() {
        rows.sort_by_key(|row| columns.date("end", *row));
    }
    let period_count = rows.len();
    (rows.split_off(period_count.saturating_sub(most)), period_count)
}

fn label(columns: &RoleColumns<'_>, row: usize) -> Option<String> {
    columns.text("period", row).map(clean_text).or_else(|| columns.date("period", row).map(long_date))
}

#[derive(Debug)]
struct BarPane {
    area: Area,
    axis: NumberAxis,
    scale: Scale,
}

impl BarPane {
    fn new(sheet: &Sheet<'_>, figures: &Figures<'_, '_>, rows: &[usize], area: Area) -> Self {
        let numbers =
            rows.iter().flat_map(|row| figures.iter().filter_map(|(_, figure)| figure.column.number(*row)));
        let span = Span::from_numbers(numbers.chain([0.0])).unwrap_or(Span { low: 0.0, high: 1.0 });
        // Figures are written above and below the bars.
        let room = (span.high - span.low) * sheet.font_size() * 1.6 / area.height();
        let low = if span.low < 0.0 { span.low - room } else { 0.0 };
        let span = Span { low, high: if span.high > 0.0 { span.high + room } else { 0.0 } };
        let form = figures.first().map(|(_, figure)| figure.column.form).unwrap_or_default();
        Self {
            area,
            axis: NumberAxis::new(sheet, span, area.height(), form),
            scale: Scale::new(span, area.bottom, area.top),
        }
    }

    fn draw(&self, sheet: &Sheet<'_>, figures: &Figures<'_, '_>, rows: &[usize], steps: &Steps) -> Markup {
        let area = Area { left: steps.left, ..self.area };
        let is_line = are_lines(figures);
        let slots = |position| {
            if is_line { Slots::new(steps, 1, 0) } else { Slots::new(steps, figures.len(), position) }
        };
        let series: Vec<BarSeries> = figures
            .iter()
            .enumerate()
            .map(|(position, (nth, figure))| self.series(sheet, *nth, figure, rows, &slots(position)))
            .collect();
        let fit = figures_fit(&series, figure_font_size(sheet));
        let mut zero = PathText::new();
        zero.move_to(area.left, self.scale.position(0.0)).across_to(area.right);
        html! {
            (self.axis.draw(sheet, area, AxisSide::Left, &self.scale, None))
            @for (series, (_, figure)) in series.iter().zip(figures) {
                @if is_line { (self.line(sheet, series.tint(), figure, rows, steps)) } @else { (series.bars(sheet)) }
                (series.figures(sheet, fit))
            }
            (path(sheet.theme, Ink::line(Tint::Axis, 1.2), &zero))
        }
    }

    /// Draws a figure as a line with a dot at each period, broken where a period has none.
    fn line(
        &self,
        sheet: &Sheet<'_>,
        tint: Tint,
        figure: &RoleColumn<'_>,
        rows: &[usize],
        steps: &Steps,
    ) -> Markup {
        let point = |(at, row): (usize, &usize)| {
            Some((steps.position(at), self.scale.position(figure.column.number(*row)?)))
        };
        let points: Vec<Option<(f64, f64)>> = rows.iter().enumerate().map(point).collect();
        let mut line = PathText::new();
        line.thin_line(&points, 1.5);
        html! {
            (path(sheet.theme, Ink::line(tint, 2.0), &line))
            @for at in points.iter().flatten() { (circle(sheet.theme, Ink::filled(tint), *at, 2.5)) }
        }
    }

    fn title(&self, sheet: &Sheet<'_>, figures: &Figures<'_, '_>, left: f64) -> Markup {
        let names: Vec<&str> = figures.iter().map(|(_, figure)| figure.label.as_str()).collect();
        sheet.pane_title(Area { left, ..self.area }, &self.axis.title(&names.join(", ")))
    }

    fn series(
        &self,
        sheet: &Sheet<'_>,
        nth: usize,
        figure: &RoleColumn<'_>,
        rows: &[usize],
        slots: &Slots<'_>,
    ) -> BarSeries {
        let em = figure_font_size(sheet);
        let zero = self.scale.position(0.0);
        let mut series = BarSeries { nth, bars: Vec::new(), written: Vec::new() };
        for (at, row) in rows.iter().enumerate() {
            let x = slots.position(at);
            let Some(value) = figure.column.number(*row) else {
                series.written.push((x, zero - em * 0.8, NO_FIGURE.to_owned()));
                continue;
            };
            let y = self.scale.position(value);
            let half = slots.bar / 2.0 - if nth == 0 { 0.0 } else { 0.7 };
            series.bars.push(Area { left: x - half, top: y.min(zero), right: x + half, bottom: y.max(zero) });
            let beyond = if value < 0.0 { em * 0.8 } else { -em * 0.8 };
            series.written.push((x, y + beyond, self.axis.figure(value)));
        }
        series
    }
}

/// Bars of one figure, with the texts at them.
#[derive(Debug)]
struct BarSeries {
    nth: usize,
    bars: Vec<Area>,
    written: Vec<(f64, f64, String)>,
}

/// Returns true if no figure would overlap another one or a bar: figures are written at all bars or at none.
fn figures_fit(series: &[BarSeries], font_size: f64) -> bool {
    let area = |(x, y, words): &(f64, f64, String)| {
        let half = width(words, font_size, FontWeight::Regular) / 2.0 + 1.0;
        Area { left: x - half, top: y - font_size * 0.6, right: x + half, bottom: y + font_size * 0.6 }
    };
    let figures: Vec<Area> = series.iter().flat_map(|series| series.written.iter().map(area)).collect();
    let bars = || series.iter().flat_map(|series| &series.bars);
    let is_free = |(at, figure): (usize, &Area)| {
        let mut others = figures.iter().skip(at + 1).chain(bars());
        !others.any(|other| other.overlaps(figure))
    };
    figures.iter().enumerate().all(is_free)
}

impl BarSeries {
    fn tint(&self) -> Tint {
        SERIES.get(self.nth).copied().unwrap_or(Tint::Line1)
    }

    fn bars(&self, sheet: &Sheet<'_>) -> Markup {
        let tint = self.tint();
        let ink =
            if self.nth == 0 { Ink::filled(tint) } else { Ink::line(tint, 1.4).with_fill(Tint::Surface) };
        let mut bars = PathText::new();
        for bar in &self.bars {
            bars.add_box(*bar);
        }
        html! { g stroke-linejoin="miter" { (path(sheet.theme, ink, &bars)) } }
    }

    fn figures(&self, sheet: &Sheet<'_>, has_figures: bool) -> Markup {
        let lettering =
            Lettering { size: figure_font_size(sheet), ..sheet.text_style(Tint::Text, Anchor::Middle) };
        let visible = self.written.iter().filter(|(.., words)| has_figures || words == NO_FIGURE);
        texts(sheet.theme, lettering, visible.map(|(x, y, words)| (*x, *y, words.as_str())))
    }
}

/// Horizontal positions of the bars of one figure: a step has a bar of each figure, side by side.
#[derive(Debug)]
struct Slots<'a> {
    steps: &'a Steps,
    /// Offset of the bar from the middle of its step.
    shift: f64,
    /// Width of the bar.
    bar: f64,
}

impl<'a> Slots<'a> {
    fn new(steps: &'a Steps, count: usize, position: usize) -> Self {
        let slot = (steps.step * 0.76 / count as f64).min(54.0);
        let shift = (position as f64 - (count as f64 - 1.0) / 2.0) * slot;
        Self { steps, shift, bar: slot * 0.86 }
    }

    fn position(&self, period: usize) -> f64 {
        self.steps.position(period) + self.shift
    }
}

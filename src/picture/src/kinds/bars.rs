//! Bars: one or two figures by period, as in financial statements; negative ones go down from the 0 line.
//!
//! The first figure is filled, the second hollow. Figures of one unit share a pane; others have a pane each, so that no pane has two axes.
//! A period without a figure shows a dash.

use maud::{Markup, html};

use crate::axis::{AxisSide, NumberAxis, long_date, period_axis};
use crate::data::{RoleColumn, RoleColumns};
use crate::legend::{Swatch, legend};
use crate::scale::{Scale, Span, Steps};
use crate::shape::{Anchor, Area, Ink, Lettering, PathText, path, texts};
use crate::sheet::{Drawing, Paper, PictureSize};
use crate::text::{FontWeight, cleaned, width};
use crate::theme::Tint;

/// Font size of the figures at bars, in ems.
const FIGURES: f64 = 0.9;
/// Shown for a period without a figure.
const NO_FIGURE: &str = "–";
const SERIES: [Tint; 2] = [Tint::Line1, Tint::Line2];

/// Figures that share a pane, each with its index among all figures.
type Figures<'a, 'b> = Vec<(usize, &'b RoleColumn<'a>)>;

pub(crate) fn draw(sheet: &Paper<'_>, columns: &RoleColumns<'_>) -> Drawing {
    let (rows, found) = periods(sheet, columns);
    let labels: Vec<String> = rows.iter().filter_map(|row| label(columns, *row)).collect();
    let figures: Figures<'_, '_> = columns.all("value").enumerate().collect();
    let has_figure =
        rows.iter().any(|row| figures.iter().any(|(_, figure)| figure.column.number(*row).is_some()));
    if !has_figure {
        return sheet.nothing("there are no figures");
    }
    let letters = sheet.letters();
    let area = sheet.area();
    let panes: Vec<Figures<'_, '_>> =
        figures.chunk_by(|a, b| a.1.column.form == b.1.column.form).map(<[_]>::to_vec).collect();
    let body = Area { top: area.top + letters * 1.4, bottom: area.bottom - letters * 2.0, ..area };
    let areas = body.stacked(&vec![1.0; panes.len()], letters * 2.4);
    let drafts: Vec<BarPane> =
        panes.iter().zip(areas).map(|(figures, area)| BarPane::new(sheet, figures, &rows, area)).collect();
    let left = area.left + drafts.iter().map(|pane| pane.axis.width).fold(0.0, f64::max);
    let steps = Steps::new(left, area.right, rows.len());
    let entries = figures.iter().map(|(nth, figure)| {
        let tint = SERIES.get(*nth).copied().unwrap_or(Tint::Line1);
        (if *nth == 0 { Swatch::Filled(tint) } else { Swatch::Hollow(tint) }, figure.label.as_str())
    });
    let has_titles = drafts.len() > 1;
    let drawn = html! {
        (legend(sheet, entries))
        @for (pane, figures) in drafts.iter().zip(&panes) {
            @if has_titles { (pane.title(sheet, figures, left)) }
            (pane.draw(sheet, figures, &rows, &steps))
        }
        (period_axis(sheet, Area { left, ..body }, &steps, &labels))
    };
    // Panes with titles name their units there.
    let unit = drafts.first().filter(|_| !has_titles).map(|pane| pane.axis.unit.to_owned());
    let cut = (found > rows.len()).then(|| format!("the last {} of {found} periods", rows.len()));
    Drawing::new(drawn, unit.into_iter().chain(cut))
}

/// Returns the rows of the periods to draw (the last ones), and how many periods there are.
fn periods(sheet: &Paper<'_>, columns: &RoleColumns<'_>) -> (Vec<usize>, usize) {
    let most = match sheet.size {
        PictureSize::Phone => 12,
        PictureSize::Regular => 40,
        PictureSize::Large => 60,
    };
    let mut rows: Vec<usize> = (0..columns.rows).filter(|row| label(columns, *row).is_some()).collect();
    if columns.one("end").is_some() {
        rows.sort_by_key(|row| columns.date("end", *row));
    }
    let found = rows.len();
    (rows.split_off(found.saturating_sub(most)), found)
}

fn label(columns: &RoleColumns<'_>, row: usize) -> Option<String> {
    columns.text("period", row).map(cleaned).or_else(|| columns.date("period", row).map(long_date))
}

#[derive(Debug)]
struct BarPane {
    area: Area,
    axis: NumberAxis,
    scale: Scale,
}

impl BarPane {
    fn new(sheet: &Paper<'_>, figures: &Figures<'_, '_>, rows: &[usize], area: Area) -> Self {
        let numbers =
            rows.iter().flat_map(|row| figures.iter().filter_map(|(_, figure)| figure.column.number(*row)));
        let span = Span::covering(numbers.chain([0.0])).unwrap_or(Span { low: 0.0, high: 1.0 });
        // Figures are written above and below the bars.
        let room = (span.high - span.low) * sheet.letters() * 1.6 / area.height();
        let low = if span.low < 0.0 { span.low - room } else { 0.0 };
        let span = Span { low, high: if span.high > 0.0 { span.high + room } else { 0.0 } };
        let form = figures.first().map(|(_, figure)| figure.column.form).unwrap_or_default();
        Self {
            area,
            axis: NumberAxis::new(sheet, span, area.height(), form),
            scale: Scale::new(span, area.bottom, area.top),
        }
    }

    fn draw(&self, sheet: &Paper<'_>, figures: &Figures<'_, '_>, rows: &[usize], steps: &Steps) -> Markup {
        let area = Area { left: steps.left, ..self.area };
        let series: Vec<BarSeries> = figures
            .iter()
            .enumerate()
            .map(|(place, (nth, figure))| {
                self.series(sheet, *nth, figure, rows, &Slots::new(steps, figures.len(), place))
            })
            .collect();
        let fit = figures_fit(&series, sheet.letters() * FIGURES);
        let mut zero = PathText::new();
        zero.move_to(area.left, self.scale.at(0.0)).across_to(area.right);
        html! {
            (self.axis.draw(sheet, area, AxisSide::Left, &self.scale, None))
            @for series in &series { (series.draw(sheet, fit)) }
            (path(sheet.theme, Ink::line(Tint::Axis, 1.2), &zero))
        }
    }

    fn title(&self, sheet: &Paper<'_>, figures: &Figures<'_, '_>, left: f64) -> Markup {
        let names: Vec<&str> = figures.iter().map(|(_, figure)| figure.label.as_str()).collect();
        sheet.pane_title(Area { left, ..self.area }, &self.axis.title(&names.join(", ")))
    }

    fn series(
        &self,
        sheet: &Paper<'_>,
        nth: usize,
        figure: &RoleColumn<'_>,
        rows: &[usize],
        slots: &Slots<'_>,
    ) -> BarSeries {
        let letters = sheet.letters() * FIGURES;
        let zero = self.scale.at(0.0);
        let mut series = BarSeries { nth, bars: Vec::new(), written: Vec::new() };
        for (at, row) in rows.iter().enumerate() {
            let x = slots.at(at);
            let Some(value) = figure.column.number(*row) else {
                series.written.push((x, zero - letters * 0.8, NO_FIGURE.to_owned()));
                continue;
            };
            let y = self.scale.at(value);
            let half = slots.bar / 2.0 - if nth == 0 { 0.0 } else { 0.7 };
            series.bars.push(Area { left: x - half, top: y.min(zero), right: x + half, bottom: y.max(zero) });
            let beyond = if value < 0.0 { letters * 0.8 } else { -letters * 0.8 };
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
fn figures_fit(series: &[BarSeries], letters: f64) -> bool {
    let area = |(x, y, words): &(f64, f64, String)| {
        let half = width(words, letters, FontWeight::Regular) / 2.0 + 1.0;
        Area { left: x - half, top: y - letters * 0.6, right: x + half, bottom: y + letters * 0.6 }
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
    fn draw(&self, sheet: &Paper<'_>, has_figures: bool) -> Markup {
        let tint = SERIES.get(self.nth).copied().unwrap_or(Tint::Line1);
        let ink =
            if self.nth == 0 { Ink::filled(tint) } else { Ink::line(tint, 1.4).with_fill(Tint::Surface) };
        let lettering =
            Lettering { size: sheet.letters() * FIGURES, ..sheet.lettering(Tint::Text, Anchor::Middle) };
        let shown = self.written.iter().filter(|(.., words)| has_figures || words == NO_FIGURE);
        let mut bars = PathText::new();
        for bar in &self.bars {
            bars.boxed(*bar);
        }
        html! {
            g stroke-linejoin="miter" { (path(sheet.theme, ink, &bars)) }
            (texts(sheet.theme, lettering, shown.map(|(x, y, words)| (*x, *y, words.as_str()))))
        }
    }
}

/// Positions of one figure's bars within the steps of the periods.
#[derive(Debug)]
struct Slots<'a> {
    steps: &'a Steps,
    /// Offset of the bar from the middle of its step.
    shift: f64,
    bar: f64,
}

impl<'a> Slots<'a> {
    fn new(steps: &'a Steps, count: usize, place: usize) -> Self {
        let slot = (steps.step * 0.76 / count as f64).min(54.0);
        let shift = (place as f64 - (count as f64 - 1.0) / 2.0) * slot;
        Self { steps, shift, bar: slot * 0.86 }
    }

    fn at(&self, period: usize) -> f64 {
        self.steps.at(period) + self.shift
    }
}

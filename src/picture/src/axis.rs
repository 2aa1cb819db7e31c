//! Axes: round numbers at the side of a pane, dates and periods below it.
//!
//! Labels never overlap: there are as many numbers as the height allows, and dates are marked at the finest interval whose labels fit.

use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use super::number::{AxisNumbers, NumberForm};
use super::scale::{Scale, Span, Steps, log_ticks};
use super::shape::{Anchor, Area, Ink, Lettering, PathText, path, texts};
use super::sheet::Sheet;
use super::text::{FontWeight, width};
use super::theme::Tint;

/// Side of the pane on which a number axis is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisSide {
    Left,
    Right,
}

#[derive(Debug)]
pub(super) struct NumberAxis {
    ticks: Vec<(f64, String)>,
    numbers: AxisNumbers,
    /// Unit of the numbers, for the pane's title; empty if they have no unit.
    pub unit: &'static str,
    /// Width of the widest label plus the gap to the pane.
    pub width: f64,
}

/// Gap between a pane and its labels, in ems.
const GAP: f64 = 0.6;

impl NumberAxis {
    /// Builds an axis with linear ticks for a pane of this height.
    pub(super) fn new(sheet: &Sheet<'_>, span: Span, height: f64, form: NumberForm) -> Self {
        let (ticks, step) = span.ticks(most_ticks(sheet, height));
        Self::with_ticks(sheet, span, ticks, step, form)
    }

    /// Builds an axis with logarithmic ticks: equal heights are equal percentages.
    pub(super) fn log(sheet: &Sheet<'_>, span: Span, height: f64, form: NumberForm) -> Self {
        let (ticks, step) = log_ticks(span, most_ticks(sheet, height));
        Self::with_ticks(sheet, span, ticks, step, form)
    }

    fn with_ticks(sheet: &Sheet<'_>, span: Span, ticks: Vec<f64>, step: f64, form: NumberForm) -> Self {
        let em = sheet.font_size();
        let numbers = AxisNumbers::new(form, sheet.currency, span.low.abs().max(span.high.abs()), step);
        let ticks: Vec<_> = ticks.into_iter().map(|tick| (tick, numbers.write(tick))).collect();
        let widest =
            ticks.iter().map(|(_, label)| sheet.width(label, FontWeight::Regular)).fold(0.0, f64::max);
        Self { ticks, numbers, unit: numbers.unit, width: widest + em * GAP }
    }

    /// Returns `words`, followed by the unit if there is one.
    pub(super) fn title(&self, words: &str) -> String {
        if self.unit.is_empty() { words.to_owned() } else { format!("{words}, {}", self.unit) }
    }

    /// Returns the ticks as (value, label), for callers that place them themselves.
    pub(super) fn labels(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().map(|(value, label)| (*value, label.as_str()))
    }

    /// Formats a number in the unit of the axis, with three significant digits.
    pub(super) fn figure(&self, value: f64) -> String {
        self.numbers.figure(value)
    }

    /// Draws grid lines across the pane, and their labels except within 1.3 em of `occupied_y`, where another label is.
    pub(super) fn draw(
        &self,
        sheet: &Sheet<'_>,
        pane: Area,
        side: AxisSide,
        scale: &Scale,
        occupied_y: Option<f64>,
    ) -> Markup {
        let em = sheet.font_size();
        let mut lines = PathText::new();
        for (tick, _) in &self.ticks {
            lines.move_to(pane.left, pixel_middle(scale.position(*tick))).across_to(pane.right);
        }
        let (x, anchor) = match side {
            AxisSide::Left => (pane.left - em * GAP, Anchor::End),
            AxisSide::Right => (pane.right + em * GAP, Anchor::Start),
        };
        let is_clear = |y: f64| occupied_y.is_none_or(|occupied| (y - occupied).abs() > em * 1.3);
        let placed = self.ticks.iter().map(|(tick, label)| (x, scale.position(*tick), label.as_str()));
        html! {
            (path(sheet.theme, Ink::line(Tint::Grid, 1.0), &lines))
            (texts(sheet.theme, sheet.text_style(Tint::Muted, anchor), placed.filter(|(_, y, _)| is_clear(*y))))
        }
    }
}

/// Returns the number of labels that fit a height: 2 to 7.
fn most_ticks(sheet: &Sheet<'_>, height: f64) -> usize {
    (height / (sheet.font_size() * 1.9)).floor().clamp(2.0, 7.0) as usize
}

/// Returns the middle of the pixel, so that a thin line is sharp.
pub(super) fn pixel_middle(coordinate: f64) -> f64 {
    coordinate.floor() + 0.5
}

/// Distance between the dates marked on an axis, finest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interval {
    Day,
    Week,
    Months(u32),
    Years(i32),
}

const INTERVALS: [Interval; 9] = [
    Interval::Day,
    Interval::Week,
    Interval::Months(1),
    Interval::Months(3),
    Interval::Months(6),
    Interval::Years(1),
    Interval::Years(2),
    Interval::Years(5),
    Interval::Years(10),
];

impl Interval {
    /// Returns a number that is equal for all dates in the same interval.
    fn key(self, date: NaiveDate) -> i32 {
        match self {
            Self::Day => date.num_days_from_ce(),
            // Day 1 of the common era was a Monday.
            Self::Week => (date.num_days_from_ce() - 1).div_euclid(7),
            Self::Months(count) => date.year() * 12 + (date.month0() / count * count) as i32,
            Self::Years(count) => date.year().div_euclid(count),
        }
    }

    fn label(self, date: NaiveDate) -> String {
        match self {
            Self::Day | Self::Week => date.format("%-d %b").to_string(),
            Self::Months(_) if date.month() > 1 => date.format("%b").to_string(),
            Self::Months(_) | Self::Years(_) => date.year().to_string(),
        }
    }
}

/// Returns the dates to mark, as (index, label): the starts of the finest interval whose labels fit when dates are `step` apart.
pub(super) fn date_ticks(dates: &[NaiveDate], step: f64, em: f64) -> Vec<(usize, String)> {
    let marked = |interval: Interval| -> Vec<(usize, String)> {
        let starts = dates.windows(2).enumerate().filter_map(|(at, pair)| match pair {
            [before, date] if interval.key(*before) != interval.key(*date) => Some((at + 1, *date)),
            _ => None,
        });
        let first = dates.first().map(|date| (0, *date)).filter(|_| interval == Interval::Day);
        first.into_iter().chain(starts).map(|(at, date)| (at, interval.label(date))).collect()
    };
    let fits = |ticks: &Vec<(usize, String)>| {
        ticks.windows(2).all(|pair| match pair {
            [(at, label), (next, next_label)] => {
                let labels =
                    width(label, em, FontWeight::Regular) + width(next_label, em, FontWeight::Regular);
                (next - at) as f64 * step >= labels / 2.0 + em
            }
            _ => true,
        })
    };
    let ticks = INTERVALS.into_iter().map(marked).find(fits).unwrap_or_default();
    match (ticks.is_empty(), dates) {
        (true, [first, ..]) => vec![(0, long_date(*first))],
        _ => ticks,
    }
}

/// Formats a date as `3 Nov 2025`.
pub(super) fn long_date(date: NaiveDate) -> String {
    date.format("%-d %b %Y").to_string()
}

/// Formats a range as `3 Nov 2025 – 20 Nov 2026`, or as one date if both ends are equal.
pub(super) fn date_span(dates: &[NaiveDate]) -> String {
    match dates {
        [] => String::new(),
        [only] => long_date(*only),
        [first, .., last] => format!("{} – {}", long_date(*first), long_date(*last)),
    }
}

/// Draws lines down all panes and labels below the last one: `panes` reaches from the top of the first to the bottom of the last.
pub(super) fn date_axis(sheet: &Sheet<'_>, panes: Area, steps: &Steps, dates: &[NaiveDate]) -> Markup {
    let em = sheet.font_size();
    let ticks = date_ticks(dates, steps.step, em);
    let mut lines = PathText::new();
    for (at, _) in &ticks {
        lines.move_to(pixel_middle(steps.position(*at)), panes.top).down_to(panes.bottom);
    }
    let placed = ticks.iter().filter_map(|(at, label)| {
        let half = sheet.width(label, FontWeight::Regular) / 2.0;
        // A single date is wider than the first step, so it is shifted into the pane.
        let x = steps.position(*at).max(if *at == 0 { panes.left + half } else { 0.0 });
        let is_near = x + half <= panes.right + em * 2.0;
        is_near.then(|| (sheet.shift_into_sheet(x, label), panes.bottom + em * 1.25, label.as_str()))
    });
    html! {
        (path(sheet.theme, Ink::line(Tint::Grid, 1.0), &lines))
        (texts(sheet.theme, sheet.text_style(Tint::Muted, Anchor::Middle), placed))
    }
}

/// Draws the labels of the steps below a pane: all, or each second, third and so on, counted from the last, if not all fit.
pub(super) fn period_axis(sheet: &Sheet<'_>, pane: Area, steps: &Steps, labels: &[String]) -> Markup {
    let em = sheet.font_size();
    let widest = labels.iter().map(|label| sheet.width(label, FontWeight::Regular)).fold(0.0, f64::max);
    let room = (widest + em).min(pane.width() / 2.0);
    let every = (room / steps.step).ceil().max(1.0) as usize;
    let visible: Vec<(f64, String)> = labels
        .iter()
        .enumerate()
        .filter(|(at, _)| (labels.len() - 1 - at).is_multiple_of(every))
        .map(|(at, label)| {
            let label = sheet.fit_text(label, every as f64 * steps.step, FontWeight::Regular);
            (sheet.shift_into_sheet(steps.position(at), &label), label)
        })
        .collect();
    let lettering: Lettering = sheet.text_style(Tint::Muted, Anchor::Middle);
    let y = pane.bottom + em * 1.25;
    texts(sheet.theme, lettering, visible.iter().map(|(x, label)| (*x, y, label.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(from: &str, count: u64, every: u64) -> Vec<NaiveDate> {
        let from: NaiveDate = from.parse().expect("a date");
        (0..count).map(|at| from + chrono::Days::new(at * every)).collect()
    }

    fn labels(dates: &[NaiveDate], width: f64) -> Vec<String> {
        let ticks = date_ticks(dates, width / dates.len() as f64, 12.0);
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn the_span_decides_which_dates_are_marked() {
        assert_eq!(labels(&days("2026-11-02", 4, 1), 400.0), ["2 Nov", "3 Nov", "4 Nov", "5 Nov"]);
        assert_eq!(labels(&days("2026-11-04", 25, 1), 400.0), ["9 Nov", "16 Nov", "23 Nov"]);
        assert_eq!(labels(&days("2025-11-20", 120, 1), 400.0), ["Dec", "2026", "Feb", "Mar"]);
        assert_eq!(
            labels(&days("2025-05-20", 700, 1), 400.0),
            ["Jul", "Oct", "2026", "Apr", "Jul", "Oct", "2027", "Apr"]
        );
        assert_eq!(
            labels(&days("2020-05-20", 300, 7), 300.0),
            ["2021", "2022", "2023", "2024", "2025", "2026"]
        );
    }

    #[test]
    fn few_dates_are_written_in_full() {
        assert_eq!(labels(&days("2026-11-02", 1, 1), 400.0), ["2 Nov"]);
        assert!(labels(&[], 400.0).is_empty());
        assert_eq!(date_span(&days("2026-11-02", 2, 1)), "2 Nov 2026 – 3 Nov 2026");
        assert_eq!(date_span(&days("2026-11-02", 1, 1)), "2 Nov 2026");
    }

    #[test]
    fn labels_keep_their_distance() {
        for (count, every) in [(5, 1), (60, 1), (250, 1), (1_250, 1), (5_000, 1), (300, 31), (900, 91)] {
            let dates = days("1999-12-30", count, every);
            for paper in [120.0, 400.0, 900.0] {
                let step = paper / dates.len() as f64;
                let ticks = date_ticks(&dates, step, 12.0);
                for pair in ticks.windows(2) {
                    let apart = (pair[1].0 - pair[0].0) as f64 * step;
                    let [a, b] = [0, 1].map(|at: usize| width(&pair[at].1, 12.0, FontWeight::Regular));
                    let half = f64::midpoint(a, b);
                    assert!(apart >= half + 12.0, "{count} {every} {paper}: {pair:?}");
                }
            }
        }
    }
}

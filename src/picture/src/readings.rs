//! Values of a picture by step, which a page shows under a pointer, under a finger and by keys.
//!
//! The positions of the steps depend on the width of a picture, the values on its bars alone: pictures of several widths share them.

use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::axis::long_date;
use super::number::{MarketCurrency, ReadingForm};
use super::scale::{Scale, Steps};
use super::shape::Area;

/// Key of horizontal levels over the bars. They are not in [`Readings::last`], as their values are on the axis.
pub(super) const LEVEL: &str = "level";

/// Key of the changes from close to close, in percent.
pub(super) const CHANGE: &str = "change";

/// Values of a picture by step, and the positions of the steps in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readings {
    /// JSON: step `n` is at `x0 + n * step`, and all panes reach from `top` to `bottom`. `axis` is the pane of prices, if there is one: its
    /// right end, and the prices at its lower and upper end.
    pub positions: String,
    /// JSON: `at` has the names of the steps, dates as `2026-11-03`, and `series` the figures of all steps, each with its format. The
    /// values of the changes are null: they follow from the closes.
    pub values: String,
    /// The figures of the last step, which a page shows until the reader points at another one.
    pub last: Vec<NamedFigure>,
}

/// A figure with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFigure {
    /// Name for readers.
    pub name: String,
    /// The figure, with its unit.
    pub text: String,
}

/// The values of one figure at all steps.
#[derive(Debug)]
pub(super) struct ReadingSeries {
    /// Word by which the script of a page knows the figure, the same in every market.
    pub key: &'static str,
    /// Name for readers.
    pub name: String,
    pub form: ReadingForm,
    pub values: Vec<Option<f64>>,
}

impl ReadingSeries {
    fn last_figure(&self, currency: MarketCurrency) -> NamedFigure {
        let value = self.values.last().copied().flatten();
        let text = value.map_or_else(|| "–".to_owned(), |value| self.form.write(value, currency));
        NamedFigure { name: self.name.clone(), text }
    }

    fn json(&self) -> Json {
        // Numbers without decimals are whole; others have the decimals that changes are computed from.
        let unit = if self.form.decimals == 0 { 1.0 } else { 1e4 };
        let rounded = |value: &Option<f64>| value.map(|value| shortest((value * unit).round() / unit));
        json!({
            "key": self.key,
            "name": self.name,
            "before": self.form.before,
            "decimals": self.form.decimals,
            "after": self.form.after,
            "signed": self.form.is_signed,
            // The script of a page computes changes from the closes.
            "values": (self.key != CHANGE).then(|| self.values.iter().map(rounded).collect::<Vec<_>>()),
        })
    }
}

/// Positions of the steps.
#[derive(Debug)]
pub(super) struct ReadingPositions<'a> {
    pub steps: &'a Steps,
    /// Area of all panes.
    pub panes: Area,
    /// Scale of the prices, if a price can be read at any height.
    pub axis: Option<&'a Scale>,
}

impl Readings {
    /// Builds the readings. `step_names` has the date or period of each step; a series without any value is left out.
    pub(super) fn new(
        positions: &ReadingPositions<'_>,
        step_names: &[String],
        mut series: Vec<ReadingSeries>,
        currency: MarketCurrency,
    ) -> Self {
        series.retain(|series| series.values.iter().any(Option::is_some));
        let tenths = |coordinate: f64| (coordinate * 10.0).round() / 10.0;
        let ReadingPositions { steps, panes, axis } = positions;
        let last = step_names.last().map(|name| step_figure(name)).into_iter();
        let is_in_last = |series: &&ReadingSeries| series.key != LEVEL;
        let last =
            last.chain(series.iter().filter(is_in_last).map(|series| series.last_figure(currency))).collect();
        let series: Vec<Json> = series.iter().map(ReadingSeries::json).collect();
        let position_values = json!({
            // A rounding error of the distance grows with every step.
            "x0": (steps.position(0) * 1e4).round() / 1e4,
            "step": (steps.step * 1e4).round() / 1e4,
            "top": tenths(panes.top),
            "bottom": tenths(panes.bottom),
            "axis": axis.map(|scale| scale.json(panes.right)),
        });
        Self {
            positions: position_values.to_string(),
            values: json!({ "at": step_names, "series": series }).to_string(),
            last,
        }
    }
}

/// Returns a number as JSON; a whole one has no decimals.
fn shortest(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

/// Returns a step as a figure: `Date` with the date in words, or `Period` with the name of the period.
fn step_figure(step_name: &str) -> NamedFigure {
    let (name, text) = match step_name.parse::<NaiveDate>() {
        Ok(date) => ("Date", long_date(date)),
        Err(_) => ("Period", step_name.to_owned()),
    };
    NamedFigure { name: name.to_owned(), text }
}

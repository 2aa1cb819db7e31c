//! Values of a picture by step, which a page shows under a pointer, under a finger and by keys.
//!
//! The positions of the steps depend on the width of a picture, the values on its bars alone: pictures of several widths share them.

use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::axis::long_date;
use super::number::{MoneyWords, ReadForm};
use super::scale::{Scale, Steps};
use super::shape::Area;

/// Key of the figures that are lines over the bars, and are read on the axis alone.
pub(super) const LEVEL: &str = "level";

/// Key of the changes of the closes, in percent.
pub(super) const CHANGE: &str = "change";

/// Values of a picture by step, and the positions of the steps in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readings {
    /// JSON: step `n` is at `x0 + n * step`, and all panes reach from `top` to `bottom`. `axis` is the pane of prices, if there is one: its
    /// right end, and the prices at its lower and upper end.
    pub places: String,
    /// JSON: `at` has the names of the steps, dates as `2026-11-03`, and `series` the figures of all steps, each with its format. The
    /// values of the changes are null: they follow from the closes.
    pub values: String,
    /// The figures of the last step, which a page shows before another one is read.
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

/// A figure of every step.
#[derive(Debug)]
pub(super) struct ReadSeries {
    /// Word for the script of a page, which is the same in every market.
    pub key: &'static str,
    /// Name for readers.
    pub name: String,
    pub form: ReadForm,
    pub values: Vec<Option<f64>>,
}

impl ReadSeries {
    fn last(&self, currency: MoneyWords) -> NamedFigure {
        let value = self.values.last().copied().flatten();
        let text = value.map_or_else(|| "–".to_owned(), |value| self.form.write(value, currency));
        NamedFigure { name: self.name.clone(), text }
    }

    fn json(&self) -> Json {
        // Numbers without decimals are whole; others have the decimals that changes are computed from.
        let unit = if self.form.decimals == 0 { 1.0 } else { 1e4 };
        let rounded = |value: &Option<f64>| value.map(|value| (value * unit).round() / unit);
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

/// Places of the steps.
#[derive(Debug)]
pub(super) struct ReadPositions<'a> {
    pub steps: &'a Steps,
    /// Area of all panes.
    pub panes: Area,
    /// Scale of the prices, if a price can be read at any height.
    pub axis: Option<&'a Scale>,
}

impl Readings {
    /// Builds the readings of steps, named by `at`; a series without any value is left out.
    pub(super) fn new(
        places: &ReadPositions<'_>,
        at: &[String],
        mut series: Vec<ReadSeries>,
        currency: MoneyWords,
    ) -> Self {
        series.retain(|series| series.values.iter().any(Option::is_some));
        let tenths = |coordinate: f64| (coordinate * 10.0).round() / 10.0;
        let ReadPositions { steps, panes, axis } = places;
        let last = at.last().map(|at| step_name(at)).into_iter();
        let is_read = |series: &&ReadSeries| series.key != LEVEL;
        let last = last.chain(series.iter().filter(is_read).map(|series| series.last(currency))).collect();
        let series: Vec<Json> = series.iter().map(ReadSeries::json).collect();
        let places = json!({
            // An error of the distance grows with every step.
            "x0": (steps.at(0) * 1e4).round() / 1e4,
            "step": (steps.step * 1e4).round() / 1e4,
            "top": tenths(panes.top),
            "bottom": tenths(panes.bottom),
            "axis": axis.map(|scale| scale.json(panes.right)),
        });
        Self { places: places.to_string(), values: json!({ "at": at, "series": series }).to_string(), last }
    }
}

/// Returns the name of a step: its date in words, or the period that it is.
fn step_name(at: &str) -> NamedFigure {
    let (name, text) = match at.parse::<NaiveDate>() {
        Ok(date) => ("Date", long_date(date)),
        Err(_) => ("Period", at.to_owned()),
    };
    NamedFigure { name: name.to_owned(), text }
}

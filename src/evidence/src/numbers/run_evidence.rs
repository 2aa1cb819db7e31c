//! The evidence of a run: figures of tools' answers, dates and periods, names with digits, and numbers of its input.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::calendar::{self, SeenDates};
use super::parts::{Letters, mask_range};
use super::seen_figure::{FigureKind, SeenFigure};
use super::written::{self, NumberUnit};

/// Maximum characters of a text that can be a name, such as of a company or index.
const MOST_NAME_CHARACTERS: usize = 80;

/// The evidence of a run.
#[derive(Debug, Clone, Default)]
pub struct RunEvidence {
    pub(super) figures: Vec<SeenFigure>,
    pub(super) calendar: SeenDates,
    /// Short texts with digits and letters, in lower case.
    pub(super) names: BTreeSet<String>,
    /// Numbers in field names, such as the 50 of `ema_50`. In a text they name figures.
    pub(super) field_numbers: BTreeSet<u32>,
    /// Numbers in arguments of calls, by parameter.
    pub(super) arguments: Vec<(String, f64)>,
    /// Numbers in the caller's text.
    pub(super) goal_numbers: Vec<f64>,
    /// Counts of items in the report itself.
    pub(super) counts: BTreeSet<u32>,
}

/// A figure that an agent cites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitedFigure {
    /// Name of the tool that returned the figure.
    pub operation: String,
    /// The symbol; empty for a market figure.
    #[serde(default)]
    pub symbol: String,
    /// Name of the field in the tool's answer.
    pub field: String,
    /// The value. Models write a text or a number; reports have the value of the tool's answer.
    pub value: Json,
}

impl RunEvidence {
    /// Adds a tool's answer as the model saw it, and the arguments of the call.
    pub fn add_answer(&mut self, operation: &str, arguments: &Map<String, Json>, answer: &Json) {
        let symbol = arguments.get("symbol").and_then(Json::as_str).map(str::to_uppercase);
        for (name, value) in arguments {
            self.arguments.extend(value.as_f64().map(|number| (name.clone(), number)));
            if let Json::String(text) = value {
                self.add_moments(text);
            }
        }
        // Of the arguments, only a symbol that has an answer counts as a name: a model could invent any other.
        self.add_text_marks(symbol.as_deref().unwrap_or_default());
        self.add_figures(&FigureSource { operation, symbol: symbol.as_deref(), field: "" }, answer);
    }

    /// Adds the numbers of the caller's text. They support lengths of time only: claims of the caller are not data.
    pub fn add_goal(&mut self, goal: &str) {
        self.goal_numbers
            .extend(written::find(&Letters::from_text(goal), &[]).iter().map(|number| number.value));
        self.add_moments(goal);
    }

    /// Adds a text for its dates and names only, such as the date of the data.
    pub fn add_text_marks(&mut self, text: &str) {
        self.add_moments(text);
        let letters = Letters::from_text(text);
        if text.chars().count() <= MOST_NAME_CHARACTERS && letters.folded.iter().any(char::is_ascii_digit) {
            self.names.extend(name_forms(&letters.folded.iter().collect::<String>()));
        }
    }

    /// Adds counts of the report itself, such as its number of lenses.
    pub fn add_counts(&mut self, counts: impl IntoIterator<Item = u32>) {
        self.counts.extend(counts);
    }

    /// Adds all evidence of another run.
    pub fn add_all(&mut self, other: &Self) {
        self.figures.extend(other.figures.iter().cloned());
        self.calendar.add_all(&other.calendar);
        self.names.extend(other.names.iter().cloned());
        self.field_numbers.extend(&other.field_numbers);
        self.arguments.extend(other.arguments.iter().cloned());
        self.goal_numbers.extend(&other.goal_numbers);
        self.counts.extend(&other.counts);
    }

    /// Returns the cited figure with the value and symbol of the tool's answer; `None` if no tool returned it.
    pub fn find(&self, cited: &CitedFigure) -> Option<CitedFigure> {
        let is_same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        let figure = self.figures.iter().find(|figure| {
            let symbol = figure.symbol.as_deref().unwrap_or_default();
            is_same(&figure.operation, &cited.operation)
                && is_same(&figure.field, &cited.field)
                && (symbol.is_empty() || cited.symbol.is_empty() || is_same(symbol, &cited.symbol))
                && figure.has_value(&cited.value)
        })?;
        let symbol = figure.symbol.clone().unwrap_or_default();
        Some(CitedFigure {
            operation: figure.operation.clone(),
            symbol,
            field: figure.field.clone(),
            value: figure.value.clone(),
        })
    }

    fn add_moments(&mut self, text: &str) {
        let letters = Letters::from_text(text);
        for mention in calendar::find(&letters, &letters.parts()) {
            self.calendar.add(mention.moment);
        }
    }

    fn add_figures(&mut self, source: &FigureSource<'_>, value: &Json) {
        match value {
            Json::Object(object) => {
                let row_symbol = object.get("symbol").and_then(Json::as_str).map(str::to_uppercase);
                for (field, value) in object {
                    self.add_field(field);
                    let symbol = row_symbol.as_deref().or(source.symbol);
                    self.add_figures(&FigureSource { symbol, field, ..*source }, value);
                }
            }
            Json::Array(rows) => {
                let count = Json::from(rows.len());
                self.add_number(&FigureSource { field: "count", ..*source }, &count, rows.len() as f64);
                for row in rows {
                    self.add_figures(source, row);
                }
            }
            Json::Number(number) => {
                self.add_number(source, value, number.as_f64().unwrap_or(f64::NAN));
            }
            Json::String(text) => self.add_text(source, value, text),
            Json::Null | Json::Bool(_) => {}
        }
    }

    fn add_number(&mut self, source: &FigureSource<'_>, value: &Json, number: f64) {
        if number.is_finite() {
            self.figures.push(source.figure(value.clone(), Some(number), FigureKind::of_field(source.field)));
        }
    }

    fn add_text(&mut self, source: &FigureSource<'_>, value: &Json, text: &str) {
        self.add_text_marks(text);
        if text.chars().count() <= MOST_NAME_CHARACTERS {
            self.figures.push(source.figure(value.clone(), None, FigureKind::Other));
        }
        let letters = Letters::from_text(text);
        let mut masked = vec![false; letters.folded.len()];
        for mention in calendar::find(&letters, &letters.parts()) {
            mask_range(&mut masked, mention.start, mention.end);
        }
        for number in written::find(&letters, &masked) {
            let kind = match number.range_unit.unwrap_or(number.unit) {
                NumberUnit::Scale(scale) => FigureKind::Money(scale),
                NumberUnit::Percent => FigureKind::Percent,
                _ => FigureKind::Other,
            };
            // A number within a text is not a value of the field: it can be repeated, not cited.
            self.figures.push(source.figure(Json::Null, Some(number.value), kind));
        }
    }

    fn add_field(&mut self, field: &str) {
        self.add_text_marks(field);
        let digits = field.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        self.field_numbers.extend(digits.filter_map(|digits| digits.parse::<u32>().ok()));
    }
}

/// Origin of a value in an answer: the operation, the symbol in capitals, and the field.
#[derive(Clone, Copy)]
struct FigureSource<'a> {
    operation: &'a str,
    symbol: Option<&'a str>,
    field: &'a str,
}

impl FigureSource<'_> {
    fn figure(&self, value: Json, number: Option<f64>, kind: FigureKind) -> SeenFigure {
        let (operation, field) = (self.operation.to_owned(), self.field.to_owned());
        SeenFigure { operation, symbol: self.symbol.map(str::to_owned), field, value, number, kind }
    }
}

impl SeenFigure {
    /// Returns true if the figure has a cited value: the same text, or the same number at the precision of the cited one.
    fn has_value(&self, cited: &Json) -> bool {
        let text = match cited {
            Json::String(text) => text.trim().to_owned(),
            Json::Number(number) => number.to_string(),
            _ => return false,
        };
        match (&self.value, self.number) {
            (Json::Null, _) => false,
            (_, Some(number)) => {
                let digits: String = text.chars().filter(|c| *c != ',').collect();
                let digits = digits.trim_end_matches('%').trim();
                let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let is_near =
                    |cited: f64| (cited - number).abs() <= 0.5 * 10_f64.powi(-(decimals as i32)) + 1e-9;
                digits.parse::<f64>().is_ok_and(is_near)
            }
            (Json::String(value), None) => value.trim().eq_ignore_ascii_case(&text),
            _ => false,
        }
    }
}

/// Returns a name with a digit, and its forms without legal suffixes such as `limited`.
fn name_forms(name: &str) -> Vec<String> {
    const LEGAL: [&str; 9] =
        ["limited", "ltd", "ltd.", "inc", "inc.", "corp", "corp.", "corporation", "company"];
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let mut names = Vec::new();
    loop {
        let joined = words.join(" ");
        let has_letters = joined.chars().any(char::is_alphabetic) || joined.contains(':');
        if has_letters && joined.chars().any(|c| c.is_ascii_digit()) {
            names.push(joined);
        }
        match words.last() {
            Some(last) if words.len() > 1 && LEGAL.contains(last) => words.pop(),
            _ => return names,
        };
    }
}

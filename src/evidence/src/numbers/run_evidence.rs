//! Evidence that a run saw: figures of tools' answers, dates and periods, names with digits, and numbers of its input.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::calendar::{self, SeenDates};
use super::cell::{FigureKind, SeenFigure};
use super::parts::{Letters, mask_range};
use super::written::{self, NumberUnit};

/// Maximum characters of a text that can be a name, such as of a company or index.
const MOST_NAME_CHARACTERS: usize = 80;

/// Evidence that a run saw.
#[derive(Debug, Clone, Default)]
pub struct RunEvidence {
    pub(super) cells: Vec<SeenFigure>,
    pub(super) calendar: SeenDates,
    /// Short texts with digits and letters, in lower case.
    pub(super) names: BTreeSet<String>,
    /// Digits in field names, such as 50 of `ema_50`: they name figures.
    pub(super) in_fields: BTreeSet<u32>,
    /// Numbers in arguments of calls, by parameter.
    pub(super) arguments: Vec<(String, f64)>,
    /// Numbers in the caller's text.
    pub(super) goal: Vec<f64>,
    /// Counts of items in the report itself.
    pub(super) counts: BTreeSet<u32>,
}

/// A figure as cited by an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitedFigure {
    /// Name of the tool.
    pub operation: String,
    /// The symbol; empty for a market figure.
    #[serde(default)]
    pub symbol: String,
    /// Name of the field.
    pub field: String,
    /// The value; models write a text or a number, reports have the tool's own value.
    pub value: Json,
}

impl RunEvidence {
    /// Adds a tool's answer as shown to the model, and the arguments of the call.
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
        self.goal.extend(written::find(&Letters::from_text(goal), &[]).iter().map(|number| number.value));
        self.add_moments(goal);
    }

    /// Adds a text for its dates and names only, such as the date of the data.
    pub fn add_text_marks(&mut self, text: &str) {
        self.add_moments(text);
        let letters = Letters::from_text(text);
        if text.chars().count() <= MOST_NAME_CHARACTERS && letters.folded.iter().any(char::is_ascii_digit) {
            self.names.extend(names_of(&letters.folded.iter().collect::<String>()));
        }
    }

    /// Adds counts of the report itself, such as its number of lenses.
    pub fn add_counts(&mut self, counts: impl IntoIterator<Item = u32>) {
        self.counts.extend(counts);
    }

    /// Adds all evidence of another run.
    pub fn add_all(&mut self, other: &Self) {
        self.cells.extend(other.cells.iter().cloned());
        self.calendar.add_all(&other.calendar);
        self.names.extend(other.names.iter().cloned());
        self.in_fields.extend(&other.in_fields);
        self.arguments.extend(other.arguments.iter().cloned());
        self.goal.extend(&other.goal);
        self.counts.extend(&other.counts);
    }

    /// Returns the cited figure with the value and symbol of the tool's answer; `None` if no tool returned it.
    pub fn find(&self, cited: &CitedFigure) -> Option<CitedFigure> {
        let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        let cell = self.cells.iter().find(|cell| {
            let symbol = cell.symbol.as_deref().unwrap_or_default();
            same(&cell.operation, &cited.operation)
                && same(&cell.field, &cited.field)
                && (symbol.is_empty() || cited.symbol.is_empty() || same(symbol, &cited.symbol))
                && cell.has_value(&cited.value)
        })?;
        let symbol = cell.symbol.clone().unwrap_or_default();
        Some(CitedFigure {
            operation: cell.operation.clone(),
            symbol,
            field: cell.field.clone(),
            value: cell.value.clone(),
        })
    }

    fn add_moments(&mut self, text: &str) {
        let letters = Letters::from_text(text);
        for found in calendar::find(&letters, &letters.parts()) {
            self.calendar.add(found.moment);
        }
    }

    fn add_figures(&mut self, place: &FigureSource<'_>, value: &Json) {
        match value {
            Json::Object(object) => {
                let own = object.get("symbol").and_then(Json::as_str).map(str::to_uppercase);
                for (field, value) in object {
                    self.add_field(field);
                    let symbol = own.as_deref().or(place.symbol);
                    self.add_figures(&FigureSource { symbol, field, ..*place }, value);
                }
            }
            Json::Array(rows) => {
                let count = Json::from(rows.len());
                self.add_number(&FigureSource { field: "count", ..*place }, &count, rows.len() as f64);
                for row in rows {
                    self.add_figures(place, row);
                }
            }
            Json::Number(number) => {
                self.add_number(place, value, number.as_f64().unwrap_or(f64::NAN));
            }
            Json::String(text) => self.add_text(place, value, text),
            Json::Null | Json::Bool(_) => {}
        }
    }

    fn add_number(&mut self, place: &FigureSource<'_>, value: &Json, number: f64) {
        if number.is_finite() {
            self.cells.push(place.cell(value.clone(), Some(number), FigureKind::of_field(place.field)));
        }
    }

    fn add_text(&mut self, place: &FigureSource<'_>, value: &Json, text: &str) {
        self.add_text_marks(text);
        if text.chars().count() <= MOST_NAME_CHARACTERS {
            self.cells.push(place.cell(value.clone(), None, FigureKind::Other));
        }
        let letters = Letters::from_text(text);
        let mut masked = vec![false; letters.folded.len()];
        for found in calendar::find(&letters, &letters.parts()) {
            mask_range(&mut masked, found.start, found.end);
        }
        for number in written::find(&letters, &masked) {
            let kind = match number.range_unit.unwrap_or(number.unit) {
                NumberUnit::Scale(scale) => FigureKind::Money(scale),
                NumberUnit::Percent => FigureKind::Percent,
                _ => FigureKind::Other,
            };
            // A number within a text is not a value of the field: it can be repeated, not cited.
            self.cells.push(place.cell(Json::Null, Some(number.value), kind));
        }
    }

    fn add_field(&mut self, field: &str) {
        self.add_text_marks(field);
        let digits = field.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        self.in_fields.extend(digits.filter_map(|digits| digits.parse::<u32>().ok()));
    }
}

/// Position of a value in an answer.
#[derive(Clone, Copy)]
struct FigureSource<'a> {
    operation: &'a str,
    symbol: Option<&'a str>,
    field: &'a str,
}

impl FigureSource<'_> {
    fn cell(&self, value: Json, number: Option<f64>, kind: FigureKind) -> SeenFigure {
        let (operation, field) = (self.operation.to_owned(), self.field.to_owned());
        SeenFigure { operation, symbol: self.symbol.map(str::to_owned), field, value, number, kind }
    }
}

impl SeenFigure {
    /// Returns true if the cell matches a cited value: the same text, or the number to its written precision.
    fn has_value(&self, cited: &Json) -> bool {
        let text = match cited {
            Json::String(text) => text.trim().to_owned(),
            Json::Number(number) => number.to_string(),
            _ => return false,
        };
        match (&self.value, self.number) {
            (Json::Null, _) => false,
            (_, Some(number)) => {
                let plain: String = text.chars().filter(|c| *c != ',').collect();
                let plain = plain.trim_end_matches('%').trim();
                let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let near =
                    |cited: f64| (cited - number).abs() <= 0.5 * 10_f64.powi(-(decimals as i32)) + 1e-9;
                plain.parse::<f64>().is_ok_and(near)
            }
            (Json::String(own), None) => own.trim().eq_ignore_ascii_case(&text),
            _ => false,
        }
    }
}

/// Returns a name in lower case, and its usual short forms.
fn names_of(name: &str) -> Vec<String> {
    const LEGAL: [&str; 9] =
        ["limited", "ltd", "ltd.", "inc", "inc.", "corp", "corp.", "corporation", "company"];
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let mut names = Vec::new();
    loop {
        let joined = words.join(" ");
        let letters = joined.chars().any(char::is_alphabetic) || joined.contains(':');
        if letters && joined.chars().any(|c| c.is_ascii_digit()) {
            names.push(joined);
        }
        match words.last() {
            Some(last) if words.len() > 1 && LEGAL.contains(last) => words.pop(),
            _ => return names,
        };
    }
}

//! What a call brings: text parsed once, at the edge, into values that cannot be wrong.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::likeness::{nearest, shown};
use super::operation_file::Operation;
use super::param::{Limits, Param, ParamType};
use super::period;
use super::presentation::Offer;
use super::tier::Tier;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `text` and `period`.
    Text(String),
    /// `int`.
    Int(i64),
    /// `number`; always finite.
    Number(f64),
    /// `bool`.
    Bool(bool),
    /// `date`.
    Date(NaiveDate),
    /// `list`.
    List(Vec<String>),
}

/// How many things that are wrong are told at once: a call of thousands of names is not answered with a book.
const MOST_TOLD: usize = 16;

/// One thing wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The parameter, as the caller wrote it.
    pub param: String,
    /// A sentence that says what is wrong and what is allowed.
    pub message: String,
}

/// The arguments of a call, one for each declared parameter, in their order; `None` is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    values: Vec<Option<Value>>,
}

impl Arguments {
    /// Parses pairs of name and text as they come from a query string.
    ///
    /// A tier's cap clamps; a range that holds for everyone refuses. An empty value is the same as none.
    ///
    /// # Errors
    /// Every violation, in the order of the pairs, then what is missing.
    pub fn parse<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<Violation>> {
        Self::read(operation, tier, pairs, |_| true)
    }

    /// As [`Arguments::parse`] for the operation as a tool: its REST-only parameters are none.
    ///
    /// # Errors
    /// As [`Arguments::parse`].
    pub fn parse_tool<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<Violation>> {
        Self::read(operation, tier, pairs, |param| !param.rest_only)
    }

    fn read<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        offered: fn(&Param) -> bool,
    ) -> Result<Self, Vec<Violation>> {
        let mut given: Vec<Option<Value>> = vec![None; operation.params.len()];
        let mut seen = vec![false; operation.params.len()];
        let mut violations = Vec::new();
        let has_secret = operation.params.iter().any(|param| param.secret);
        for (name, text) in pairs {
            if violations.len() == MOST_TOLD {
                let message = "there may be more that is not right; mend these first".to_owned();
                violations.push(Violation { param: shown(name), message });
                break;
            }
            let mut refuse = |message| violations.push(Violation { param: shown(name), message });
            let Some(index) = operation.params.iter().position(|param| param.name == name && offered(param))
            else {
                refuse(unknown(operation, name, offered));
                continue;
            };
            let (Some(param), Some(slot), Some(seen)) =
                (operation.params.get(index), given.get_mut(index), seen.get_mut(index))
            else {
                continue;
            };
            if std::mem::replace(seen, true) {
                refuse(format!("`{name}` is given more than once; give it once"));
                continue;
            }
            match param.value(text, tier) {
                Ok(value) => *slot = value,
                // A secret may stand in the wrong place: where one is brought, no value is repeated.
                Err(_) if has_secret => {
                    refuse(format!("`{name}` is not right: it is {}{}", param.ty.word(), param.allowed()));
                }
                Err(message) => refuse(message),
            }
        }
        let values: Vec<Option<Value>> = operation
            .params
            .iter()
            .zip(given)
            .map(|(param, value)| value.or_else(|| param.default_for(tier)))
            .collect();
        for (param, value) in operation.params.iter().zip(&values) {
            let named = violations.iter().any(|violation| violation.param == param.name);
            if param.required() && value.is_none() && !named {
                violations.push(Violation { param: param.name.clone(), message: missing(param) });
            }
        }
        if violations.is_empty() { Ok(Self { values }) } else { Err(violations) }
    }

    /// Spells the value of a param as its table does.
    pub(crate) fn spell(&mut self, place: usize, spelling: Value) {
        if let Some(value) = self.values.get_mut(place) {
            *value = Some(spelling);
        }
    }

    /// The same without a value for the named param.
    #[must_use]
    pub(crate) fn without(&self, operation: &Operation, name: &str) -> Self {
        let mut values = self.values.clone();
        let place = operation.params.iter().position(|param| param.name == name);
        if let Some(value) = place.and_then(|place| values.get_mut(place)) {
            *value = None;
        }
        Self { values }
    }

    /// The values in the order of the operation's params.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// The value of the named param.
    pub fn get(&self, operation: &Operation, name: &str) -> Option<&Value> {
        let index = operation.params.iter().position(|param| param.name == name)?;
        self.values.get(index)?.as_ref()
    }

    /// The dates of the call, each with its param, also where a word could have stood in a date's place.
    pub fn dates<'a>(&self, operation: &'a Operation) -> Vec<(&'a Param, NaiveDate)> {
        let date = |(param, value): (&'a Param, &Option<Value>)| match (value, &param.limits) {
            (Some(Value::Date(date)), _) => Some((param, *date)),
            (Some(Value::Text(text)), Limits::WordsOrDate(_)) => Some((param, date_of(text)?)),
            _ => None,
        };
        operation.params.iter().zip(&self.values).filter_map(date).collect()
    }

    /// The stock the call asks for, if it names one.
    pub fn symbol(&self, operation: &Operation) -> Option<&str> {
        let param = operation.params.iter().position(Param::is_symbol)?;
        match self.values.get(param)? {
            Some(Value::Text(symbol)) => Some(symbol),
            _ => None,
        }
    }

    /// The stocks the call asks for, where it names several.
    pub fn symbols(&self, operation: &Operation) -> Option<&[String]> {
        let param = operation.params.iter().position(Param::is_symbols)?;
        match self.values.get(param)? {
            Some(Value::List(symbols)) => Some(symbols),
            _ => None,
        }
    }

    /// The same with another value for the named param, which must be of its type.
    #[must_use]
    pub(crate) fn with(&self, operation: &Operation, name: &str, value: Value) -> Self {
        let mut changed = self.clone();
        if let Some(place) = operation.params.iter().position(|param| param.name == name) {
            changed.spell(place, value);
        }
        changed
    }

    /// The arguments as one text: equal for calls that ask the same, whatever was left to defaults, and different for
    /// all others: answers are kept under it. What a caller writes is quoted, so that no text passes for none or for
    /// two.
    pub fn canonical(&self) -> String {
        let mut text = String::with_capacity(16 * self.values.len());
        for value in &self.values {
            match value {
                None => text.push('-'),
                Some(Value::Text(value)) => drop(write!(text, "{value:?}")),
                Some(Value::List(items)) => drop(write!(text, "{items:?}")),
                Some(value) => value.write(&mut text),
            }
            text.push('\u{1f}');
        }
        text
    }
}

impl Value {
    /// Parses a text that is not empty.
    ///
    /// # Errors
    /// What the text should have been.
    pub(super) fn parse(ty: ParamType, text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |what: &str| format!("`{text}` is not {what}");
        match ty {
            ParamType::Text => Ok(Self::Text(text.to_owned())),
            ParamType::Period => period::label(text)
                .map(Self::Text)
                .ok_or_else(|| wrong("a period such as Jun 2026 or FY2026")),
            ParamType::Int => text.parse().map(Self::Int).map_err(|_| wrong("a whole number")),
            ParamType::Number => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Self::Number(number)),
                _ => Err(wrong("a number")),
            },
            ParamType::Bool => match text {
                "true" | "1" => Ok(Self::Bool(true)),
                "false" | "0" => Ok(Self::Bool(false)),
                _ => Err(wrong("true or false")),
            },
            ParamType::Date => {
                date_of(text).map(Self::Date).ok_or_else(|| wrong("a date of the form YYYY-MM-DD"))
            }
            ParamType::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Self::List(items.map(str::to_owned).collect()))
            }
        }
    }

    /// Writes the value as text; what is written can be parsed again.
    pub fn write(&self, text: &mut String) {
        let _ = match self {
            Self::Text(value) => write!(text, "{value}"),
            Self::Int(value) => write!(text, "{value}"),
            Self::Number(value) => write!(text, "{value}"),
            Self::Bool(value) => write!(text, "{value}"),
            Self::Date(value) => write!(text, "{value}"),
            Self::List(items) => write!(text, "{}", items.join(",")),
        };
    }
}

impl Param {
    /// Parses, admits and clamps one given text; an empty one is null.
    pub(super) fn value(&self, text: &str, tier: Tier) -> Result<Option<Value>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.measure(text).map_err(|message| format!("`{}`: {message}", self.name))?;
        let mut value = Value::parse(self.ty, text)
            .map_err(|message| format!("`{}`: {message}{}", self.name, self.allowed()))?;
        match &mut value {
            Value::Text(symbol) if self.is_symbol() => *symbol = symbol.to_uppercase(),
            Value::List(symbols) if self.is_symbols() => {
                for symbol in symbols.iter_mut() {
                    *symbol = symbol.to_uppercase();
                }
                let mut seen = HashSet::new();
                symbols.retain(|symbol| seen.insert(symbol.clone()));
            }
            _ => {}
        }
        self.admit(&value).map_err(|message| format!("`{}`: {message}", self.name))?;
        Ok(Some(match (value, self.cap_for(tier)) {
            (Value::Int(number), Some(cap)) => Value::Int(number.min(cap)),
            (value, _) => value,
        }))
    }

    /// Whether a value of the right type lies within the limits.
    pub(super) fn admit(&self, value: &Value) -> Result<(), String> {
        let size = match value {
            Value::Int(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Text(text) => text.chars().count() as f64,
            Value::List(items) => items.len() as f64,
            Value::Bool(_) | Value::Date(_) => return Ok(()),
        };
        match (&self.limits, value) {
            (Limits::Words(words), Value::Text(text)) if !words.contains(text) => {
                let hint = nearest(text, words.iter().map(String::as_str))
                    .map(|word| format!(" (did you mean `{word}`?)"))
                    .unwrap_or_default();
                Err(format!("`{text}` is not one of {}{hint}", words.join(", ")))
            }
            (Limits::WordsOrDate(words), Value::Text(text))
                if !words.contains(text) && date_of(text).is_none() =>
            {
                Err(format!("`{text}` is neither {} nor a date of the form YYYY-MM-DD", words.join(", ")))
            }
            (Limits::Range(low, high), _)
                if low.is_some_and(|low| size < low) || high.is_some_and(|high| size > high) =>
            {
                let what = match value {
                    Value::Text(_) => "characters: ",
                    Value::List(_) => "values: ",
                    _ => "",
                };
                Err(format!("{what}{size} is out of range{}", self.allowed()))
            }
            _ => Ok(()),
        }
    }

    /// What is allowed, as the end of a sentence.
    pub(super) fn allowed(&self) -> String {
        match &self.limits {
            Limits::Any | Limits::Range(None, None) => String::new(),
            Limits::Words(words) => format!("; allowed are {}", words.join(", ")),
            Limits::WordsOrDate(words) => {
                format!("; allowed are {} and dates of the form YYYY-MM-DD", words.join(", "))
            }
            Limits::Range(Some(low), Some(high)) => format!("; allowed is {low} to {high}"),
            Limits::Range(Some(low), None) => format!("; allowed is {low} or more"),
            Limits::Range(None, Some(high)) => format!("; allowed is at most {high}"),
        }
    }
}

/// The date that a text of the form `YYYY-MM-DD` is.
fn date_of(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == "YYYY-MM-DD".len())
}

fn unknown(operation: &Operation, name: &str, offered: fn(&Param) -> bool) -> String {
    let shared = operation.presentation_params(Offer::ENVELOPED);
    let name_of = |param: &Param| param.name.clone();
    let own = operation.params.iter().filter(|param| offered(param));
    let (own, shared): (Vec<String>, Vec<String>) =
        (own.map(name_of).collect(), shared.iter().map(name_of).collect());
    let names = own.iter().chain(&shared).map(String::as_str);
    let hint =
        nearest(name, names).map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
    let takes = match (own.as_slice(), shared.as_slice()) {
        ([], []) => "none".to_owned(),
        ([], shared) => format!("none but {}", shared.join(", ")),
        (own, []) => own.join(", "),
        (own, shared) => format!("{}, and as all do {}", own.join(", "), shared.join(", ")),
    };
    format!("`{}` is not a parameter here{hint} It takes {takes}", shown(name))
}

fn missing(param: &Param) -> String {
    let example = param.example.as_ref().map(|example| format!(", for example {}={example}", param.name));
    format!("`{}` is required{}", param.name, example.unwrap_or_default())
}

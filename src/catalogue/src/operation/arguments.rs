//! The arguments of a call: text parsed once, at the edge, into valid values.

use std::fmt::Write as _;

use chrono::NaiveDate;

use super::likeness::{nearest, shown};
use super::operation_file::Operation;
use super::param::{Param, ValueLimits};
use super::presentation::Offer;
use super::tier::Tier;
use super::value::{Value, date_of};
use super::violation::Violation;

/// Maximum number of violations reported at once, so that a call of thousands of names gets a short answer.
const MOST_VIOLATIONS: usize = 16;

/// Arguments of a call, one for each declared parameter, in declaration order; `None` is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    values: Vec<Option<Value>>,
}

impl Arguments {
    /// Parses pairs of name and text from a query string.
    ///
    /// A value above the cap of a tier is reduced to the cap; a value outside the range of every tier is a violation. An empty value counts
    /// as missing; if its parameter is marked `not-empty`, one of the parameters with this mark must have a value.
    ///
    /// # Errors
    /// Every violation, in the order of the pairs, then the missing parameters.
    pub fn parse<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<Violation>> {
        Self::parse_offered(operation, tier, pairs, |_| true)
    }

    /// Parses arguments of an operation of which only some parameters are offered, as [`Arguments::parse`].
    ///
    /// # Errors
    /// Those of [`Arguments::parse`].
    pub fn parse_offered<'a>(
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
            if violations.len() == MOST_VIOLATIONS {
                let message = "there may be more that is not right; mend these first".to_owned();
                violations.push(Violation { param: shown(name), message });
                break;
            }
            let mut refuse = |message| violations.push(Violation { param: shown(name), message });
            let Some(index) = operation.params.iter().position(|param| param.name == name && offered(param))
            else {
                refuse(unknown_message(operation, name, offered));
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
                // A caller may have put a secret into the wrong parameter, so the messages of operations with a secret repeat no value.
                Err(_) if has_secret => {
                    refuse(format!(
                        "`{name}` is not right: it is {}{}",
                        param.ty.word(),
                        param.allowed_values()
                    ));
                }
                Err(message) => refuse(message),
            }
        }
        let marked = operation.params.iter().zip(&given).zip(&seen).filter(|((param, _), _)| param.not_empty);
        if violations.is_empty() && marked.clone().all(|((_, value), _)| value.is_none()) {
            violations.extend(marked.filter(|(_, seen)| **seen).map(|((param, _), _)| Violation {
                param: param.name.clone(),
                message: format!("`{}` is empty; give a value, or leave it out. {}", param.name, param.words),
            }));
        }
        let values: Vec<Option<Value>> = operation
            .params
            .iter()
            .zip(given)
            .map(|(param, value)| value.or_else(|| param.default_for(tier)))
            .collect();
        for (param, value) in operation.params.iter().zip(&values) {
            let named = violations.iter().any(|violation| violation.param == param.name);
            if param.is_required() && value.is_none() && !named {
                violations.push(Violation { param: param.name.clone(), message: missing_message(param) });
            }
        }
        if violations.is_empty() { Ok(Self { values }) } else { Err(violations) }
    }

    /// Replaces the value of a parameter by its spelling in the table.
    pub fn spell(&mut self, position: usize, spelling: Value) {
        if let Some(value) = self.values.get_mut(position) {
            *value = Some(spelling);
        }
    }

    /// Returns the arguments without a value for the named parameter.
    #[must_use]
    pub fn without(&self, operation: &Operation, name: &str) -> Self {
        let mut values = self.values.clone();
        let position = operation.params.iter().position(|param| param.name == name);
        if let Some(value) = position.and_then(|position| values.get_mut(position)) {
            *value = None;
        }
        Self { values }
    }

    /// Returns the values in the order of the operation's parameters.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// Returns the value of the named parameter.
    pub fn get(&self, operation: &Operation, name: &str) -> Option<&Value> {
        let index = operation.params.iter().position(|param| param.name == name)?;
        self.values.get(index)?.as_ref()
    }

    /// Returns the dates of the call, each with its parameter, including parameters of a word or date.
    pub fn dates<'a>(&self, operation: &'a Operation) -> Vec<(&'a Param, NaiveDate)> {
        let date = |(param, value): (&'a Param, &Option<Value>)| match (value, &param.limits) {
            (Some(Value::Date(date)), _) => Some((param, *date)),
            (Some(Value::Text(text)), ValueLimits::WordsOrDate(_)) => Some((param, date_of(text)?)),
            _ => None,
        };
        operation.params.iter().zip(&self.values).filter_map(date).collect()
    }

    /// Returns the requested symbol, if the call names one.
    pub fn symbol(&self, operation: &Operation) -> Option<&str> {
        let param = operation.params.iter().position(Param::is_symbol)?;
        match self.values.get(param)? {
            Some(Value::Text(symbol)) => Some(symbol),
            _ => None,
        }
    }

    /// Returns the requested symbols, if the call names several.
    pub fn symbols(&self, operation: &Operation) -> Option<&[String]> {
        let param = operation.params.iter().position(Param::is_symbols)?;
        match self.values.get(param)? {
            Some(Value::List(symbols)) => Some(symbols),
            _ => None,
        }
    }

    /// Returns the arguments as one text, which is a cache key: equal for equivalent calls, with defaults filled in, and different for all
    /// others. Texts of callers are quoted, so that none passes for a missing value or for two values.
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

fn unknown_message(operation: &Operation, name: &str, offered: fn(&Param) -> bool) -> String {
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

/// Builds the message for a missing parameter. Examples of symbols are of the demo market, which a server of other data lacks.
fn missing_message(param: &Param) -> String {
    let is_of_demo = param.is_symbol() || param.is_symbols();
    let example = if is_of_demo { Some("SYMBOL") } else { param.example.as_deref() };
    let example = example.map(|example| format!(", for example {}={example}", param.name));
    format!("`{}` is required{}", param.name, example.unwrap_or_default())
}

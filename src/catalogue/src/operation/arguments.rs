//! The arguments of a call: text parsed once, at the edge, into valid values.

use std::fmt::Write as _;

use chrono::NaiveDate;

use super::likeness::{nearest, truncate_for_message};
use super::operation_file::Operation;
use super::param::{Param, ValueLimits};
use super::presentation::Offer;
use super::tier::Tier;
use super::value::{Value, date_of};
use super::violation::Violation;

/// Maximum number of violations reported at once, so that a call of thousands of names gets a short answer.
const MOST_VIOLATIONS: usize = 16;

/// The arguments of a call, one for each declared parameter, in declaration order; `None` is null.
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
    /// Every violation in the order of the pairs, at most 16, and then the missing parameters.
    pub fn parse<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<Violation>> {
        Self::parse_offered(operation, tier, pairs, |_| true)
    }

    /// Parses arguments as [`Arguments::parse`] does. A parameter for which `is_offered` returns false counts as unknown.
    ///
    /// # Errors
    /// Those of [`Arguments::parse`].
    pub fn parse_offered<'a>(
        operation: &Operation,
        tier: Tier,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        is_offered: fn(&Param) -> bool,
    ) -> Result<Self, Vec<Violation>> {
        let mut parsed_values: Vec<Option<Value>> = vec![None; operation.params.len()];
        let mut seen = vec![false; operation.params.len()];
        let mut violations = Vec::new();
        let has_secret = operation.params.iter().any(|param| param.secret);
        for (name, text) in pairs {
            if violations.len() == MOST_VIOLATIONS {
                let message = "there may be more that is not right; mend these first".to_owned();
                violations.push(Violation { param: truncate_for_message(name), message });
                break;
            }
            let mut refuse =
                |message| violations.push(Violation { param: truncate_for_message(name), message });
            let Some(index) =
                operation.params.iter().position(|param| param.name == name && is_offered(param))
            else {
                refuse(unknown_message(operation, name, is_offered));
                continue;
            };
            let (Some(param), Some(slot), Some(seen)) =
                (operation.params.get(index), parsed_values.get_mut(index), seen.get_mut(index))
            else {
                continue;
            };
            if std::mem::replace(seen, true) {
                refuse(format!("`{name}` is given more than once; give it once"));
                continue;
            }
            match param.value(text, tier) {
                Ok(value) => *slot = value,
                // A caller may have put a secret into the wrong parameter, so no message of an operation with a secret repeats a value.
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
        let not_empty_params =
            operation.params.iter().zip(&parsed_values).zip(&seen).filter(|((param, _), _)| param.not_empty);
        if violations.is_empty() && not_empty_params.clone().all(|((_, value), _)| value.is_none()) {
            violations.extend(not_empty_params.filter(|(_, seen)| **seen).map(|((param, _), _)| Violation {
                param: param.name.clone(),
                message: format!("`{}` is empty; give a value, or leave it out. {}", param.name, param.words),
            }));
        }
        let values: Vec<Option<Value>> = operation
            .params
            .iter()
            .zip(parsed_values)
            .map(|(param, value)| value.or_else(|| param.default_for(tier)))
            .collect();
        for (param, value) in operation.params.iter().zip(&values) {
            let is_reported = violations.iter().any(|violation| violation.param == param.name);
            if param.is_required() && value.is_none() && !is_reported {
                violations.push(Violation { param: param.name.clone(), message: missing_message(param) });
            }
        }
        if violations.is_empty() { Ok(Self { values }) } else { Err(violations) }
    }

    /// Replaces the value of the parameter at an index by its spelling in the table.
    pub fn spell(&mut self, index: usize, spelling: Value) {
        if let Some(value) = self.values.get_mut(index) {
            *value = Some(spelling);
        }
    }

    /// Returns the arguments without a value for the parameter `name`.
    #[must_use]
    pub fn without(&self, operation: &Operation, name: &str) -> Self {
        let mut values = self.values.clone();
        let index = operation.params.iter().position(|param| param.name == name);
        if let Some(value) = index.and_then(|index| values.get_mut(index)) {
            *value = None;
        }
        Self { values }
    }

    /// Returns the values in the order of the operation's parameters.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// Returns the value of the parameter `name`; `None` if it is null or the operation has no such parameter.
    pub fn get(&self, operation: &Operation, name: &str) -> Option<&Value> {
        let index = operation.params.iter().position(|param| param.name == name)?;
        self.values.get(index)?.as_ref()
    }

    /// Returns the dates of the call, each with its parameter. A parameter of words or a date counts if its value is a date.
    pub fn dates<'a>(&self, operation: &'a Operation) -> Vec<(&'a Param, NaiveDate)> {
        let date = |(param, value): (&'a Param, &Option<Value>)| match (value, &param.limits) {
            (Some(Value::Date(date)), _) => Some((param, *date)),
            (Some(Value::Text(text)), ValueLimits::WordsOrDate(_)) => Some((param, date_of(text)?)),
            _ => None,
        };
        operation.params.iter().zip(&self.values).filter_map(date).collect()
    }

    /// Returns the requested symbol; `None` if the call names none.
    pub fn symbol(&self, operation: &Operation) -> Option<&str> {
        let param = operation.params.iter().position(Param::is_symbol)?;
        match self.values.get(param)? {
            Some(Value::Text(symbol)) => Some(symbol),
            _ => None,
        }
    }

    /// Returns the requested list of symbols; `None` if the operation takes no list or the call has none.
    pub fn symbols(&self, operation: &Operation) -> Option<&[String]> {
        let param = operation.params.iter().position(Param::is_symbols)?;
        match self.values.get(param)? {
            Some(Value::List(symbols)) => Some(symbols),
            _ => None,
        }
    }

    /// Returns the arguments, with defaults filled in, as a cache key. It is equal for equivalent calls and different for all others. Texts
    /// of callers are quoted, so that none can equal a missing value or two values.
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

/// Names of parameters elsewhere, each with the name that it has here.
const OTHER_WORDS: [(&str, &str); 17] = [
    ("asof", "as_of"),
    ("as_of", "snapshot"),
    ("asof", "snapshot"),
    ("ticker", "symbol"),
    ("ticker", "symbols"),
    ("tickers", "symbols"),
    ("symbols", "symbol"),
    ("start", "from"),
    ("start_date", "from"),
    ("end", "to"),
    ("end_date", "to"),
    ("count", "limit"),
    ("page_size", "limit"),
    ("top", "limit"),
    ("skip", "offset"),
    ("page", "offset"),
    ("columns", "fields"),
];

fn unknown_message(operation: &Operation, name: &str, is_offered: fn(&Param) -> bool) -> String {
    let shared = operation.presentation_params(Offer::ENVELOPED);
    let name_of = |param: &Param| param.name.clone();
    let declared = operation.params.iter().filter(|param| is_offered(param));
    let (declared, shared): (Vec<String>, Vec<String>) =
        (declared.map(name_of).collect(), shared.iter().map(name_of).collect());
    let names = || declared.iter().chain(&shared).map(String::as_str);
    let other_word = OTHER_WORDS.iter().filter(|(other, _)| name.eq_ignore_ascii_case(other));
    let meant = other_word.map(|(_, own)| *own).find(|own| names().any(|name| name == *own));
    let meant = meant.or_else(|| nearest(name, names()));
    let hint = meant.map_or_else(|| ".".to_owned(), |meant| format!("; did you mean `{meant}`?"));
    let takes = match (declared.as_slice(), shared.as_slice()) {
        ([], []) => "none".to_owned(),
        ([], shared) => format!("none but {}", shared.join(", ")),
        (declared, []) => declared.join(", "),
        (declared, shared) => format!("{}, and as all do {}", declared.join(", "), shared.join(", ")),
    };
    format!("`{}` is not a parameter here{hint} It takes {takes}", truncate_for_message(name))
}

/// Builds the message for a missing parameter. It shows no declared example of a symbol, as these symbols only exist in the demo market.
fn missing_message(param: &Param) -> String {
    let is_of_demo = param.is_symbol() || param.is_symbols();
    let example = if is_of_demo { Some("SYMBOL") } else { param.example.as_deref() };
    let example = example.map(|example| format!(", for example {}={example}", param.name));
    format!("`{}` is required{}", param.name, example.unwrap_or_default())
}

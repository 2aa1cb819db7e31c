//! Conversion of a text to the value of a parameter: parsing, checks, and the cap of the caller's tier.

use std::collections::HashSet;

use super::likeness::bracketed_hint;
use super::param::{Param, ValueLimits};
use super::tier::Tier;
use super::value::{Value, date_of};

impl Param {
    /// Parses and checks a text, and reduces a number to the cap of the tier. Returns `None` for an empty text.
    pub fn value(&self, text: &str, tier: Tier) -> Result<Option<Value>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.check_length(text).map_err(|message| format!("`{}`: {message}", self.name))?;
        let mut value = Value::parse(self.ty, text)
            .map_err(|message| format!("`{}`: {message}{}", self.name, self.allowed_values()))?;
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
        self.check_limits(&value).map_err(|message| format!("`{}`: {message}", self.name))?;
        Ok(Some(match (value, self.cap_for(tier)) {
            (Value::Int(number), Some(cap)) => Value::Int(number.min(cap)),
            (value, _) => value,
        }))
    }

    /// Checks that a value of the right type is within the limits.
    pub(super) fn check_limits(&self, value: &Value) -> Result<(), String> {
        let size = match value {
            Value::Int(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Text(text) => text.chars().count() as f64,
            Value::List(items) => items.len() as f64,
            Value::Bool(_) | Value::Date(_) => return Ok(()),
        };
        match (&self.limits, value) {
            (ValueLimits::Words(words), Value::Text(text)) if !words.contains(text) => {
                let hint = bracketed_hint(text, words.iter().map(String::as_str));
                Err(format!("`{text}` is not one of {}{hint}", words.join(", ")))
            }
            (ValueLimits::WordsOrDate(words), Value::Text(text))
                if !words.contains(text) && date_of(text).is_none() =>
            {
                Err(format!("`{text}` is neither {} nor a date of the form YYYY-MM-DD", words.join(", ")))
            }
            (ValueLimits::Range(Some(1.0..), _), Value::List(items)) if items.is_empty() => {
                Err(format!("it has commas, and no value between them{}", self.allowed_values()))
            }
            (ValueLimits::Range(low, high), _)
                if low.is_some_and(|low| size < low) || high.is_some_and(|high| size > high) =>
            {
                let what = match value {
                    Value::Text(_) => "characters: ",
                    Value::List(_) => "values: ",
                    _ => "",
                };
                Err(format!("{what}{size} is out of range{}", self.allowed_values()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the allowed values as the end of a sentence, such as `; allowed is 1 to 50`; empty if all values are allowed.
    pub(super) fn allowed_values(&self) -> String {
        match &self.limits {
            ValueLimits::Any | ValueLimits::Range(None, None) => String::new(),
            ValueLimits::Words(words) => format!("; allowed are {}", words.join(", ")),
            ValueLimits::WordsOrDate(words) => {
                format!("; allowed are {} and dates of the form YYYY-MM-DD", words.join(", "))
            }
            ValueLimits::Range(Some(low), Some(high)) => format!("; allowed is {low} to {high}"),
            ValueLimits::Range(Some(low), None) => format!("; allowed is {low} or more"),
            ValueLimits::Range(None, Some(high)) => format!("; allowed is at most {high}"),
        }
    }
}

//! Types of parameters, and their values, parsed from text. The limits of a parameter are not checked here.

use std::fmt::Write as _;

use chrono::NaiveDate;

use super::period;
use crate::digits;

crate::word_enum! {
    /// The type of a parameter.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ParamType {
        /// Free text or one of the declared words.
        Text = "text",
        /// A whole number.
        Int = "int",
        /// A finite number.
        Number = "number",
        /// A flag: `true` or `false`; `1` and `0` are accepted too.
        Bool = "bool",
        /// `YYYY-MM-DD`.
        Date = "date",
        /// A quarter or year label such as `Jun 2026`.
        Period = "period",
        /// A list of texts, separated by commas.
        List = "list",
    }
    const ALL "All types.";
    fn word "Returns the type's word in declarations.";
    parse "a type of a param", "types";
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A value of type `text` or `period`.
    Text(String),
    /// A value of type `int`.
    Int(i64),
    /// A value of type `number`; always finite.
    Number(f64),
    /// A value of type `bool`.
    Bool(bool),
    /// A value of type `date`.
    Date(NaiveDate),
    /// A value of type `list`.
    List(Vec<String>),
}

impl Value {
    /// Parses a text that is not empty.
    ///
    /// # Errors
    /// A message with the expected form of the text.
    pub(super) fn parse(ty: ParamType, text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |what: &str| format!("`{text}` is not {what}");
        match ty {
            ParamType::Text => Ok(Self::Text(text.to_owned())),
            ParamType::Period => period::normalize_label(text)
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

    /// Appends the value as text that can be parsed again.
    pub fn write(&self, text: &mut String) {
        let _ = match self {
            Self::Text(value) => write!(text, "{value}"),
            Self::Int(value) => write!(text, "{value}"),
            Self::Number(value) => write!(text, "{}", digits::shortest(*value)),
            Self::Bool(value) => write!(text, "{value}"),
            Self::Date(value) => write!(text, "{value}"),
            Self::List(items) => write!(text, "{}", items.join(",")),
        };
    }
}

/// Parses a date of the form `YYYY-MM-DD`.
pub(super) fn date_of(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == "YYYY-MM-DD".len())
}

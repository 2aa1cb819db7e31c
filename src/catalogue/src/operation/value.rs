//! Parameter types and values: text parsed once into valid values. Limits of a parameter are not checked here.

use std::fmt::Write as _;

use chrono::NaiveDate;

use super::period;

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamType {
    /// Free text or one of the declared words.
    Text,
    /// A whole number.
    Int,
    /// A finite number.
    Number,
    /// `true` or `false`; `1` and `0` are taken too.
    Bool,
    /// `YYYY-MM-DD`.
    Date,
    /// A quarter or year label such as `Jun 2026`.
    Period,
    /// Several texts, comma-separated.
    List,
}

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

impl ParamType {
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("text", Self::Text),
        ("int", Self::Int),
        ("number", Self::Number),
        ("bool", Self::Bool),
        ("date", Self::Date),
        ("period", Self::Period),
        ("list", Self::List),
    ];

    /// Returns the type's word in declarations.
    pub fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, ty)| *ty == self).map_or("", |(word, _)| word)
    }
}

impl Value {
    /// Parses a text that is not empty.
    ///
    /// # Errors
    /// The expected form of the text.
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

    /// Writes the value as text that can be parsed again.
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

/// Parses a date of the form `YYYY-MM-DD`.
pub(super) fn date_of(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == "YYYY-MM-DD".len())
}

//! `when:` - the conditions on the arguments under which a SELECT of an operation is used.

use std::fmt;

use super::value::Value;

/// One condition on one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The parameter of this name is null.
    Absent(String),
    /// The parameter of this name has a value.
    Present(String),
    /// The parameter of the first name has the second word as its value.
    Is(String, String),
}

impl Condition {
    /// Parses `symbol absent`, `symbol present` or `detail = compact`, joined by `and`; `always` is no condition.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        text.split(" and ").filter(|text| *text != "always").map(Self::parse).collect()
    }

    fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [param, "absent"] => Ok(Self::Absent((*param).to_owned())),
            [param, "present"] => Ok(Self::Present((*param).to_owned())),
            [param, "=", word] => Ok(Self::Is((*param).to_owned(), (*word).to_owned())),
            _ => Err(format!(
                "`{text}` is not a condition; write `param absent`, `param present`, `param = word` or `always`"
            )),
        }
    }

    /// Returns the name of the parameter that it tests.
    pub fn param(&self) -> &str {
        match self {
            Self::Absent(param) | Self::Present(param) | Self::Is(param, _) => param,
        }
    }

    pub(super) fn is_met_by(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Absent(_) => value.is_none(),
            Self::Present(_) => value.is_some(),
            Self::Is(_, word) => matches!(value, Some(Value::Text(text)) if text == word),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(param) => write!(f, "{param} absent"),
            Self::Present(param) => write!(f, "{param} present"),
            Self::Is(param, word) => write!(f, "{param} = {word}"),
        }
    }
}

//! What the texts of a parameter look like, as regular expressions of the kind that JSON Schema takes: for documents, so that who
//! reads them can make calls that are not refused. What decides is how the text is parsed; a document may say less than is taken.

use super::param::{Param, ValueLimits};
use super::period;
use super::value::ParamType;

impl Param {
    /// The pattern of a text.
    pub fn pattern(&self) -> Option<String> {
        match self.ty {
            ParamType::Period => Some(period::PATTERN.to_owned()),
            ParamType::Text if self.is_symbol() => {
                Some(format!("^[A-Za-z0-9&._-]{{1,{}}}$", self.longest().unwrap_or_default()))
            }
            // Visible letters: what providers of language models hand out.
            ParamType::Text if self.secret => Some("^[!-~]+$".to_owned()),
            ParamType::Text if self.required() => Some(self.of_letters()),
            _ => None,
        }
    }

    /// The pattern of each value of a list.
    pub fn item_pattern(&self) -> Option<String> {
        match (self.ty, self.is_symbols()) {
            (ParamType::List, true) => {
                Some(format!("^[A-Z0-9&._-]{{1,{}}}$", self.longest().unwrap_or_default()))
            }
            // Where the example is a number, all values are.
            (ParamType::List, false)
                if self.example.as_ref().is_some_and(|text| text.parse::<f64>().is_ok()) =>
            {
                Some(r"^[0-9]+(\.[0-9]+)?$".to_owned())
            }
            (ParamType::List, false) => Some("^[A-Za-z0-9_.]+$".to_owned()),
            _ => None,
        }
    }

    /// As many letters as are wanted, not counting the space around them.
    fn of_letters(&self) -> String {
        match self.limits {
            ValueLimits::Range(Some(least), _) if least >= 2.0 => {
                format!(r"\S[\s\S]{{{},}}\S", least as u64 - 2)
            }
            _ => r"\S".to_owned(),
        }
    }
}

//! Regular expressions for the texts of a parameter, in the dialect of JSON Schema, so that readers of the documents can make valid calls.
//! A pattern may be stricter than the parser.

use super::param::{Param, ValueLimits};
use super::period;
use super::value::ParamType;

impl Param {
    /// Returns the pattern of a text or period; `None` for other types, and for an optional text.
    pub fn pattern(&self) -> Option<String> {
        match self.ty {
            ParamType::Period => Some(period::PATTERN.to_owned()),
            ParamType::Text if self.is_symbol() => {
                Some(format!("^[A-Za-z0-9&._-]{{1,{}}}$", self.longest().unwrap_or_default()))
            }
            // Visible ASCII characters: keys of model providers.
            ParamType::Text if self.secret => Some("^[!-~]+$".to_owned()),
            ParamType::Text if self.is_required() => Some(self.letters_pattern()),
            _ => None,
        }
    }

    /// Returns the pattern of each value of a list; `None` for other types.
    pub fn item_pattern(&self) -> Option<String> {
        match (self.ty, self.is_symbols()) {
            (ParamType::List, true) => {
                Some(format!("^[A-Z0-9&._-]{{1,{}}}$", self.longest().unwrap_or_default()))
            }
            // A list whose example is a number has numbers.
            (ParamType::List, false)
                if self.example.as_ref().is_some_and(|text| text.parse::<f64>().is_ok()) =>
            {
                Some(r"^[0-9]+(\.[0-9]+)?$".to_owned())
            }
            (ParamType::List, false) if self.takes_watchlists => Some("^[A-Za-z0-9_.]+$".to_owned()),
            // A value may be an index and a figure joined by a colon, such as `2:20`.
            (ParamType::List, false) => Some("^[A-Za-z0-9_.:]+$".to_owned()),
            _ => None,
        }
    }

    /// Returns a pattern for the minimum number of characters, without the spaces around the text.
    fn letters_pattern(&self) -> String {
        match self.limits {
            ValueLimits::Range(Some(least), _) if least >= 2.0 => {
                format!(r"\S[\s\S]{{{},}}\S", least as u64 - 2)
            }
            _ => r"\S".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_allows_a_place_with_its_figure() {
        let param = Param::parse(r#"figures list? in 1..40 "Figures by places.""#, 1).unwrap();
        let pattern = regex::Regex::new(&param.item_pattern().unwrap()).unwrap();
        assert!(pattern.is_match("2:20.5") && !pattern.is_match("2,20"));
    }
}

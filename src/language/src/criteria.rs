//! The JSON form of a filter for callers. A condition has no tag; its keys identify its kind.
//!
//! `{"all": [{"field": "pe", "op": "<=", "value": 15}, {"field": "sector", "in": ["Power"]}]}`; a range is `{"field": "pe", "op":
//! "between", "from": 10, "to": 20}`, a comparison with another figure `{"field": "roce", "op": ">", "than": "roe"}`, where `than` may be
//! `sector_median` or `industry_median` and `times` a multiple of it, a flag `{"field": "above_sma_200", "is": true}`; `any` and `not` are
//! written like `all`. Whole numbers have no decimal point.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::filter::{ComparisonOperand, Filter, Test};

impl Filter {
    /// Converts the filter to JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Self::All(filters) => json!({ "all": list(filters) }),
            Self::Any(filters) => json!({ "any": list(filters) }),
            Self::Not(filter) => json!({ "not": filter.to_json() }),
            Self::Text { field, one_of } => json!({ "field": field, "in": one_of }),
            Self::Flag { field, is } => json!({ "field": field, "is": is }),
            Self::Number { field, test: Test::Between(low, high) } => {
                json!({ "field": field, "op": "between", "from": shortest(*low), "to": shortest(*high) })
            }
            Self::Against { field, test, than } => {
                let times = test.numbers().first().copied().filter(|times| (*times - 1.0).abs() > 0.0);
                let mut written = json!({ "field": field, "op": test.op(), "than": than.name() });
                if let (Some(times), Some(written)) = (times, written.as_object_mut()) {
                    written.insert("times".to_owned(), shortest(times));
                }
                written
            }
            Self::Number { field, test } => {
                let value = test.numbers().first().copied().map(shortest);
                json!({ "field": field, "op": test.op(), "value": value })
            }
        }
    }

    /// Parses the JSON form.
    ///
    /// # Errors
    /// The part that is not a condition, and the allowed forms.
    pub fn from_json(json: &Json) -> Result<Self, String> {
        let Some(object) = json.as_object() else { return Err(unreadable_message(json)) };
        let list = |key: &str| match object.get(key) {
            Some(Json::Array(items)) => {
                Some(items.iter().map(Self::from_json).collect::<Result<Vec<_>, _>>())
            }
            _ => None,
        };
        if let Some(filters) = list("all") {
            return Ok(Self::All(filters?));
        }
        if let Some(filters) = list("any") {
            return Ok(Self::Any(filters?));
        }
        if let Some(filter) = object.get("not") {
            return Ok(Self::Not(Box::new(Self::from_json(filter)?)));
        }
        parse_leaf(object).ok_or_else(|| unreadable_message(json))
    }
}

impl Test {
    /// Returns the operator in the JSON form, such as `>=` or `between`.
    pub const fn op(self) -> &'static str {
        match self {
            Self::AtLeast(_) => ">=",
            Self::Above(_) => ">",
            Self::AtMost(_) => "<=",
            Self::Below(_) => "<",
            Self::Equal(_) => "=",
            Self::Between(..) => "between",
        }
    }

    /// Returns the test of an operator with one number; `None` for another text.
    pub(super) fn from_operator(op: &str, value: f64) -> Option<Self> {
        match op {
            ">=" => Some(Self::AtLeast(value)),
            ">" => Some(Self::Above(value)),
            "<=" => Some(Self::AtMost(value)),
            "<" => Some(Self::Below(value)),
            "=" => Some(Self::Equal(value)),
            _ => None,
        }
    }
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn list(filters: &[Filter]) -> Vec<Json> {
    filters.iter().map(Filter::to_json).collect()
}

fn parse_leaf(object: &Map<String, Json>) -> Option<Filter> {
    let field = object.get("field")?.as_str()?.to_owned();
    if let Some(texts) = object.get("in") {
        let one_of =
            texts.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        return Some(Filter::Text { field, one_of });
    }
    if let Some(is) = object.get("is") {
        return Some(Filter::Flag { field, is: is.as_bool()? });
    }
    let number = |key: &str| object.get(key).and_then(Json::as_f64);
    let op = object.get("op")?.as_str()?;
    if let Some(than) = object.get("than") {
        let test = Test::from_operator(op, number("times").unwrap_or(1.0))?;
        return Some(Filter::Against { field, test, than: ComparisonOperand::from_name(than.as_str()?) });
    }
    let test = match op {
        "between" => Test::Between(number("from")?, number("to")?),
        op => Test::from_operator(op, number("value")?)?,
    };
    Some(Filter::Number { field, test })
}

/// Converts a number to JSON, without a decimal point if it is an integer.
pub(super) fn shortest(number: f64) -> Json {
    /// Below 2^53 every integer has an exact `f64`.
    const EXACT_INTEGER_BOUND: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT_INTEGER_BOUND {
        json!(number as i64)
    } else {
        json!(number)
    }
}

fn unreadable_message(json: &Json) -> String {
    let excerpt: String = json.to_string().chars().take(80).collect();
    format!(
        "`{excerpt}` is not a condition; write {{\"field\", \"op\", \"value\"}} (or \"than\", another field) with >=, >, <=, < or =, {{\"field\", \"op\": \
         \"between\", \"from\", \"to\"}}, {{\"field\", \"in\": [..]}}, {{\"field\", \"is\"}}, or all, any or not around conditions"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_short_and_comes_back() {
        let written = r#"{"all":[{"field":"pe","op":"between","from":10,"to":20.5},{"not":{"field":"sector","in":["Power"]}},{"any":[{"field":"roe","op":">=","value":-1},{"field":"above_sma_200","is":false}]}]}"#;
        let filter: Filter = serde_json::from_str(written).unwrap();
        assert_eq!(serde_json::to_string(&filter).unwrap(), written);
        assert_eq!(filter.depth(), 3);
    }

    #[test]
    fn other_json_is_refused_in_words() {
        for text in [
            "1",
            "{}",
            r#"{"field":"pe"}"#,
            r#"{"field":"pe","op":"~","value":1}"#,
            r#"{"all":[{"field":"pe","in":[1]}]}"#,
        ] {
            let error = serde_json::from_str::<Filter>(text).unwrap_err().to_string();
            assert!(error.contains("is not a condition; write"), "{text}: {error}");
        }
    }
}

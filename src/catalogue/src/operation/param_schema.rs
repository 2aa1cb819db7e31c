//! The JSON Schema of a parameter, and the conversion of a JSON value to the text of an argument, for adapters and agents.

use serde_json::{Map, Number, Value as Json, json};

use super::param::{Param, ValueLimits};
use super::tier::Tier;
use super::value::{ParamType, Value};

impl Param {
    /// Returns the JSON Schema of the parameter. A value above the cap of a tier is reduced to the cap, so the cap is part of the
    /// description and not a `maximum`.
    pub fn schema(&self) -> Json {
        let mut schema = Map::new();
        let (ty, format) = match self.ty {
            ParamType::Text | ParamType::Period => ("string", None),
            ParamType::Date => ("string", Some("date")),
            ParamType::Int => ("integer", None),
            ParamType::Number => ("number", None),
            ParamType::Bool => ("boolean", None),
            ParamType::List => ("array", None),
        };
        schema.insert("type".into(), ty.into());
        if let Some(format) = format {
            schema.insert("format".into(), format.into());
        }
        if self.ty == ParamType::List {
            schema.insert("items".into(), json!({"type": "string"}));
        }
        if self.secret {
            schema.insert("format".into(), "password".into());
        }
        add_limits(self, &mut schema);
        if let Some(default) = self.default_for(Tier::ApiMax) {
            schema.insert("default".into(), value_json(&default));
        }
        Json::Object(schema)
    }

    /// Returns the JSON Schema for language models, with a description. It has no `anyOf` and no `format`, which some providers refuse.
    pub fn schema_for_models(&self, words: &str) -> Json {
        let mut schema = self.schema();
        let Some(fields) = schema.as_object_mut() else { return schema };
        fields.remove("anyOf");
        let is_date = fields.remove("format").is_some() && self.ty == ParamType::Date;
        let form = if is_date { " YYYY-MM-DD." } else { "" };
        if !words.is_empty() {
            fields.insert("description".into(), format!("{words}{form}").into());
        }
        schema
    }

    /// Returns the description with the cap of each tier.
    pub fn full_description(&self) -> String {
        let caps: Vec<String> = Tier::ALL
            .iter()
            .filter_map(|tier| self.cap_for(*tier).map(|cap| format!("{tier} {cap}")))
            .collect();
        if caps.is_empty() {
            self.words.clone()
        } else {
            format!("{} At most: {}.", self.words, caps.join(", "))
        }
    }
}

fn add_limits(param: &Param, schema: &mut Map<String, Json>) {
    match &param.limits {
        ValueLimits::Any => {}
        ValueLimits::Words(words) => {
            schema.insert("enum".into(), words.iter().map(String::as_str).collect());
        }
        ValueLimits::WordsOrDate(words) => {
            schema.insert("anyOf".into(), json!([{"enum": words}, {"format": "date"}]));
        }
        ValueLimits::Range(low, high) => {
            let names = match param.ty {
                ParamType::Text | ParamType::Period => ["minLength", "maxLength"],
                ParamType::List => ["minItems", "maxItems"],
                _ => ["minimum", "maximum"],
            };
            for (name, bound) in names.into_iter().zip([low, high]) {
                if let Some(bound) = bound {
                    schema.insert(name.into(), json_number(*bound));
                }
            }
        }
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Int(value) => (*value).into(),
        Value::Number(value) => json_number(*value),
        Value::Bool(value) => (*value).into(),
        Value::Date(date) => date.to_string().into(),
        Value::List(items) => items.iter().map(String::as_str).collect(),
    }
}

/// Converts a number to JSON. An integer gets no `.0`, as a `maxLength` of `200.0` would be invalid.
pub fn json_number(value: f64) -> Json {
    const EXACT_INTEGER_BOUND: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT_INTEGER_BOUND {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// Returns a value as the text of a query string; empty for null.
pub fn argument_text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) => number_text(number),
        Json::Array(items) => items.iter().map(argument_text).collect::<Vec<_>>().join(","),
        Json::Bool(_) | Json::Object(_) => value.to_string(),
    }
}

/// Formats a number. `10.0` is written as the integer 10, which JSON Schema considers equal.
fn number_text(number: &Number) -> String {
    const EXACT_INTEGER_BOUND: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT_INTEGER_BOUND => {
            (value as i64).to_string()
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_in_a_query_string() {
        for (value, expected) in [
            (json!("a b"), "a b"),
            (json!(10), "10"),
            (json!(10.0), "10"),
            (json!(-0.5), "-0.5"),
            (json!(1e300), "1e+300"),
            (json!(true), "true"),
            (json!(null), ""),
            (json!(["a", "b"]), "a,b"),
            (json!([]), ""),
            (json!({"a": 1}), r#"{"a":1}"#),
        ] {
            assert_eq!(argument_text(&value), expected, "{value}");
        }
    }
}

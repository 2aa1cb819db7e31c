//! JSON against its schema: the part of JSON Schema that our documents use, and no more.
//!
//! It is stricter than the standard in two ways: a keyword that it does not know is an error, and so is a field that
//! `properties` does not name. So a document cannot promise less than the answers hold.

use regex::Regex;
use serde_json::{Map, Value as Json};

/// Keywords that say nothing about what is valid.
const WORDS: [&str; 6] = ["description", "default", "example", "examples", "title", "deprecated"];

/// Whether a document is valid; `root` is where references point into.
pub(crate) fn validate(json: &Json, schema: &Json, root: &Json, at: &str) -> Result<(), String> {
    let schema = schema.as_object().ok_or_else(|| format!("{at}: the schema is no object"))?;
    schema.iter().try_for_each(|(keyword, value)| {
        let fails = |what: String| Err(format!("{at}: {what}"));
        match (keyword.as_str(), json) {
            ("$ref", _) => {
                let pointer = value.as_str().and_then(|text| text.strip_prefix('#')).unwrap();
                let target = root.pointer(pointer).ok_or_else(|| format!("{at}: {pointer} leads nowhere"))?;
                validate(json, target, root, at)
            }
            ("type", _) if is_any(json, value) => Ok(()),
            ("type", _) => fails(format!("{json} is not of type {value}")),
            ("properties", Json::Object(fields)) => properties(fields, value, root, at),
            ("required", Json::Object(fields)) => {
                let names = value.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                names.into_iter().try_for_each(|name| match fields.get(name) {
                    Some(_) => Ok(()),
                    None => Err(format!("{at}: the field `{name}` is missing")),
                })
            }
            ("items", Json::Array(items)) => items
                .iter()
                .enumerate()
                .try_for_each(|(index, item)| validate(item, value, root, &format!("{at}[{index}]"))),
            ("enum", _) if value.as_array().unwrap().contains(json) => Ok(()),
            ("const", _) if value == json => Ok(()),
            ("enum" | "const", _) => fails(format!("{json} is not among {value}")),
            ("anyOf" | "oneOf", _) => {
                let all: Vec<_> =
                    value.as_array().unwrap().iter().map(|form| validate(json, form, root, at)).collect();
                let fit = all.iter().filter(|form| form.is_ok()).count();
                if fit == 1 || (keyword == "anyOf" && fit > 0) {
                    return Ok(());
                }
                fails(format!("{fit} forms fit: {all:?}"))
            }
            ("allOf", _) => {
                value.as_array().unwrap().iter().try_for_each(|part| validate(json, part, root, at))
            }
            ("uniqueItems", Json::Array(items)) if value == true => {
                match items.iter().enumerate().find(|(at, item)| items[..*at].contains(item)) {
                    Some((_, twice)) => fails(format!("{twice} is there twice")),
                    None => Ok(()),
                }
            }
            ("minItems", Json::Array(items)) if (items.len() as u64) < value.as_u64().unwrap() => {
                fails(format!("{} values are fewer than {value}", items.len()))
            }
            ("maxItems", Json::Array(items)) if items.len() as u64 > value.as_u64().unwrap() => {
                fails(format!("{} values are more than {value}", items.len()))
            }
            ("format", Json::String(text)) if value == "date" => {
                match chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d") {
                    Ok(_) if text.len() == 10 => Ok(()),
                    _ => fails(format!("{text:?} is no date")),
                }
            }
            ("pattern", Json::String(text))
                if !Regex::new(value.as_str().unwrap()).unwrap().is_match(text) =>
            {
                fails(format!("{text:?} is not like {value}"))
            }
            ("minLength", Json::String(text)) if (text.chars().count() as u64) < value.as_u64().unwrap() => {
                fails(format!("{text:?} is shorter than {value}"))
            }
            ("maxLength", Json::String(text)) if text.chars().count() as u64 > value.as_u64().unwrap() => {
                fails(format!("{text:?} is longer than {value}"))
            }
            ("minimum", Json::Number(number)) if number.as_f64() < value.as_f64() => {
                fails(format!("{number} < {value}"))
            }
            ("maximum", Json::Number(number)) if number.as_f64() > value.as_f64() => {
                fails(format!("{number} > {value}"))
            }
            (
                "format" | "minimum" | "maximum" | "properties" | "required" | "items" | "pattern"
                | "minLength" | "maxLength" | "uniqueItems" | "minItems" | "maxItems",
                _,
            ) => Ok(()),
            (word, _) if WORDS.contains(&word) || word.starts_with("x-") => Ok(()),
            (unknown, _) => fails(format!("the keyword `{unknown}` is not one that is checked here")),
        }
    })
}

fn properties(fields: &Map<String, Json>, schemas: &Json, root: &Json, at: &str) -> Result<(), String> {
    fields.iter().try_for_each(|(name, value)| match schemas.get(name) {
        Some(schema) => validate(value, schema, root, &format!("{at}.{name}")),
        None => Err(format!("{at}: the field `{name}` is in no schema")),
    })
}

fn is_any(json: &Json, types: &Json) -> bool {
    let is = |name: &Json| match name.as_str().unwrap() {
        "null" => json.is_null(),
        "boolean" => json.is_boolean(),
        "string" => json.is_string(),
        "number" => json.is_number(),
        "integer" => json.is_i64() || json.is_u64(),
        "array" => json.is_array(),
        "object" => json.is_object(),
        _ => false,
    };
    types.as_array().map_or_else(|| is(types), |types| types.iter().any(is))
}

#[test]
fn the_checker_finds_what_is_wrong() {
    use serde_json::json;
    let root = json!({"parts": {"Meta": {"type": "string", "enum": ["a", "b"]}}});
    let schema = json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": ["integer", "null"]},
        "l": {"type": "array", "items": {"anyOf": [{"type": "string", "format": "date"}, {"const": 1}]}},
        "m": {"$ref": "#/parts/Meta"},
        "u": {"allOf": [{"type": "array"}, {"minItems": 1}], "uniqueItems": true, "maxItems": 2},
        "p": {"pattern": "^(1m|[0-9]{4}-[0-9]{2}-[0-9]{2})$", "minLength": 2, "maxLength": 10},
    }});
    for (json, fits) in [
        (json!({"n": 1, "l": ["2026-01-02", 1], "m": "a"}), true),
        (json!({"n": null}), true),
        (json!({"n": 1.5}), false),
        (json!({}), false),
        (json!({"n": 1, "x": 2}), false),
        (json!({"n": 1, "l": ["2026-1-2"]}), false),
        (json!({"n": 1, "l": [2]}), false),
        (json!({"n": 1, "m": "c"}), false),
        (json!({"n": 1, "u": [1, 2]}), true),
        (json!({"n": 1, "u": [1, 1]}), false),
        (json!({"n": 1, "u": [1, 2, 3]}), false),
        (json!({"n": 1, "u": []}), false),
        (json!({"n": 1, "u": {}}), false),
        (json!({"n": 1, "p": "1m"}), true),
        (json!({"n": 1, "p": "2026-10-30"}), true),
        (json!({"n": 1, "p": "2m"}), false),
        (json!({"n": 1, "p": "2026-1-30"}), false),
        (json!({"n": 1, "p": "2026-10-301"}), false),
    ] {
        assert_eq!(validate(&json, &schema, &root, "it").is_ok(), fits, "{json}");
    }
    assert!(validate(&json!(1), &json!({"multipleOf": 2}), &root, "it").is_err());
}

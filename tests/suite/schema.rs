//! JSON Schema validation, independent of this project's code.
//!
//! Three rules are stricter than the standard. A field that `properties` does not name is an error, and so is a keyword that
//! is not listed below: so a document cannot omit fields of the answers. An integer is written without a decimal point.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jsonschema::{Keyword, Registry, ValidationError, Validator};
use serde_json::{Map, Value as Json, json};

/// The URI of the document for references.
const DOCUMENT: &str = "urn:parquote:document";
/// The allowed keywords, in addition to our own ones that begin with `x-`.
const KEYWORDS: [&str; 25] = [
    "$ref", "type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf",
    "uniqueItems", "minItems", "maxItems", "format", "pattern", "minLength", "maxLength", "minimum",
    "maximum", // These do not affect validity.
    "description", "default", "example", "examples", "title", "deprecated",
];

/// Keyword added to the schemas of integers.
const WRITTEN_AS_INTEGER: &str = "x-written-as-integer";

/// An integer without a decimal point: JSON Schema accepts `2.0` as an integer, many clients do not.
struct WrittenAsInteger;

impl<'json> Keyword<'json> for WrittenAsInteger {
    fn validate(&self, json: &'json Json) -> Result<(), ValidationError<'json>> {
        if self.is_valid(json) { Ok(()) } else { Err(ValidationError::custom("an integer with a point")) }
    }

    fn is_valid(&self, json: &'json Json) -> bool {
        !json.is_f64()
    }
}

/// Validates values against the schemas of one document.
pub(crate) struct Judge {
    schemas: Registry<'static>,
    /// Compiled validators by schema text.
    known: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Judge {
    /// Prepares a document with its named schemas in `components`; null for schemas without references.
    pub(crate) fn for_document(document: &Json) -> Result<Self, String> {
        let schemas = each(&document["components"]["schemas"], closed)?;
        let named = json!({ "components": { "schemas": schemas } });
        let registry = Registry::new().add(DOCUMENT, named).map_err(|error| error.to_string())?;
        let schemas = registry.prepare().map_err(|error| error.to_string())?;
        Ok(Self { schemas, known: Mutex::default() })
    }

    /// Checks that a value is valid by its schema.
    pub(crate) fn validate(&self, json: &Json, schema: &Json, at: &str) -> Result<(), String> {
        let validator = self.validator(schema).map_err(|problem| format!("{at}: {problem}"))?;
        let problems: Vec<String> = validator
            .iter_errors(json)
            .map(|error| format!("{at}{}: {error}", error.instance_path()))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }

    fn validator(&self, schema: &Json) -> Result<Arc<Validator>, String> {
        let text = schema.to_string();
        let mut known = self.known.lock().unwrap();
        if let Some(validator) = known.get(&text) {
            return Ok(Arc::clone(validator));
        }
        let options = jsonschema::options()
            .with_registry(&self.schemas)
            .with_keyword(WRITTEN_AS_INTEGER, |_, _, _| Ok(Box::new(WrittenAsInteger)))
            .should_validate_formats(true);
        let validator = Arc::new(options.build(&closed(schema)?).map_err(|error| error.to_string())?);
        known.insert(text, Arc::clone(&validator));
        Ok(validator)
    }
}

/// Returns a schema that forbids unnamed fields and integers with a decimal point.
fn closed(schema: &Json) -> Result<Json, String> {
    let schema = schema.as_object().ok_or_else(|| format!("{schema} is no schema"))?;
    let mut strict = Map::new();
    let types =
        schema.get("type").map(|types| types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice));
    if types.is_some_and(|types| types.contains(&json!("integer")) && !types.contains(&json!("number"))) {
        strict.insert(WRITTEN_AS_INTEGER.to_owned(), json!(true));
    }
    for (keyword, value) in schema {
        let value = match keyword.as_str() {
            "$ref" => json!(format!("{DOCUMENT}{}", value.as_str().unwrap_or_default())),
            "items" => closed(value)?,
            "anyOf" | "oneOf" | "allOf" => {
                let forms = value.as_array().ok_or_else(|| format!("`{keyword}` of {value}"))?;
                forms.iter().map(closed).collect::<Result<_, _>>()?
            }
            "properties" => {
                strict.insert("additionalProperties".to_owned(), json!(false));
                each(value, closed)?
            }
            known if KEYWORDS.contains(&known) || known.starts_with("x-") => value.clone(),
            unknown => return Err(format!("the keyword `{unknown}` is not one that is checked here")),
        };
        strict.insert(keyword.clone(), value);
    }
    Ok(strict.into())
}

fn each(schemas: &Json, of_one: fn(&Json) -> Result<Json, String>) -> Result<Json, String> {
    let schemas = schemas.as_object().into_iter().flatten();
    schemas.map(|(name, schema)| Ok((name.clone(), of_one(schema)?))).collect()
}

#[test]
fn the_judge_finds_what_is_wrong() {
    let document = json!({"components": {"schemas": {"Meta": {"type": "string", "enum": ["a", "b"]}}}});
    let judge = Judge::for_document(&document).unwrap();
    let schema = json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": ["integer", "null"]},
        "l": {"type": "array", "items": {"anyOf": [{"type": "string", "format": "date"}, {"const": 1}]}},
        "m": {"$ref": "#/components/schemas/Meta"},
        "u": {"allOf": [{"type": "array"}, {"minItems": 1}], "uniqueItems": true, "maxItems": 2},
        "p": {"pattern": "^(1m|[0-9]{4}-[0-9]{2}-[0-9]{2})$", "minLength": 2, "maxLength": 10},
    }});
    for (json, fits) in [
        (json!({"n": 1, "l": ["2026-01-02", 1], "m": "a"}), true),
        (json!({"n": null}), true),
        (json!({"n": 1.5}), false),
        (json!({"n": 1.0}), false),
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
        assert_eq!(judge.validate(&json, &schema, "it").is_ok(), fits, "{json}");
    }
    for unsound in
        [json!({"multipleOf": 2}), json!({"type": "text"}), json!({"$ref": "#/components/schemas/No"})]
    {
        assert!(judge.validate(&json!(1), &unsound, "it").is_err(), "{unsound}");
    }
}

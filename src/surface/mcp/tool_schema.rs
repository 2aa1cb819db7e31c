//! The schemas of a tool. Both are objects at the top, without a choice there: some models and clients take no other.
//!
//! What comes out is declared loosely - no field is required but the data itself - because a caller may ask for some of the
//! fields, or for columns, and clients refuse an answer that breaks its schema.

use rmcp::model::JsonObject;
use serde_json::{Map, Value as Json, json};

use crate::engine::ResultColumn;
use crate::operation::{Offer, Operation};
use crate::surface::json_schema;

/// The schema of a tool's arguments: the operation's parameters without those of REST alone, and what every list takes.
pub(super) fn input(operation: &Operation) -> JsonObject {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let shared = operation.presentation_params(Offer::ENVELOPED);
    for param in operation.params.iter().filter(|param| !param.rest_only).chain(&shared) {
        let mut schema = param.schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".into(), param.full_words().into());
        }
        properties.insert(param.name.clone(), schema);
        if param.required() {
            required.push(param.name.clone());
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// The schema of a tool's structured answer.
pub(super) fn output(operation: &Operation, columns: &[Vec<ResultColumn>]) -> JsonObject {
    let mut data = json_schema::of_answer(operation, columns);
    loosen(&mut data);
    widen(&mut data);
    let mut properties = Map::new();
    properties.insert(
        "as_of".into(),
        json!({"type": "string", "description": "The market's last session in the data."}),
    );
    properties.insert("data".into(), data);
    if operation.has_rows() {
        properties
            .insert("truncated".into(), json!({"type": "boolean", "description": "Rows are left out."}));
        properties.insert("total".into(), json!({"type": "integer", "description": "Rows that match in all."}));
        properties.insert("next".into(), json!({"type": "string", "description": "How to get the rest."}));
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), json!(["data"]));
    schema
}

/// Takes off what an answer in another form or with other fields would break, and what would make the list of all tools
/// long: the words about a column are on the page of its tool.
fn loosen(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            // What hangs under such a key and is a schema is a column of that name.
            for key in ["required", "x-unit", "description"] {
                if fields.get(key).is_some_and(|value| !value.is_object()) {
                    fields.remove(key);
                }
            }
            fields.values_mut().for_each(loosen);
        }
        Json::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Rows may come as an object of columns and rows.
fn widen(data: &mut Json) {
    if let Some(forms) = data.get_mut("anyOf").and_then(Json::as_array_mut) {
        forms.iter_mut().for_each(widen);
    } else if data.get("type").and_then(Json::as_str) == Some("array")
        && let Some(ty) = data.get_mut("type")
    {
        *ty = json!(["array", "object"]);
    }
}

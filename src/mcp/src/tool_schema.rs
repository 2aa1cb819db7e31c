//! The schemas of a tool. Both are objects at the top level, without alternatives: some models and clients accept nothing else.
//!
//! A model pays for the list of all tools before its first call, so they are short. Arguments have their type, the allowed values and one
//! sentence; the parameters common to all read tools have a few words. The columns of an answer are on the tool's page,
//! `parquote://tools/{tool}`, and in `describe_tool`; the output schema has only what is independent of the form.

use rmcp::model::JsonObject;
use serde_json::{Map, Value as Json, json};

use super::detail;
use parquote_catalogue::operation::{Catalogue, Offer, Operation, Param, ParamType, WrapSource};

/// Short descriptions of the parameters common to all read operations. REST has the full ones; the server's instructions have the rest,
/// once for all tools.
const SHARED_PARAMS: [(&str, &str); 4] = [
    ("format", ""),
    ("fields", "Columns to keep, comma-separated."),
    ("offset", "Rows to skip."),
    ("snapshot", "Kept set."),
];

/// Returns the schema of a tool's arguments: the operation's parameters except REST-only ones, and those common to all lists.
pub(super) fn input(operation: &Operation, catalogue: &Catalogue) -> JsonObject {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in operation.params.iter().filter(|param| !param.rest_only) {
        properties
            .insert(param.name.clone(), argument(param, catalogue, &param_description(operation, param)));
        if param.is_required() {
            required.push(param.name.clone());
        }
    }
    for param in operation.presentation_params(Offer::ENVELOPED) {
        let shared = SHARED_PARAMS.iter().find(|(name, _)| *name == param.name);
        let words = shared.map_or_else(|| param.full_description(), |(_, words)| (*words).to_owned());
        let mut schema = argument(&param, catalogue, &words);
        if let Some(schema) = schema.as_object_mut() {
            for left_out in ["default", "minimum", "maximum"] {
                schema.remove(left_out);
            }
        }
        properties.insert(param.name.clone(), schema);
    }
    properties.extend(detail::schema(operation).map(|schema| (detail::DETAIL.to_owned(), schema)));
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// Returns the description of a parameter, with the meaning of each value if the answer has labels for them.
fn param_description(operation: &Operation, param: &Param) -> String {
    let words = param.full_description();
    let labels =
        operation.selects.iter().flat_map(|select| &select.wrap).find_map(|field| match &field.source {
            WrapSource::Label(name, labels) if *name == param.name => Some(labels),
            _ => None,
        });
    let Some(labels) = labels else { return words };
    let labels: Vec<String> = labels.iter().map(|(word, label)| format!("{word}: {label}")).collect();
    format!("{words} {}.", labels.join("; "))
}

/// Returns the schema of a tool's structured answer, which declares only that the answer is an object. The instructions describe its
/// fields; the contents of `data` depend on `format` and `fields`.
pub(super) fn output() -> JsonObject {
    Map::from_iter([("type".to_owned(), "object".into())])
}

/// Returns the schema of an argument. Several values are one text with commas, as in a query string; a list is accepted as well.
fn argument(param: &Param, catalogue: &Catalogue, words: &str) -> Json {
    let mut schema = match param.ty {
        ParamType::List => json!({"type": "string", "description": words}),
        _ => param.schema_for_models(words),
    };
    if let (Some(folder), Some(schema)) = (&param.folder, schema.as_object_mut()) {
        schema.insert("enum".into(), catalogue.declared_names(folder).into());
    }
    schema
}

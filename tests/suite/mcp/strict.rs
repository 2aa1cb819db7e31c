//! Requirements of clients and providers of models for every tool of every set: a title, hints, and schemas that strict modes take. The rules
//! of OpenAI and Gemini are those of their guides to structured outputs and function calling.

use serde_json::{Map, Value as Json, json};

use super::client::{EARLIER, result};

/// All sets of tools.
const SETS: [&str; 4] = ["/mcp?toolsets=all", "/mcp/discover", "/mcp/chat", "/mcp?toolsets=chatgpt"];

fn every_tool() -> Vec<(&'static str, Json)> {
    let tools = |path: &'static str| {
        let list = result(EARLIER, path, "tools/list", json!({}))["tools"].clone();
        list.as_array().unwrap().iter().map(|tool| (path, tool.clone())).collect::<Vec<_>>()
    };
    SETS.into_iter().flat_map(tools).collect()
}

#[test]
fn every_tool_has_a_title_hints_and_a_schema() {
    let tools = every_tool();
    // 99 operations and the chart, three that find the others, 18 of chats, two of connectors.
    assert_eq!(tools.len(), 100 + 3 + 18 + 2);
    for (set, tool) in tools {
        let name = format!("{set} {}", tool["name"]);
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
    }
}

/// Converts a schema as strict modes of OpenAI do: every property is required, those that were optional may be null, and no other is allowed.
fn for_openai(schema: &Json, at: &str) -> Json {
    const KNOWN: [&str; 12] = [
        "type", "description", "enum", "default", "properties", "required", "additionalProperties", "items",
        "minimum", "maximum", "minItems", "maxItems",
    ];
    let fields = schema.as_object().unwrap();
    for name in fields.keys() {
        // Lengths of texts are ignored by one provider, and part of the language of the other.
        assert!(
            KNOWN.contains(&name.as_str()) || ["minLength", "maxLength"].contains(&name.as_str()),
            "{at}: {name}"
        );
    }
    let mut strict = fields.clone();
    // Converters leave it out: with every argument required, none has a default.
    strict.remove("default");
    let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{at} has no type: {schema}"));
    match kind {
        "object" => {
            let properties =
                schema["properties"].as_object().unwrap_or_else(|| panic!("{at}: no properties"));
            let is_closed = schema["additionalProperties"] == false;
            let may_be_open = !properties.is_empty() && schema["additionalProperties"].is_null();
            assert!(is_closed || may_be_open, "{at}: other properties are allowed");
            let required =
                |name: &String| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
            let convert = |(name, inner): (&String, &Json)| {
                let mut inner = for_openai(inner, &format!("{at}.{name}"));
                if !required(name) {
                    inner["type"] = json!([inner["type"], "null"]);
                }
                (name.clone(), inner)
            };
            let converted: Map<String, Json> = properties.iter().map(convert).collect();
            strict.insert("required".into(), converted.keys().cloned().collect());
            strict.insert("properties".into(), converted.into());
            strict.insert("additionalProperties".into(), false.into());
        }
        "array" => drop(strict.insert("items".into(), for_openai(&schema["items"], &format!("{at}[]")))),
        "string" | "integer" | "number" | "boolean" => {}
        other => panic!("{at}: {other}"),
    }
    Json::Object(strict)
}

/// Checks a schema against the subset of Gemini: an enum has texts alone, an object below the top has properties, no alternatives stand beside a
/// type, and of formats only those of numbers and moments are known.
fn check_for_gemini(schema: &Json, at: &str) {
    for name in ["anyOf", "oneOf", "allOf", "$ref", "format", "const", "not"] {
        assert!(schema[name].is_null(), "{at}: {name}");
    }
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(schema["type"] == "string" && allowed.iter().all(Json::is_string), "{at}: {schema}");
        assert!(allowed.iter().all(|word| word != ""), "{at}: an empty word");
    }
    match schema["type"].as_str().unwrap() {
        "object" => {
            let properties = schema["properties"].as_object();
            let is_top = !at.contains('.');
            assert!(is_top || properties.is_some_and(|all| !all.is_empty()), "{at}: no properties");
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(properties.unwrap().contains_key(name.as_str().unwrap()), "{at}: {name}");
            }
            for (name, inner) in properties.into_iter().flatten() {
                check_for_gemini(inner, &format!("{at}.{name}"));
            }
        }
        "array" => check_for_gemini(&schema["items"], &format!("{at}.items")),
        _ => {}
    }
}

#[test]
fn strict_modes_take_every_schema() {
    for (_, tool) in every_tool() {
        let name = tool["name"].as_str().unwrap();
        let strict = for_openai(&tool["inputSchema"], name);
        jsonschema::meta::validate(&strict).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_for_gemini(&tool["inputSchema"], name);
    }
}

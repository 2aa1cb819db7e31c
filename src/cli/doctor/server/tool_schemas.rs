//! The list of tools: schemas, names and pages that some apps cannot read.

use serde_json::{Map, Value as Json};

use super::requests::Trouble;

/// Checks a reply to `tools/list`.
pub(super) fn check(listed: &Json) -> Result<(), Trouble> {
    const REMEDY: &str =
        "use the tools as this version of Parquote lists them, without a gateway that rewrites them";
    if listed.get("nextCursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(Trouble::new("the list of tools has a second page, which most apps never read", REMEDY));
    }
    for tool in listed.get("tools").and_then(Json::as_array).into_iter().flatten() {
        let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
        if let Some(fault) = tool.get("inputSchema").and_then(|schema| fault(schema, "")) {
            return Err(Trouble::new(format!("the tool {name} has an input that {fault}"), REMEDY));
        }
    }
    Ok(())
}

/// Returns the first part of a schema that an app refuses, with the app.
fn fault(schema: &Json, place: &str) -> Option<String> {
    let fields: &Map<String, Json> = schema.as_object()?;
    if fields.get("type").is_some_and(Json::is_array) {
        return Some(format!("Copilot Studio drops: {place} has a list of types"));
    }
    if fields.contains_key("$ref") {
        return Some(format!("Copilot Studio drops: {place} has a reference"));
    }
    if fields.contains_key("enum") && !fields.contains_key("type") {
        return Some(format!("Gemini refuses: {place} has an enum without a type"));
    }
    if fields.get("type").is_some_and(|kind| kind == "array") && !fields.contains_key("items") {
        return Some(format!("VS Code and Gemini refuse: {place} is an array without items"));
    }
    let properties = fields.get("properties").and_then(Json::as_object).into_iter().flatten();
    let inner = properties.map(|(name, schema)| (name.as_str(), schema));
    let items = fields.get("items").map(|items| (place, items));
    inner.chain(items).find_map(|(name, schema)| fault(schema, name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn inputs_that_an_app_refuses_are_found_at_any_depth() {
        let listed = |schema: Json| {
            let properties =
                json!({"a": {"type": "array", "items": {"type": "object", "properties": {"b": schema}}}});
            json!({"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": properties}}]})
        };
        let sound = json!({"type": "string", "enum": ["x"]});
        assert_eq!(check(&listed(sound)), Ok(()));
        for (schema, word) in [
            (json!({"type": ["string", "null"]}), "list of types"),
            (json!({"$ref": "#/x"}), "reference"),
            (json!({"enum": ["x"]}), "enum without a type"),
            (json!({"type": "array"}), "without items"),
        ] {
            let found = check(&listed(schema)).unwrap_err().finding;
            assert!(found.contains("b has") || found.contains("b is"), "{found}");
            assert!(found.contains("tool t") && found.contains(word), "{found}");
        }
        assert!(check(&json!({"tools": [], "nextCursor": "2"})).unwrap_err().finding.contains("second page"));
    }
}

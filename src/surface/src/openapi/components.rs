//! Components that the document references from several places, collected while it is written.

use serde_json::{Map, Value as Json, json};

/// Schemas and parameters by name.
#[derive(Debug, Default)]
pub(super) struct Components {
    pub schemas: Map<String, Json>,
    pub parameters: Map<String, Json>,
}

impl Components {
    /// Returns a reference to a schema, which is built on first use.
    pub(super) fn schema(&mut self, name: &str, make: impl FnOnce() -> Json) -> Json {
        if !self.schemas.contains_key(name) {
            self.schemas.insert(name.to_owned(), make());
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// Returns a reference to a parameter, which is built on first use.
    pub(super) fn parameter(&mut self, name: &str, make: impl FnOnce() -> Json) -> Json {
        if !self.parameters.contains_key(name) {
            self.parameters.insert(name.to_owned(), make());
        }
        json!({"$ref": format!("#/components/parameters/{name}")})
    }
}

/// Converts a name to a schema name: its words capitalized and joined.
pub(super) fn pascal_case(words: &str) -> String {
    let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let capital = |part: &str| {
        let (first, rest) = part.split_at_checked(1).unwrap_or(("", part));
        first.to_ascii_uppercase() + rest
    };
    parts.map(capital).collect()
}

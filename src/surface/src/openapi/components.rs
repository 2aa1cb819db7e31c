//! What several places of the document refer to, gathered while they are written.

use serde_json::{Map, Value as Json, json};

/// Schemas and parameters that have names of their own.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// The schemas, by name.
    pub schemas: Map<String, Json>,
    /// The parameters, by name.
    pub parameters: Map<String, Json>,
}

impl Components {
    /// A reference to a schema, which is made if it is not there yet.
    pub(super) fn schema(&mut self, name: &str, make: impl FnOnce() -> Json) -> Json {
        if !self.schemas.contains_key(name) {
            self.schemas.insert(name.to_owned(), make());
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// A reference to a parameter, which is made if it is not there yet.
    pub(super) fn parameter(&mut self, name: &str, make: impl FnOnce() -> Json) -> Json {
        if !self.parameters.contains_key(name) {
            self.parameters.insert(name.to_owned(), make());
        }
        json!({"$ref": format!("#/components/parameters/{name}")})
    }
}

/// The name of a schema: the words of a name with capitals and nothing between them.
pub(super) fn pascal(words: &str) -> String {
    let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let capital = |part: &str| {
        let (first, rest) = part.split_at_checked(1).unwrap_or(("", part));
        first.to_ascii_uppercase() + rest
    };
    parts.map(capital).collect()
}

//! An example of a call, as the examples in its declaration make it.

use std::fmt::Write as _;

use crate::operation::{Access, Operation};

/// Where a server listens that was started without more being said.
const ORIGIN: &str = "http://127.0.0.1:8080";

/// The query string of an example: every parameter that shows a value. Empty if nothing needs to be said.
pub(crate) fn query(operation: &Operation) -> String {
    let pairs = operation.example_pairs(true);
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    pairs.join("&")
}

/// A command for a shell that asks; `query` begins with its question mark. What a shell takes for its own is quoted.
pub(crate) fn command(operation: &Operation, query: &str) -> String {
    let key = if operation.access == Access::Public { "" } else { "-H 'X-Api-Key: <API_KEY>' " };
    format!("curl {key}'{ORIGIN}/v1/{}{query}'", operation.name)
}

/// Percent-encodes all but the characters that mean themselves everywhere in a URL.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_encoded() {
        assert_eq!(encode("M&M"), "M%26M");
        assert_eq!(encode("Jun 2026"), "Jun%202026");
        assert_eq!(encode("é,a-b"), "%C3%A9,a-b");
    }
}

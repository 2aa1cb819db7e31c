//! An example of a call, as the examples in its declaration make it.

use percent_encoding::{AsciiSet, utf8_percent_encode};

use parquote_catalogue::operation::{Access, Operation};
use parquote_picture::sheet::RESERVED;

/// Lists are parted by commas, which mean nothing else in a query.
const BUT_COMMAS: &AsciiSet = &RESERVED.remove(b',');
/// Where a server listens that was started without more being said.
const ORIGIN: &str = "http://127.0.0.1:8080";

/// The query string of an example: every parameter that shows a value. Empty if nothing needs to be said.
pub fn query(operation: &Operation) -> String {
    let pairs = operation.example_pairs(true);
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, BUT_COMMAS)))
        .collect();
    pairs.join("&")
}

/// A command for a shell that asks; `query` begins with its question mark. What a shell takes for its own is quoted.
pub fn command(operation: &Operation, query: &str) -> String {
    let key = if operation.access == Access::Public { "" } else { "-H 'X-Api-Key: <API_KEY>' " };
    format!("curl {key}'{ORIGIN}/v1/{}{query}'", operation.name)
}

//! An example request, built from the examples in an operation's declaration.

use percent_encoding::{AsciiSet, utf8_percent_encode};

use parquote_catalogue::operation::{Access, Operation};
use parquote_picture::sheet::RESERVED;

/// Characters that are escaped in a query: all reserved ones except commas, which separate the items of lists.
const RESERVED_BUT_COMMAS: &AsciiSet = &RESERVED.remove(b',');
/// Default address of a server.
pub const ORIGIN: &str = "http://127.0.0.1:8080";

/// Returns the query string of an example: every parameter that has an example value. Empty if there is none.
pub fn query(operation: &Operation) -> String {
    let pairs = operation.example_pairs(true);
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, RESERVED_BUT_COMMAS)))
        .collect();
    pairs.join("&")
}

/// Returns a shell command for the request to a server at its default address; `query` begins with its question mark.
pub fn command(operation: &Operation, query: &str) -> String {
    command_at(ORIGIN, operation, query)
}

/// Returns a shell command for the request to the server at an origin, such as `https://api.example.com`, quoted for the shell.
pub fn command_at(origin: &str, operation: &Operation, query: &str) -> String {
    let key = if operation.access == Access::Public { "" } else { "-H 'X-Api-Key: <API_KEY>' " };
    format!("curl {key}'{origin}/v1/{}{query}'", operation.name)
}

//! The arguments of a tool as the call takes them: pairs of name and text, as from a query string. What they may be is
//! decided there, in the same words; only how rows are passed over is this door's own.

use rmcp::model::JsonObject;
use serde_json::{Number, Value as Json};

use super::tool_schema::has_rows;
use crate::error::{ClientError, ErrorKind};
use crate::operation::Operation;

/// The argument that says how many rows of an answer to pass over.
pub(super) const OFFSET: &str = "offset";

/// What a caller brings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Brought {
    /// The arguments of the operation.
    pub pairs: Vec<(String, String)>,
    /// Rows to pass over.
    pub offset: usize,
}

/// Reads the arguments of a call.
///
/// # Errors
/// 400 for a number of rows that is none.
pub(super) fn read(operation: &Operation, arguments: &JsonObject) -> Result<Brought, ClientError> {
    let mut brought = Brought::default();
    for (name, value) in arguments {
        if name == OFFSET && has_rows(operation) && operation.param(OFFSET).is_none() {
            brought.offset = offset(value)?;
        } else {
            brought.pairs.push((name.clone(), text(value)));
        }
    }
    Ok(brought)
}

fn offset(value: &Json) -> Result<usize, ClientError> {
    let text = text(value);
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        let message = format!("`{OFFSET}`: `{text}` is not a number of rows; allowed is 0 or more");
        let violations = vec![(OFFSET.to_owned(), message.clone())];
        ClientError { violations, ..ClientError::new(ErrorKind::BadRequest, message) }
    })
}

/// A value as it would stand in a query string; null is none.
fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) => number_text(number),
        Json::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        Json::Bool(_) | Json::Object(_) => value.to_string(),
    }
}

/// A whole number is whole however it is written: `10.0` is 10, as JSON Schema has it.
fn number_text(number: &Number) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            (value as i64).to_string()
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_as_in_a_query_string() {
        for (value, expected) in [
            (json!("a b"), "a b"),
            (json!(10), "10"),
            (json!(10.0), "10"),
            (json!(-0.5), "-0.5"),
            (json!(1e300), "1e+300"),
            (json!(true), "true"),
            (json!(null), ""),
            (json!(["a", "b"]), "a,b"),
            (json!([]), ""),
            (json!({"a": 1}), r#"{"a":1}"#),
        ] {
            assert_eq!(text(&value), expected, "{value}");
        }
    }
}

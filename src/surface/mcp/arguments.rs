//! The arguments of a tool as the call takes them: pairs of name and text, as from a query string. What they may be is
//! decided there, in the same words; only how rows are passed over is this door's own.

use rmcp::model::JsonObject;
use serde_json::Value as Json;

use super::tool_schema::has_rows;
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Operation, argument_text};

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
            brought.pairs.push((name.clone(), argument_text(value)));
        }
    }
    Ok(brought)
}

fn offset(value: &Json) -> Result<usize, ClientError> {
    let text = argument_text(value);
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        let message = format!("`{OFFSET}`: `{text}` is not a number of rows; allowed is 0 or more");
        let violations = vec![(OFFSET.to_owned(), message.clone())];
        ClientError { violations, ..ClientError::new(ErrorKind::BadRequest, message) }
    })
}

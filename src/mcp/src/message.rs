//! Validation before the SDK sees a body: it must be one JSON-RPC message. It does not interpret methods.

use serde_json::{Value as Json, json};

/// Most commas in a message. The largest calls, such as scans of fifty symbols, have a hundred; parsing tens of thousands would block a
/// network thread that others need.
const MOST_VALUES: usize = 1_024;

/// A body that is not a message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MessageError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Syntax(String),
    /// The body is JSON, but not a JSON-RPC message.
    #[error("the body is not a JSON-RPC 2.0 message: {words}")]
    Message {
        /// Fault of the message, as the end of a sentence.
        words: &'static str,
        /// Id of the request; `None` if it has none.
        id: Option<Json>,
    },
    /// The parameters of the message are not an object.
    #[error("`params` is an object")]
    Params {
        /// Id of the request; `None` if it has none.
        id: Option<Json>,
    },
}

impl MessageError {
    /// Returns the JSON-RPC error.
    pub(super) fn body(&self) -> Vec<u8> {
        match self {
            Self::Syntax(_) => error(-32700, &self.to_string(), None, None),
            Self::Message { id, .. } => error(-32600, &self.to_string(), id.as_ref(), None),
            Self::Params { id } => error(-32602, &self.to_string(), id.as_ref(), None),
        }
    }
}

/// Builds a JSON-RPC error. An unknown id is null, as JSON-RPC has it; some clients accept no error without an id.
pub(super) fn error(code: i32, message: &str, id: Option<&Json>, data: Option<&Json>) -> Vec<u8> {
    let mut error = json!({"code": code, "message": message});
    if let (Some(error), Some(data)) = (error.as_object_mut(), data) {
        error.insert("data".to_owned(), data.clone());
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes()
}

pub(super) fn check(body: &[u8]) -> Result<(), MessageError> {
    if separators(body) >= MOST_VALUES {
        let words = "it has more than 1024 values; a call has no use for so many";
        return Err(MessageError::Message { words, id: None });
    }
    let json: Json = serde_json::from_slice(body).map_err(|error| MessageError::Syntax(error.to_string()))?;
    let wrong = |words, id| Err(MessageError::Message { words, id });
    let message = match &json {
        Json::Object(message) => message,
        Json::Array(_) => return wrong("batches are not taken; send one message a request", None),
        _ => return wrong("it is not an object", None),
    };
    let id = match message.get("id") {
        None => None,
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => Some(id.clone()),
        Some(_) => return wrong("`id` is a text or a whole number", None),
    };
    if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return wrong("`jsonrpc` is \"2.0\"", id);
    }
    let is_reply = message.contains_key("result") || message.contains_key("error");
    match message.get("method") {
        Some(Json::String(_)) if is_reply => wrong("it is a request and a reply at once", id),
        Some(Json::String(_))
            if message.get("params").is_some_and(|params| !params.is_object() && !params.is_null()) =>
        {
            Err(MessageError::Params { id })
        }
        Some(Json::String(_)) => Ok(()),
        None if is_reply => Ok(()),
        Some(_) => wrong("`method` is a text", id),
        None => wrong("`method` is missing", id),
    }
}

/// Returns the number of commas outside of strings, also for invalid JSON.
fn separators(body: &[u8]) -> usize {
    let (mut commas, mut in_text, mut is_escaped) = (0, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b',' if !in_text => commas += 1,
            _ => {}
        }
    }
    commas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> Option<i64> {
        let error = check(body.as_bytes()).err()?.body();
        serde_json::from_slice::<Json>(&error).unwrap()["error"]["code"].as_i64()
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
        for body in ["", "{", "{\"a\":}", "nothing"] {
            assert_eq!(code(body), Some(-32700), "{body}");
        }
        for body in [
            "[]",
            "1",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        ] {
            assert_eq!(code(body), Some(-32600), "{body}");
        }
    }

    #[test]
    fn parameters_without_names_are_wrong_parameters() {
        for params in ["[1]", "5", "\"a\""] {
            assert_eq!(
                code(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}"#)),
                Some(-32602)
            );
        }
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#), None);
    }

    #[test]
    fn more_values_than_a_call_can_use_are_refused_unread() {
        let of = |count: usize, text: &str| {
            let names: Vec<String> = (0..count).map(|number| format!(r#""a{number}":1"#)).collect();
            let arguments = names.join(",");
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"t":"{text}","arguments":{{{arguments}}}}}}}"#
            )
        };
        assert_eq!(code(&of(900, &r#",\\\","#.repeat(2_000))), None);
        assert_eq!(code(&of(2_000, "")), Some(-32600));
        assert_eq!(separators(br#"[1,"a,\",",2]"#), 2);
    }

    #[test]
    fn an_id_that_can_be_read_comes_back() {
        let error = check(br#"{"jsonrpc":"2.0","id":"a","method":5}"#).unwrap_err();
        assert!(String::from_utf8(error.body()).unwrap().contains(r#""id":"a""#));
    }
}

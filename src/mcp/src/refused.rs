//! Refusals: of a request before it reaches a tool, as a JSON-RPC error; of a call, as a result for the model. The messages are those of
//! REST, with keys redacted.

use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject};
use serde_json::{Map, Value as Json, json};

use super::message;
use parquote_access::redact;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// Metadata key of the machine-readable refusal in a result.
pub(super) const ERROR: &str = "parquote/error";

/// Field of the machine-readable refusal with the page that resolves it.
pub(super) const PAGE: &str = "page";

/// Builds the refusal of a request before anything was read from it. The code is the HTTP status: codes below -32000 are reserved.
pub fn refusal(refused: &ClientError) -> Vec<u8> {
    let status = refused.kind.status();
    let data = json!({"status": status, "kind": refused.kind.word()});
    message::error(i32::from(status), &redact(&refused.message), None, Some(&data))
}

/// Builds the result of a refused call: the same message and status as over REST, for the model to act on.
pub(super) fn result(refused: &ClientError, mut meta: MetaObject) -> CallToolResult {
    let message = redact(&refused.message);
    let text = format!("{} {}: {message}", refused.kind.status(), refused.kind.word());
    meta.insert(ERROR.to_owned(), detail(refused, &message));
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

fn detail(refused: &ClientError, message: &str) -> Json {
    let mut detail = Map::new();
    detail.insert("status".into(), refused.kind.status().into());
    detail.insert("kind".into(), refused.kind.word().into());
    detail.insert("message".into(), message.into());
    detail.insert("retry".into(), refused.kind.is_retryable().into());
    if let Some(page) = refused.page {
        detail.insert(PAGE.into(), page.into());
    }
    if let Some(seconds) = refused.after_s() {
        detail.insert("retry_after_s".into(), seconds.into());
    }
    if !refused.violations.is_empty() {
        let violation =
            |(param, message): &(String, String)| json!({"param": redact(param), "message": redact(message)});
        detail.insert("violations".into(), refused.violations.iter().map(violation).collect());
    }
    Json::Object(detail)
}

/// Builds the refusal of one argument.
pub(super) fn invalid_argument(name: &str, message: String) -> ClientError {
    ClientError::invalid(ErrorKind::BadRequest, vec![(name.to_owned(), message)])
}

/// Builds the error for parameters that do not fit a method.
pub(super) fn invalid_params(message: &str) -> ErrorData {
    ErrorData::invalid_params(redact(message).into_owned(), None)
}

//! The replies and faults that a script can choose.

use std::time::Duration;

use parquote::agents::provider::{ToolCall, Usage};
use serde_json::{Value as Json, json};

/// A reply, or a fault in its place.
#[derive(Debug, Clone)]
pub(crate) enum Scripted {
    /// Text, with its token usage.
    Text(String, Usage),
    /// Text, without its token usage.
    TextWithoutUsage(String),
    /// Text that was cut at the output limit.
    CutText(String),
    /// Calls of tools.
    Calls(Vec<ToolCall>),
    /// The provider's filter withholds the answer.
    Filtered,
    /// The key is invalid, in each provider's form.
    BadKey(String),
    /// A status with the provider's form of an error.
    Error { status: u16, retry_after: Option<&'static str>, said: String },
    /// An error under the status of a success, as gateways send it.
    ErrorInSuccess { code: Json, said: String },
    /// Any body under the status of a success.
    Body(&'static str, Vec<u8>),
    /// No answer at all.
    Silence,
    /// A reply that stops in the middle while the connection stays open.
    Stall,
    /// A reply sent byte by byte, with this pause.
    Drip(Duration, String),
    /// The connection ends in the middle of a reply.
    CutConnection,
    /// A body that never ends.
    Endless,
    /// Eight megabytes compressed to a few kilobytes, although the client does not accept compression.
    GzipBomb,
    /// A redirect to another address.
    Redirect(String),
}

impl Scripted {
    /// Returns text that used 12 and 5 tokens.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_owned(), Usage { input_tokens: 12, output_tokens: 5 })
    }

    /// Returns a call of a tool.
    pub(crate) fn call(id: &str, name: &str, arguments: Json) -> Self {
        Self::Calls(vec![ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }])
    }

    /// Returns a status with the provider's form of an error.
    pub(crate) fn error(status: u16, said: &str) -> Self {
        Self::Error { status, retry_after: None, said: said.to_owned() }
    }
}

/// The content of a reply, in any protocol.
pub(super) struct Said<'a> {
    pub(super) text: &'a str,
    pub(super) calls: &'a [ToolCall],
    pub(super) usage: Option<Usage>,
    pub(super) end: End,
}

/// The reason why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    Calls,
    Cut,
    Filtered,
}

impl Scripted {
    /// Returns the content if this is a reply of the protocol.
    pub(super) fn said(&self) -> Option<Said<'_>> {
        let said = |text, calls, usage, end| Some(Said { text, calls, usage, end });
        let used = Some(Usage { input_tokens: 12, output_tokens: 5 });
        match self {
            Self::Text(text, usage) => said(text, &[], Some(*usage), End::Whole),
            Self::Drip(_, text) => said(text, &[], used, End::Whole),
            Self::TextWithoutUsage(text) => said(text, &[], None, End::Whole),
            Self::CutText(text) => said(text, &[], used, End::Cut),
            Self::Calls(calls) => said("", calls, used, End::Calls),
            Self::Filtered => said("", &[], used, End::Filtered),
            _ => None,
        }
    }
}

/// Returns the body of an error, in the form of all providers except Gemini and Anthropic.
pub(super) fn plain_error(status: u16, said: &str) -> Json {
    json!({"error": {"message": said, "type": "some_error", "param": null, "code": status.to_string()}})
}

//! A request, independent of the provider's protocol.

use parquote::agents::provider::{Message, ToolCall, ToolSpec};
use serde_json::Value as Json;

/// The provider of a request, which determines the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoken {
    OpenAi,
    Anthropic,
    Gemini,
    DeepSeek,
    Groq,
    OpenRouter,
}

/// A parsed request.
#[derive(Debug, Clone)]
pub(crate) struct ParsedRequest {
    pub(crate) spoken: Spoken,
    /// The API key.
    pub(crate) key: String,
    pub(crate) model: String,
    pub(crate) system: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<ToolSpec>,
    /// The schema of the answer, if the protocol's field for it is set.
    pub(crate) schema: Option<Json>,
    /// True if the protocol's field requests JSON without a schema.
    pub(crate) json_mode: bool,
    pub(crate) max_output_tokens: u64,
    pub(crate) temperature: Option<f64>,
    /// The body as received.
    pub(crate) body: Json,
    /// The violation of the protocol's rules.
    pub(crate) wrong: Option<String>,
}

/// The result of a parsing step: the first violation ends parsing.
pub(super) type Parsed<T> = Result<T, String>;

impl Spoken {
    pub(crate) const ALL: [Self; 6] =
        [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::DeepSeek, Self::Groq, Self::OpenRouter];

    /// Returns the provider's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::DeepSeek => "deepseek",
            Self::Groq => "groq",
            Self::OpenRouter => "openrouter",
        }
    }

    /// Returns the end of the provider's base URL.
    pub(super) const fn base(self) -> &'static str {
        match self {
            Self::OpenAi => "/openai/v1",
            Self::Anthropic => "/anthropic",
            Self::Gemini => "/gemini",
            Self::DeepSeek => "/deepseek",
            Self::Groq => "/groq/openai/v1",
            Self::OpenRouter => "/openrouter/api/v1",
        }
    }

    pub(crate) const fn is_chat(self) -> bool {
        !matches!(self, Self::Anthropic | Self::Gemini)
    }
}

impl ParsedRequest {
    /// Returns the text of the last message, of any role.
    pub(crate) fn last(&self) -> &str {
        match self.messages.last() {
            Some(Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. }) => {
                text
            }
            None => "",
        }
    }
}

/// Returns a required text field.
pub(super) fn text<'a>(value: &'a Json, path: &str) -> Parsed<&'a str> {
    value.pointer(path).and_then(Json::as_str).ok_or_else(|| format!("{path} is no text in {value}"))
}

/// Returns a list; empty if it is missing.
pub(super) fn list<'a>(value: &'a Json, path: &str) -> Parsed<&'a [Json]> {
    match value.pointer(path) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(list)) => Ok(list),
        Some(_) => Err(format!("{path} is no list")),
    }
}

/// Returns a tool, whose parameters must be the schema of an object.
pub(super) fn tool(name: &str, words: &str, parameters: Option<&Json>) -> Parsed<ToolSpec> {
    let parameters = parameters.cloned().unwrap_or_default();
    if text(&parameters, "/type")? != "object" {
        return Err(format!("the parameters of {name} are not those of an object"));
    }
    Ok(ToolSpec { name: name.to_owned(), words: words.to_owned(), parameters })
}

/// Checks that answers of tools follow their calls, one for each.
pub(super) fn check_answers(messages: &[Message]) -> Parsed<()> {
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => {
                let at = open.iter().position(|id| id == call_id);
                open.remove(at.ok_or_else(|| format!("the answer {call_id} has no call before it"))?);
            }
            _ if !open.is_empty() => return Err(format!("the calls {open:?} have no answer")),
            Message::Assistant { calls, .. } => open.extend(calls.iter().map(|call| call.id.clone())),
            Message::User { .. } => {}
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("the calls {open:?} have no answer")) }
}

/// Returns a call, whose arguments must be an object.
pub(super) fn call(id: &str, name: &str, arguments: Json) -> Parsed<ToolCall> {
    if !arguments.is_object() || id.is_empty() || name.is_empty() {
        return Err(format!("the call {id} of {name} is not whole: {arguments}"));
    }
    Ok(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments })
}

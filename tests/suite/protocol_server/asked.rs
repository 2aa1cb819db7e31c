//! A request as every protocol says it in its own way.

use parquote::agents::provider::{Message, ToolCall, ToolSpec};
use serde_json::Value as Json;

/// Which provider is spoken to, and so which protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoken {
    OpenAi,
    Anthropic,
    Gemini,
    DeepSeek,
    Groq,
    OpenRouter,
}

/// A request that was taken apart.
#[derive(Debug, Clone)]
pub(crate) struct ParsedRequest {
    pub(crate) spoken: Spoken,
    /// The key that it was made with.
    pub(crate) key: String,
    pub(crate) model: String,
    pub(crate) system: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<ToolSpec>,
    /// The schema of the answer, where the protocol's own field carries one.
    pub(crate) schema: Option<Json>,
    /// Whether the protocol's own field asks for JSON without a schema.
    pub(crate) json_mode: bool,
    pub(crate) max_output_tokens: u64,
    pub(crate) temperature: Option<f64>,
    /// The body as it came.
    pub(crate) body: Json,
    /// What broke the protocol's rules.
    pub(crate) wrong: Option<String>,
}

/// What is left of a body while it is taken apart: the first thing that is wrong ends it.
pub(super) type Parsed<T> = Result<T, String>;

impl Spoken {
    pub(crate) const ALL: [Self; 6] =
        [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::DeepSeek, Self::Groq, Self::OpenRouter];

    /// The provider's name.
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

    /// The end of the base URL, as each provider has it.
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
    /// The text of the last message, whoever said it.
    pub(crate) fn last(&self) -> &str {
        match self.messages.last() {
            Some(Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. }) => {
                text
            }
            None => "",
        }
    }
}

/// A text field that must be there.
pub(super) fn text<'a>(value: &'a Json, path: &str) -> Parsed<&'a str> {
    value.pointer(path).and_then(Json::as_str).ok_or_else(|| format!("{path} is no text in {value}"))
}

/// A list; empty where there is none.
pub(super) fn list<'a>(value: &'a Json, path: &str) -> Parsed<&'a [Json]> {
    match value.pointer(path) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(list)) => Ok(list),
        Some(_) => Err(format!("{path} is no list")),
    }
}

/// A tool, whose parameters must be the schema of an object.
pub(super) fn tool(name: &str, words: &str, parameters: Option<&Json>) -> Parsed<ToolSpec> {
    let parameters = parameters.cloned().unwrap_or_default();
    if text(&parameters, "/type")? != "object" {
        return Err(format!("the parameters of {name} are not those of an object"));
    }
    Ok(ToolSpec { name: name.to_owned(), words: words.to_owned(), parameters })
}

/// Answers of tools must follow the calls that they answer, each once and none left out.
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

/// A call with arguments that must be an object.
pub(super) fn call(id: &str, name: &str, arguments: Json) -> Parsed<ToolCall> {
    if !arguments.is_object() || id.is_empty() || name.is_empty() {
        return Err(format!("the call {id} of {name} is not whole: {arguments}"));
    }
    Ok(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments })
}

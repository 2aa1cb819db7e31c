//! Request options by model: temperature, and a JSON schema for the answer.

use rig_core::catalog::{Catalog, ModelSpec, Sampling};

use super::declaration::Protocol;
use super::model::{Message, ModelRequest, ProviderError};

/// Ways to make a model answer in a JSON schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaMethods {
    /// True to send the schema in the protocol's field for schemas.
    pub(super) by_schema: bool,
    /// True to describe the schema in the instructions.
    pub(super) in_words: bool,
    /// True to request JSON without a schema.
    pub(super) by_json_mode: bool,
}

impl SchemaMethods {
    /// Returns the ways for a request with a schema. With tools, a schema field keeps some models from calling them, and Groq and older
    /// Gemini models refuse both together. Then the instructions have the schema; so does the field after a tool's answer, where that
    /// works.
    pub(super) fn for_turn(protocol: Protocol, turn: &ModelRequest) -> Self {
        let has_tools = !turn.tools.is_empty();
        let has_tool_answer = turn.messages.iter().any(|message| matches!(message, Message::Tool { .. }));
        let by_schema = match protocol {
            Protocol::DeepSeek => false,
            Protocol::Groq | Protocol::Gemini => !has_tools,
            Protocol::OpenAi | Protocol::OpenRouter | Protocol::Anthropic => !has_tools || has_tool_answer,
        };
        Self {
            by_schema,
            in_words: has_tools || !by_schema,
            by_json_mode: protocol == Protocol::DeepSeek && !has_tools,
        }
    }
}

/// Request options that depend on the model, in addition to its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestForm {
    /// True to send a temperature.
    pub(super) with_temperature: bool,
    /// True to use the alternative name of the output limit. Chat Completions has two: `max_tokens` and `max_completion_tokens`.
    pub(super) other_cap: bool,
}

impl RequestForm {
    /// Returns the form that a model accepts as far as its name tells.
    pub(super) fn expected_form(protocol: Protocol, model: &str) -> Self {
        Self { with_temperature: takes_temperature(protocol, model), other_cap: false }
    }

    /// Returns the form for a retry after a refusal; `None` if the provider's message is about neither option, or the option was changed
    /// before.
    pub(super) fn retry_form(self, protocol: Protocol, message: &str) -> Option<Self> {
        let is_chat = !matches!(protocol, Protocol::Anthropic | Protocol::Gemini);
        if is_chat && !self.other_cap && CAPS.iter().any(|cap| message.contains(cap)) {
            return Some(Self { other_cap: true, ..self });
        }
        let is_about_temperature = self.with_temperature && message.to_lowercase().contains("temperature");
        is_about_temperature.then_some(Self { with_temperature: false, ..self })
    }
}

/// The two names of the output limit.
pub(super) const CAPS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// Returns true if a refusal is about the name of the output limit. If both names fail, the first refusal says more.
pub(super) fn names_cap(error: &ProviderError) -> bool {
    matches!(error, ProviderError::Refused { message, .. } if CAPS.iter().any(|cap| message.contains(cap)))
}

/// Returns true unless rig's catalogue says that a model refuses a temperature, in general or while it reasons.
fn takes_temperature(protocol: Protocol, model: &str) -> bool {
    let sampling = model_spec(protocol, model).and_then(|spec| spec.sampling);
    !matches!(sampling, Some(Sampling::Never | Sampling::ReasoningOff))
}

/// Returns true if a model accepts tools only with reasoning disabled, as the newest models of OpenAI do in Chat Completions.
pub(super) fn tools_need_no_thinking(protocol: Protocol, model: &str) -> bool {
    protocol == Protocol::OpenAi
        && model_spec(protocol, model).is_some_and(|spec| spec.compat.chat_tools_need_reasoning_off)
}

/// Returns the entry of a model in rig's catalogue; `None` if it has none.
fn model_spec(protocol: Protocol, model: &str) -> Option<&'static ModelSpec> {
    let vendor = match protocol {
        Protocol::OpenAi => "openai",
        Protocol::Anthropic => "anthropic",
        Protocol::Gemini => "gcp.gemini",
        Protocol::DeepSeek => "deepseek",
        Protocol::Groq => "groq",
        Protocol::OpenRouter => "openrouter",
    };
    Catalog::builtin().resolve(&format!("{vendor}/{model}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the providers' documentation: reasoning models of OpenAI and Anthropic refuse a temperature.
    #[test]
    fn models_that_think_are_asked_without_a_temperature() {
        for (protocol, model, takes) in [
            (Protocol::OpenAi, "gpt-4.1", true),
            (Protocol::OpenAi, "gpt-5-mini", false),
            (Protocol::OpenAi, "llama3.3:70b", true),
            (Protocol::Anthropic, "claude-sonnet-5-5", false),
            (Protocol::Anthropic, "claude-haiku-4-5", true),
            (Protocol::Gemini, "gemini-3.8-flash", true),
            (Protocol::DeepSeek, "deepseek-flash", true),
            (Protocol::Groq, "openai/gpt-oss-120b", true),
        ] {
            assert_eq!(takes_temperature(protocol, model), takes, "{model}");
        }
        // An option that was changed once is not changed back.
        let usual = RequestForm::expected_form(Protocol::Groq, "house-1");
        let message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let other = usual.retry_form(Protocol::Groq, message).unwrap();
        assert_eq!(other, RequestForm { with_temperature: true, other_cap: true });
        assert_eq!(other.retry_form(Protocol::Groq, message), None);
        assert!(!other.retry_form(Protocol::Groq, "no Temperature").unwrap().with_temperature);
        assert_eq!(usual.retry_form(Protocol::Anthropic, message), None);
        assert!(tools_need_no_thinking(Protocol::OpenAi, "gpt-6-sol"));
        assert!(!tools_need_no_thinking(Protocol::OpenAi, "gpt-5.2"));
    }
}

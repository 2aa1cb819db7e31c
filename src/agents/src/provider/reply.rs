//! Converts a reply parsed by rig into ours.

use rig_core::completion::{CompletionResponse, FinishReason};
use rig_core::message::{AssistantContent, ToolCall as RigCall};
use serde_json::Value as Json;

use super::fault::Faults;
use super::key::ProviderKey;
use super::model::{Message, ModelRequest, ProviderError, Reply, ToolCall, Usage};
use super::scrub::{self, without_key};
use parquote_evidence::{objects_in_order, without_thoughts};

/// Number of characters of a token in estimates, for providers that report no counts.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Maximum bytes of invalid arguments that the model is shown as its mistake.
const ARGUMENT_BYTES: usize = 1_000;

/// Converts the reply to a request.
///
/// # Errors
/// The reply declines to answer, or is empty without billed tokens.
pub(super) fn from_response(
    response: &CompletionResponse,
    turn: &ModelRequest,
    requested_model: &str,
    faults: &Faults,
) -> Result<Reply, ProviderError> {
    let finish = response.finish_reason();
    if let Some(error) = &response.error {
        return Err(faults.declined_reply(error));
    }
    if finish == Some(FinishReason::ContentFilter) {
        return Err(faults.declined_reply("its filter of contents held the answer back"));
    }
    let cut = finish == Some(FinishReason::Length);
    let text = without_key(without_code_fence(&without_thoughts(&response.text()), turn), &faults.key);
    let calls = response.tool_calls().map(|call| whole_call(call, &faults.key));
    // In a cut reply, the last call's arguments may be incomplete.
    let calls: Vec<ToolCall> = calls.filter(|call| !cut || call.arguments.is_object()).collect();
    let is_counted = response.usage.input_tokens.is_some() || response.usage.output_tokens.is_some();
    if text.is_empty() && calls.is_empty() && !cut && !is_counted {
        return Err(faults.unreadable_reply("a reply without text and without a call"));
    }
    let usage = Usage {
        input_tokens: response.usage.input_tokens.filter(|n| *n > 0).unwrap_or_else(|| input_estimate(turn)),
        output_tokens: response.usage.output_tokens.unwrap_or_else(|| output_estimate(response)),
    };
    let model = scrub::clean_name(response.model().unwrap_or(requested_model), &faults.key);
    Ok(Reply { text, calls, usage, model, cut })
}

/// Converts a call; arguments that are not an object become the text that the model wrote.
fn whole_call(call: &RigCall, key: &ProviderKey) -> ToolCall {
    let mut arguments = match &call.function.invalid_arguments {
        None => Json::Object(call.function.arguments.clone()),
        Some(text) => match <[Json; 1]>::try_from(objects_in_order(text)) {
            Ok([object]) => object,
            Err(_) => Json::from(text.get(..text.floor_char_boundary(ARGUMENT_BYTES)).unwrap_or(text)),
        },
    };
    scrub::remove_key_from_json(&mut arguments, key);
    let id = without_key(call.id.to_string(), key);
    let name = without_key(call.function.name.as_str().to_owned(), key);
    ToolCall { id, name, arguments }
}

/// Returns a text, without the code fence around it if JSON was requested.
fn without_code_fence(text: &str, turn: &ModelRequest) -> String {
    let without_fence = || {
        let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
        let (language, body) = inner.split_once('\n')?;
        matches!(language.trim(), "" | "json" | "JSON").then(|| body.trim().to_owned())
    };
    turn.schema.as_ref().and_then(|_| without_fence()).unwrap_or_else(|| text.to_owned())
}

/// Estimates the request's tokens by its length, for providers that report none.
fn input_estimate(turn: &ModelRequest) -> u64 {
    let messages: usize = turn.messages.iter().map(message_length).sum();
    let tools: usize = turn
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.words.len() + tool.parameters.to_string().len())
        .sum();
    let schema = turn.schema.as_ref().map_or(0, |answer| answer.schema.to_string().len());
    estimate_tokens(turn.system.chars().count() + messages + tools + schema)
}

/// Estimates the reply's tokens by its length, including thoughts.
fn output_estimate(response: &CompletionResponse) -> u64 {
    let length = |part: &AssistantContent| match part {
        AssistantContent::Text(text) => text.text.chars().count(),
        AssistantContent::Reasoning(reasoning) => reasoning.text.chars().count(),
        AssistantContent::ToolCall(call) => {
            call.function.name.len() + Json::Object(call.function.arguments.clone()).to_string().len()
        }
        _ => 0,
    };
    estimate_tokens(response.choice.iter().map(length).sum())
}

fn message_length(message: &Message) -> usize {
    match message {
        Message::User { text } | Message::Tool { text, .. } => text.chars().count(),
        Message::Assistant { text, calls } => {
            let calls: usize = calls.iter().map(|call| call.arguments.to_string().len()).sum();
            text.chars().count() + calls
        }
    }
}

fn estimate_tokens(characters: usize) -> u64 {
    characters.div_ceil(CHARACTERS_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::AnswerSchema;

    fn turn() -> ModelRequest {
        ModelRequest {
            system: "12345678".to_owned(),
            messages: vec![Message::User { text: "äöüß".to_owned() }],
            tools: Vec::new(),
            schema: Some(AnswerSchema { name: "a".to_owned(), schema: serde_json::json!({}) }),
            max_output_tokens: 1,
            temperature: 0.0,
        }
    }

    #[test]
    fn tokens_are_a_fourth_of_the_characters() {
        // 8 of the system, 4 of the user, 2 of the schema.
        assert_eq!(input_estimate(&turn()), 4);
        assert_eq!(
            (estimate_tokens(0), estimate_tokens(1), estimate_tokens(4), estimate_tokens(5)),
            (0, 1, 1, 2)
        );
    }

    #[test]
    fn a_fence_around_json_that_was_asked_for_goes() {
        for text in ["```json\n{\"a\": 1}\n```", "  ```\n{\"a\": 1}```\n"] {
            assert_eq!(without_code_fence(text, &turn()), "{\"a\": 1}");
            assert_eq!(without_code_fence(text, &ModelRequest { schema: None, ..turn() }), text);
        }
        assert_eq!(without_code_fence("```rust\nfn a() {}\n```", &turn()), "```rust\nfn a() {}\n```");
    }
}

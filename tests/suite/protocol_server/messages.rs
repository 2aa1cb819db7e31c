//! Anthropic's Messages.

use parquote::agents::provider::Message;
use serde_json::{Value as Json, json};

use super::asked::{Parsed, ParsedRequest, Spoken, call, check_answers, list, text, tool};
use super::scripted::{End, Said};

/// Parses a body.
pub(super) fn parse(key: String, body: Json) -> Parsed<ParsedRequest> {
    let mut messages = Vec::new();
    for message in list(&body, "/messages")? {
        // Consecutive messages of one role are merged.
        match text(message, "/role")? {
            "user" => user(message, &mut messages)?,
            "assistant" => messages.push(assistant(message)?),
            role => return Err(format!("messages: the role {role}")),
        }
    }
    if !matches!(messages.first(), Some(Message::User { .. })) {
        return Err("messages: first message must use the \"user\" role".to_owned());
    }
    check_answers(&messages)?;
    let tools = list(&body, "/tools")?
        .iter()
        .map(|entry| tool(text(entry, "/name")?, text(entry, "/description")?, entry.get("input_schema")));
    let tools = tools.collect::<Parsed<_>>()?;
    let schema = match body.pointer("/output_config/format") {
        None => None,
        Some(format) if text(format, "/type")? == "json_schema" => format.get("schema").cloned(),
        Some(_) => return Err("output_config.format: not a JSON schema".to_owned()),
    };
    let temperature = body.get("temperature").and_then(Json::as_f64);
    let model = text(&body, "/model")?.to_owned();
    if temperature.is_some() && model.starts_with("claude-sonnet-5") {
        return Err("`temperature` is deprecated for this model.".to_owned());
    }
    let max_output_tokens =
        body.get("max_tokens").and_then(Json::as_u64).ok_or("max_tokens: Field required")?;
    Ok(ParsedRequest {
        spoken: Spoken::Anthropic,
        key,
        model,
        system: blocks(&body, "/system")?,
        messages,
        tools,
        schema,
        json_mode: false,
        max_output_tokens,
        temperature,
        body,
        wrong: None,
    })
}

/// Parses a user's message: the answers of tools first, then text.
fn user(message: &Json, messages: &mut Vec<Message>) -> Parsed<()> {
    if let Some(said) = message.get("content").and_then(Json::as_str) {
        messages.push(Message::User { text: said.to_owned() });
        return Ok(());
    }
    let mut texts = String::new();
    for block in list(message, "/content")? {
        match text(block, "/type")? {
            "tool_result" if texts.is_empty() => messages.push(Message::Tool {
                call_id: text(block, "/tool_use_id")?.to_owned(),
                name: String::new(),
                text: blocks(block, "/content")?,
            }),
            "text" => texts.push_str(text(block, "/text")?),
            other => return Err(format!("a block {other} here")),
        }
    }
    if !texts.is_empty() {
        messages.push(Message::User { text: texts });
    }
    Ok(())
}

fn assistant(message: &Json) -> Parsed<Message> {
    let (mut said, mut calls) = (String::new(), Vec::new());
    for block in list(message, "/content")? {
        match text(block, "/type")? {
            "text" if !text(block, "/text")?.trim().is_empty() => said.push_str(text(block, "/text")?),
            "tool_use" => {
                let input = block.get("input").cloned().unwrap_or_default();
                calls.push(call(text(block, "/id")?, text(block, "/name")?, input)?);
            }
            other => return Err(format!("a block {other} here, or an empty one")),
        }
    }
    Ok(Message::Assistant { text: said, calls })
}

/// Returns text, given directly, as a list of text blocks, or missing.
fn blocks(value: &Json, path: &str) -> Parsed<String> {
    match value.pointer(path) {
        Some(Json::String(text)) => Ok(text.clone()),
        _ => list(value, path)?.iter().map(|block| text(block, "/text")).collect(),
    }
}

/// Writes a reply.
pub(super) fn reply(model: &str, said: &Said<'_>) -> Json {
    let mut content = Vec::new();
    if !said.text.is_empty() {
        content.push(json!({"type": "text", "text": said.text}));
    }
    for call in said.calls {
        content.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
    }
    let stop = match said.end {
        End::Whole => "end_turn",
        End::Calls => "tool_use",
        End::Cut => "max_tokens",
        End::Filtered => "refusal",
    };
    let mut reply = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop, "stop_sequence": null,
    });
    if let Some(usage) = said.usage {
        reply["usage"] = json!({"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens});
    }
    reply
}

/// Writes an error.
pub(super) fn error(said: &str) -> Json {
    json!({"type": "error", "error": {"type": "some_error", "message": said}, "request_id": "req_1"})
}

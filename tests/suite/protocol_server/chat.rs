//! Chat Completions, with the differences between its providers.

use parquote::agents::provider::{Message, ToolCall};
use serde_json::{Value as Json, json};

use super::asked::{Parsed, ParsedRequest, Spoken, call, check_answers, list, text, tool};
use super::scripted::{End, Said};

/// Parses a body.
pub(super) fn parse(spoken: Spoken, key: String, body: Json) -> Parsed<ParsedRequest> {
    let mut system = Vec::new();
    let mut messages = Vec::new();
    for message in list(&body, "/messages")? {
        match text(message, "/role")? {
            "system" if messages.is_empty() => system.push(content(message)?),
            "user" => messages.push(Message::User { text: content(message)? }),
            "assistant" => messages.push(assistant(message)?),
            "tool" => messages.push(Message::Tool {
                call_id: text(message, "/tool_call_id")?.to_owned(),
                name: String::new(),
                text: content(message)?,
            }),
            role => return Err(format!("a message of {role}")),
        }
    }
    if messages.is_empty() {
        return Err("no messages".to_owned());
    }
    check_answers(&messages)?;
    let tools = list(&body, "/tools")?.iter().map(|entry| {
        if text(entry, "/type")? != "function" {
            return Err("a tool that is no function".to_owned());
        }
        tool(
            text(entry, "/function/name")?,
            text(entry, "/function/description")?,
            entry.pointer("/function/parameters"),
        )
    });
    let tools: Vec<_> = tools.collect::<Parsed<_>>()?;
    let (schema, json_mode) = format(spoken, &body, !tools.is_empty())?;
    let model = text(&body, "/model")?.to_owned();
    let temperature = body.get("temperature").and_then(Json::as_f64);
    let longest = longest(spoken, &model, &body)?;
    if spoken == Spoken::OpenAi && model.starts_with("gpt-5") && temperature.is_some() {
        return Err("Unsupported parameter: 'temperature' is not supported with this model.".to_owned());
    }
    Ok(ParsedRequest {
        spoken,
        key,
        model,
        system: system.join("\n"),
        messages,
        tools,
        schema,
        json_mode,
        max_output_tokens: longest,
        temperature,
        body,
        wrong: None,
    })
}

/// Returns the output token limit, which has another name for OpenAI's reasoning models.
fn longest(spoken: Spoken, model: &str, body: &Json) -> Parsed<u64> {
    // Operators may name their deployments freely.
    let thinks = spoken == Spoken::OpenAi && model.starts_with("gpt-5") && !model.ends_with("-of-the-house");
    let thinks = thinks || model.starts_with("deployment");
    let (name, other) = if thinks {
        ("max_completion_tokens", "max_tokens")
    } else {
        ("max_tokens", "max_completion_tokens")
    };
    if body.get(other).is_some() {
        return Err(format!("Unsupported parameter: '{other}' is not supported with this model."));
    }
    body.get(name).and_then(Json::as_u64).ok_or_else(|| format!("no {name}"))
}

/// Returns the requested format of the answer, as each provider documents it.
fn format(spoken: Spoken, body: &Json, tools: bool) -> Parsed<(Option<Json>, bool)> {
    let Some(format) = body.get("response_format") else { return Ok((None, false)) };
    match text(format, "/type")? {
        "json_object" if body.to_string().to_lowercase().matches("json").count() > 1 => Ok((None, true)),
        "json_object" => Err("'messages' must contain the word 'json' to use json_object".to_owned()),
        "json_schema" if spoken == Spoken::DeepSeek => {
            Err("This response_format type is unavailable now".to_owned())
        }
        "json_schema" if spoken == Spoken::Groq && tools => {
            Err("json mode cannot be combined with tool/function calling".to_owned())
        }
        "json_schema" => {
            text(format, "/json_schema/name")?;
            let schema = format.pointer("/json_schema/schema").filter(|schema| schema.is_object());
            let schema = schema.cloned().ok_or("no schema")?;
            if format.pointer("/json_schema/strict") == Some(&Json::Bool(true))
                && schema.get("additionalProperties") != Some(&Json::Bool(false))
            {
                return Err("'additionalProperties' is required to be supplied and to be false".to_owned());
            }
            Ok((Some(schema), false))
        }
        other => Err(format!("the format {other}")),
    }
}

fn assistant(message: &Json) -> Parsed<Message> {
    let calls = list(message, "/tool_calls")?.iter().map(|entry| {
        let arguments = text(entry, "/function/arguments")?;
        let arguments = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        if text(entry, "/type")? != "function" {
            return Err("a call of no function".to_owned());
        }
        call(text(entry, "/id")?, text(entry, "/function/name")?, arguments)
    });
    let calls: Vec<_> = calls.collect::<Parsed<_>>()?;
    let said =
        if message.get("content").is_none_or(Json::is_null) { String::new() } else { content(message)? };
    Ok(Message::Assistant { text: said, calls })
}

/// Returns text, given directly or as a list of text parts.
fn content(message: &Json) -> Parsed<String> {
    match message.get("content") {
        Some(Json::String(text)) => Ok(text.clone()),
        Some(Json::Array(parts)) => parts.iter().map(|part| text(part, "/text")).collect(),
        _ => Err(format!("a message without content: {message}")),
    }
}

/// Writes a reply.
pub(super) fn reply(spoken: Spoken, model: &str, said: &Said<'_>) -> Json {
    let calls: Vec<Json> = said.calls.iter().map(call_json).collect();
    let finish = match said.end {
        End::Whole => "stop",
        End::Calls => "tool_calls",
        End::Cut => "length",
        End::Filtered => "content_filter",
    };
    let mut message = json!({"role": "assistant", "content": said.text});
    if !calls.is_empty() {
        message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    }
    if spoken == Spoken::DeepSeek {
        message["reasoning_content"] = json!("some thoughts");
    }
    let mut reply = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
    });
    if spoken == Spoken::OpenRouter {
        reply["provider"] = json!("Someone");
        reply["choices"][0]["native_finish_reason"] = json!(finish);
    }
    if spoken == Spoken::Groq {
        reply["x_groq"] = json!({"id": "req_1"});
    }
    if let Some(usage) = said.usage {
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        reply["usage"] =
            json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
    }
    reply
}

fn call_json(call: &ToolCall) -> Json {
    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

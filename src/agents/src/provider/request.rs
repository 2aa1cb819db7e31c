//! Converts a model request into rig's form.

use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{
    self as rig, AssistantContent, AssistantMessage, CallId, ToolName, ToolResultContent,
};
use rig_core::schemars::Schema;
use serde_json::{Value as Json, json};

use super::declaration::Protocol;
use super::dialect::{self, SchemaMethods};
use super::model::{AnswerSchema, Message, ModelRequest, ToolCall, ToolSpec};

/// Converts a request for a model of a protocol, with or without a temperature.
///
/// # Errors
/// The fault of the request, in words.
pub(super) fn from_turn(
    protocol: Protocol,
    model: &str,
    turn: &ModelRequest,
    with_temperature: bool,
) -> Result<CompletionRequest, String> {
    let mut messages = convert_messages(&turn.messages)?;
    let last = messages.pop().ok_or("a turn without a message; give at least one of the user")?;
    let mut request = CompletionRequest::new(last)
        .messages(messages)
        .max_tokens(u64::from(turn.max_output_tokens))
        .tools(turn.tools.iter().map(convert_tool).collect::<Result<_, _>>()?)
        // Self-hosted model servers use finish reasons that no protocol defines.
        .accept_unknown_finish_reasons(true);
    if with_temperature {
        request = request.temperature(turn.temperature);
    }
    if !turn.tools.is_empty() && dialect::tools_need_no_thinking(protocol, model) {
        request = request.additional_params(json!({"reasoning_effort": "none"}));
    }
    let mut system = turn.system.clone();
    if let Some(answer) = &turn.schema {
        let methods = SchemaMethods::for_turn(protocol, turn);
        if methods.by_schema {
            request = request.output_schema(convert_schema(answer)?);
        }
        if methods.in_words {
            system =
                format!("{system}{}{}", if system.is_empty() { "" } else { "\n\n" }, describe_schema(answer));
        }
        if methods.by_json_mode {
            request = request.additional_params(json!({"response_format": {"type": "json_object"}}));
        }
    }
    Ok(if system.is_empty() { request } else { request.preamble(system) })
}

/// Converts the conversation; consecutive tool answers become one message, as the protocols require.
fn convert_messages(turn: &[Message]) -> Result<Vec<rig::Message>, String> {
    let mut messages = Vec::with_capacity(turn.len());
    let mut results = Vec::new();
    for message in turn {
        if let Message::Tool { call_id, name, text } = message {
            results.push(rig::ToolResult {
                call: CallId::from_wire(call_id.as_str()),
                name: tool_name(name)?,
                content: vec![ToolResultContent::text(text.as_str())],
                is_error: false,
            });
            continue;
        }
        if !results.is_empty() {
            messages.push(rig::Message::tool_results(std::mem::take(&mut results)));
        }
        match message {
            Message::User { text } => messages.push(rig::Message::user(text.as_str())),
            Message::Assistant { text, calls } => messages.extend(convert_assistant(text, calls)?),
            Message::Tool { .. } => {}
        }
    }
    if !results.is_empty() {
        messages.push(rig::Message::tool_results(results));
    }
    Ok(messages)
}

fn convert_assistant(text: &str, calls: &[ToolCall]) -> Result<Option<rig::Message>, String> {
    let mut content = Vec::with_capacity(calls.len() + 1);
    if !text.trim().is_empty() {
        content.push(AssistantContent::text(text));
    }
    for call in calls {
        content.push(AssistantContent::tool_call(
            call.id.as_str(),
            tool_name(&call.name)?,
            call.arguments.clone(),
        ));
    }
    Ok((!content.is_empty()).then(|| rig::Message::Assistant(AssistantMessage::new(content))))
}

fn convert_tool(spec: &ToolSpec) -> Result<ToolDefinition, String> {
    Ok(ToolDefinition::new(tool_name(&spec.name)?, spec.words.as_str(), spec.parameters.clone()))
}

fn tool_name(name: &str) -> Result<ToolName, String> {
    ToolName::new(name).map_err(|_| "a tool without a name".to_owned())
}

fn convert_schema(answer: &AnswerSchema) -> Result<Schema, String> {
    let mut schema = answer.schema.clone();
    let fields = schema.as_object_mut().ok_or("the schema of an answer is not a JSON object")?;
    // Protocols that need a name for a schema read it here.
    fields.insert("title".to_owned(), Json::from(answer.name.as_str()));
    Schema::try_from(schema).map_err(|error| error.to_string())
}

/// Describes the schema in words, for protocols without a field for it. DeepSeek requires the word JSON.
fn describe_schema(answer: &AnswerSchema) -> String {
    let schema = &answer.schema;
    format!(
        "Your final answer must be one JSON object and nothing else: no other words, no code fence. It must match this JSON schema:\n{schema}"
    )
}

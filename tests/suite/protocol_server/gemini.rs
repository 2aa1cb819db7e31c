//! Google's generateContent.

use parquote::agents::provider::Message;
use serde_json::{Value as Json, json};

use super::asked::{Parsed, ParsedRequest, Spoken, call, check_answers, list, text, tool};
use super::scripted::{End, Said};

/// Parses a body; the model is in the path.
pub(super) fn parse(key: String, model: &str, body: Json) -> Parsed<ParsedRequest> {
    let mut messages = Vec::new();
    for content in list(&body, "/contents")? {
        let parts = list(content, "/parts")?;
        if parts.is_empty() {
            return Err("contents.parts must not be empty.".to_owned());
        }
        match text(content, "/role")? {
            "user" => user(parts, &mut messages)?,
            "model" => messages.push(of_model(model, parts, messages.len())?),
            role => return Err(format!("Please use a valid role: user, model; not {role}")),
        }
    }
    if messages.is_empty() {
        return Err("contents is not specified".to_owned());
    }
    check_answers(&messages)?;
    let tools = list(&body, "/tools")?.iter().map(|entry| list(entry, "/functionDeclarations"));
    let tools = tools.collect::<Parsed<Vec<_>>>()?.concat();
    let tools = tools.iter().map(|entry| {
        let parameters = entry.get("parameters").or_else(|| entry.get("parametersJsonSchema"));
        tool(text(entry, "/name")?, text(entry, "/description")?, parameters)
    });
    let tools: Vec<_> = tools.collect::<Parsed<_>>()?;
    let config = body.get("generationConfig").cloned().unwrap_or_default();
    let is_json = config.get("responseMimeType").and_then(Json::as_str) == Some("application/json");
    if is_json && !tools.is_empty() {
        return Err(
            "Function calling with a response mime type: 'application/json' is unsupported".to_owned()
        );
    }
    let schema = config.get("responseJsonSchema").filter(|schema| schema.is_object()).cloned();
    if schema.is_some() && !is_json {
        return Err("responseJsonSchema only with the mime type application/json".to_owned());
    }
    let system: Vec<_> = list(&body, "/systemInstruction/parts")?
        .iter()
        .map(|part| text(part, "/text"))
        .collect::<Parsed<_>>()?;
    let system = system.concat();
    let max_output_tokens =
        config.get("maxOutputTokens").and_then(Json::as_u64).ok_or("no maxOutputTokens")?;
    Ok(ParsedRequest {
        spoken: Spoken::Gemini,
        key,
        model: model.to_owned(),
        system,
        messages,
        tools,
        json_mode: is_json && schema.is_none(),
        schema,
        max_output_tokens,
        temperature: config.get("temperature").and_then(Json::as_f64),
        body,
        wrong: None,
    })
}

/// Parses answers of tools, or text, but not both.
fn user(parts: &[Json], messages: &mut Vec<Message>) -> Parsed<()> {
    let answers = parts.iter().filter(|part| part.get("functionResponse").is_some()).count();
    if answers == 0 {
        let texts: Vec<_> = parts.iter().map(|part| text(part, "/text")).collect::<Parsed<_>>()?;
        messages.push(Message::User { text: texts.concat() });
        return Ok(());
    }
    if answers != parts.len() {
        return Err("function response parts and others in one turn".to_owned());
    }
    for part in parts {
        let response = &part["functionResponse"];
        let name = text(response, "/name")?;
        let answer =
            response.get("response").filter(|answer| answer.is_object()).ok_or("no response object")?;
        messages.push(Message::Tool {
            call_id: text(response, "/id").unwrap_or(name).to_owned(),
            name: name.to_owned(),
            text: answer.to_string(),
        });
    }
    Ok(())
}

fn of_model(model: &str, parts: &[Json], at: usize) -> Parsed<Message> {
    let (mut said, mut calls) = (String::new(), Vec::new());
    for part in parts {
        let Some(function) = part.get("functionCall") else {
            said.push_str(text(part, "/text")?);
            continue;
        };
        if model.starts_with("gemini-3") && part.get("thoughtSignature").is_none() {
            return Err("Function call is missing a thought_signature in functionCall parts.".to_owned());
        }
        let name = text(function, "/name")?;
        let arguments = function.get("args").cloned().unwrap_or_default();
        calls.push(call(text(function, "/id").unwrap_or(name), name, arguments)?);
    }
    if at == 0 {
        return Err("the first turn must be the user's".to_owned());
    }
    Ok(Message::Assistant { text: said, calls })
}

/// Writes a reply. Its calls have no ids, as with most models.
pub(super) fn reply(model: &str, said: &Said<'_>) -> Json {
    let mut parts = Vec::new();
    if !said.text.is_empty() {
        parts.push(json!({"text": said.text}));
    }
    for call in said.calls {
        parts.push(
            json!({"functionCall": {"name": call.name, "args": call.arguments}, "thoughtSignature": "c2ln"}),
        );
    }
    let finish = match said.end {
        End::Whole | End::Calls => "STOP",
        End::Cut => "MAX_TOKENS",
        End::Filtered => "SAFETY",
    };
    let mut content = json!({"role": "model"});
    if !parts.is_empty() {
        content["parts"] = json!(parts);
    }
    let mut reply = json!({
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "modelVersion": model, "responseId": "r1",
    });
    if let Some(usage) = said.usage {
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        reply["usageMetadata"] = json!({"promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output});
    }
    reply
}

/// Writes an error.
pub(super) fn error(status: u16, said: &str, reason: Option<&str>) -> Json {
    let details = reason.map(|reason| {
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}])
    });
    json!({"error": {"code": status, "message": said, "status": "SOME_ERROR", "details": details}})
}

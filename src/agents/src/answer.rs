//! Structured answers: requested with a JSON schema, parsed leniently, and requested once more if invalid.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::agent_run::{AgentRun, build_request};
use crate::job::WorkError;
use crate::provider::{AnswerSchema, Message, Reply};
use parquote_evidence::{fit_to_schema, objects_in_order};

/// Maximum characters of an invalid reply that are shown to the model again.
const MOST_CHARACTERS: usize = 4_000;

/// A structured answer.
pub trait StructuredAnswer: DeserializeOwned + Send {
    /// Name of its schema, matching `[a-z0-9_]+`.
    const NAME: &'static str;

    /// Returns its JSON schema.
    fn schema() -> Json;
}

/// Requests an answer in a separate conversation without tools, so that every provider can enforce the schema. If the answer does not parse
/// or `check` refuses it, it is requested once more.
///
/// # Errors
/// The model does not reply, or gives two invalid answers.
pub async fn ask_for<A: StructuredAnswer>(
    agent_run: &mut AgentRun<'_>,
    system: &str,
    question: String,
    check: &(dyn Fn(&A) -> Result<(), String> + Sync),
) -> Result<A, WorkError> {
    let schema = AnswerSchema { name: A::NAME.to_owned(), schema: A::schema() };
    let mut messages = vec![Message::User { text: question }];
    let reply = agent_run.ask(&build_request(system, &messages, &[], Some(schema.clone()))).await?;
    let fault = match parse_answer(&reply, check) {
        Ok(answer) => return Ok(answer),
        Err(fault) => fault,
    };
    messages.push(Message::Assistant { text: repeated_text(&reply, MOST_CHARACTERS), calls: Vec::new() });
    let repair = format!(
        "That is not the requested answer: {fault}. Reply with the JSON object alone, by this schema: {}",
        schema.schema
    );
    messages.push(Message::User { text: repair });
    let reply = agent_run.ask(&build_request(system, &messages, &[], Some(schema))).await?;
    parse_answer(&reply, check).map_err(|fault| {
        WorkError::Failed(format!(
            "the agent `{}` gave no usable answer, even to a second request: {fault}; start the run again, or with another \
             model",
            agent_run.agent
        ))
    })
}

fn parse_answer<A: StructuredAnswer>(
    reply: &Reply,
    check: &(dyn Fn(&A) -> Result<(), String> + Sync),
) -> Result<A, String> {
    if reply.cut {
        return Err("the reply was cut at its longest; write less".to_owned());
    }
    let text = reply.text.trim();
    if text.is_empty() {
        let reason = if reply.calls.is_empty() {
            "the reply was empty"
        } else {
            "the reply called tools, and here are none"
        };
        return Err(reason.to_owned());
    }
    let schema = A::schema();
    let mut fault = None;
    // A model that writes several objects ends with the intended one.
    for json in objects_in_order(text).into_iter().rev() {
        match A::deserialize(fit_to_schema(json, &schema)) {
            Ok(answer) => return check(&answer).map(|()| answer),
            Err(error) => fault = fault.or(Some(format!("the JSON is of another shape: {error}"))),
        }
    }
    Err(fault.unwrap_or_else(|| no_object(text)))
}

/// Builds the message to the model about a text without an object.
fn no_object(text: &str) -> String {
    let object = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let error = object.and_then(|object| serde_json::from_str::<Json>(object).err());
    error.map_or_else(
        || "the reply holds no JSON object".to_owned(),
        |error| format!("the reply is not JSON: {error}"),
    )
}

/// Returns the text of a reply in the form in which the model is shown it again: truncated, or `(no text)` for an empty one.
pub(super) fn repeated_text(reply: &Reply, characters: usize) -> String {
    if reply.text.trim().is_empty() { "(no text)".to_owned() } else { truncate(&reply.text, characters) }
}

/// Truncates a text to a number of characters, and marks the cut with `[...]`.
pub fn truncate(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{} [...]", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

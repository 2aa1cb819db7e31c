//! The tool loop: the agent calls tools and reads their answers until it ends the loop or reaches its limit.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::agent::Agent;
use super::agent_run::{AgentRun, build_request};
use super::answer::truncate;
use super::excerpt::excerpt;
use crate::job::WorkError;
use crate::provider::{Message, Reply, ToolCall, ToolSpec};
use parquote_evidence::{RunEvidence, data};

/// Maximum number of calls of one reply that are answered.
const MOST_CALLS: usize = 6;
/// Maximum bytes of one answer, and of all answers to one agent.
const ANSWER_BYTES: usize = 8_192;
const ANSWERS_BYTES: usize = 65_536;
/// Maximum characters of invalid arguments shown to the model again.
const MOST_CHARACTERS: usize = 300;
/// Maximum characters of an agent's own words shown to it again.
const WORDS_LENGTH: usize = 8_000;

/// The result of the tool loop: the answers that an agent has read.
#[derive(Debug, Default)]
pub struct Research {
    /// Figures of the answers.
    pub evidence: RunEvidence,
    /// The answers as text between marks, for the request that ends the research.
    pub text: String,
}

/// Runs the tool loop of an agent, with the tools that are in its list and in the run.
///
/// # Errors
/// The model does not reply, or gives two empty replies.
pub async fn research(
    agent_run: &mut AgentRun<'_>,
    agent: &Agent,
    system: &str,
    opening: &str,
) -> Result<Research, WorkError> {
    let mut reading = ResearchLoop::new(agent_run, agent);
    if reading.tools.is_empty() {
        return Ok(reading.research);
    }
    reading.messages.push(Message::User { text: opening.to_owned() });
    for _ in 0..agent.max_turns {
        let reply = agent_run.ask(&build_request(system, &reading.messages, &reading.tools, None)).await?;
        let more = if reply.cut {
            reading.handle_truncated(&reply)
        } else if reply.calls.is_empty() {
            reading.handle_text(agent_run, &reply)?
        } else {
            reading.handle_calls(agent_run, reply).await
        };
        if !more {
            break;
        }
    }
    Ok(reading.research)
}

/// State of the tool loop. Its methods return whether to continue.
#[derive(Default)]
struct ResearchLoop {
    tools: Vec<ToolSpec>,
    messages: Vec<Message>,
    research: Research,
    /// Answered calls, by name and arguments.
    answered: HashSet<String>,
    cuts: u32,
    empty: u32,
    nudged: bool,
    /// Number of replies in a row without a new call.
    repeats: u32,
}

impl ResearchLoop {
    fn new(agent_run: &AgentRun<'_>, agent: &Agent) -> Self {
        let context = agent_run.run.context;
        let tools = context.runner.tools(context.market, agent.tools.for_market(context.market));
        Self { tools, ..Self::default() }
    }

    /// Handles a truncated reply. None of its calls is made, because the last one may be incomplete.
    fn handle_truncated(&mut self, reply: &Reply) -> bool {
        self.cuts += 1;
        self.continue_with(
            reply,
            "Your reply was cut at its longest. Say less, or call fewer tools at once.",
        );
        self.cuts < 2
    }

    fn handle_text(&mut self, agent_run: &AgentRun<'_>, reply: &Reply) -> Result<bool, WorkError> {
        if reply.text.trim().is_empty() {
            self.empty += 1;
            if self.empty > 1 {
                return Err(WorkError::Failed(format!(
                    "the agent `{}` replied twice with nothing; start the run again, or with another model",
                    agent_run.agent
                )));
            }
            self.continue_with(reply, "Your reply was empty. Call a tool, or say what you have found.");
            return Ok(true);
        }
        if self.answered.is_empty() && !self.nudged {
            self.nudged = true;
            self.continue_with(reply, "You have not called a tool yet. Call the tools that your task needs.");
            return Ok(true);
        }
        self.add_text(&data(&format!("words of {}", agent_run.agent), &truncate(&reply.text, WORDS_LENGTH)));
        Ok(false)
    }

    async fn handle_calls(&mut self, agent_run: &AgentRun<'_>, reply: Reply) -> bool {
        let mut new = false;
        let mut answers = Vec::new();
        let mut calls = Vec::new();
        for (n, call) in reply.calls.iter().enumerate() {
            let key = format!("{} {}", call.name, sorted_arguments(&call.arguments));
            let text = if n >= MOST_CALLS {
                format!("This call was not made: at most {MOST_CALLS} calls of one reply are.")
            } else if self.answered.contains(&key) {
                "You have made this very call before; its answer is above.".to_owned()
            } else if let Some(refusal) = self.refusal(call) {
                refusal
            } else {
                new = true;
                self.answered.insert(key);
                self.answer(agent_run, call).await
            };
            let call = normalize_call(call, n);
            answers.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
            calls.push(call);
        }
        self.messages.push(Message::Assistant { text: truncate(&reply.text, WORDS_LENGTH), calls });
        self.messages.append(&mut answers);
        self.repeats = if new { 0 } else { self.repeats + 1 };
        self.repeats < 2 && self.research.text.len() < ANSWERS_BYTES
    }

    /// Returns the reason to refuse a call; `None` if it is allowed.
    fn refusal(&self, call: &ToolCall) -> Option<String> {
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Some(format!("You have no such tool. Your tools are {}.", names.join(", ")));
        }
        if !call.arguments.is_object() && !call.arguments.is_null() {
            let written = truncate(&call.arguments.to_string(), MOST_CHARACTERS);
            return Some(format!(
                "The arguments of a call are a JSON object of the parameters of its tool. You wrote {written}. Make the call again."
            ));
        }
        (self.research.text.len() >= ANSWERS_BYTES)
            .then(|| "You have read as much as one agent may; say what you have found.".to_owned())
    }

    /// Makes a call and records its answer.
    async fn answer(&mut self, agent_run: &AgentRun<'_>, call: &ToolCall) -> String {
        let arguments = call.arguments.as_object().cloned().unwrap_or_default();
        let written = Json::Object(arguments.clone()).to_string();
        let written = truncate(&written, 1_000);
        let (origin, text, cut) = match agent_run.run.context.runner.call(&call.name, &arguments).await {
            Ok(answer) => {
                let shown = excerpt(answer, ANSWER_BYTES);
                self.research.evidence.add_answer(&call.name, &arguments, &shown.answer);
                (call.name.clone(), shown.text, shown.cut)
            }
            Err(refusal) => (format!("refusal of {}", call.name), truncate(&refusal, 1_000), false),
        };
        let cut = if cut {
            "\nThe answer was longer and is cut; ask for fewer rows to see them whole."
        } else {
            ""
        };
        let marked = data(&origin, &text);
        self.add_text(&format!("{}{cut}", data(&origin, &format!("called with {written}\n{text}"))));
        format!("{marked}{cut}")
    }

    fn add_text(&mut self, text: &str) {
        self.research.text.push_str(text);
        self.research.text.push('\n');
    }

    /// Continues after a reply without calls.
    fn continue_with(&mut self, reply: &Reply, words: &str) {
        let text = if reply.text.trim().is_empty() {
            "(no text)".to_owned()
        } else {
            truncate(&reply.text, WORDS_LENGTH)
        };
        self.messages.push(Message::Assistant { text, calls: Vec::new() });
        self.messages.push(Message::User { text: words.to_owned() });
    }
}

/// Normalizes a call to send it back: providers refuse a conversation with an invalid name, id or arguments.
fn normalize_call(call: &ToolCall, n: usize) -> ToolCall {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = call.name.chars().take(64).map(plain).collect();
    let name = if name.is_empty() { "unnamed".to_owned() } else { name };
    let id = if call.id.is_empty() { format!("call_{n}") } else { call.id.clone() };
    let arguments =
        if call.arguments.is_object() { call.arguments.clone() } else { Json::Object(Map::new()) };
    ToolCall { id, name, arguments }
}

/// Sorts arguments, so that a repeated call is recognized.
fn sorted_arguments(arguments: &Json) -> String {
    let Some(object) = arguments.as_object() else { return arguments.to_string() };
    let mut fields: Vec<(&String, &Json)> = object.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    Json::Object(fields.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
        .to_string()
}

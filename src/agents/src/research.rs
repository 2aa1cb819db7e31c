//! The tool loop: the agent calls tools and reads their answers until it ends the loop or reaches its limit.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::agent::Agent;
use super::agent_run::{AgentRun, build_request};
use super::answer::{repeated_text, truncate};
use super::excerpt::excerpt;
use crate::job::WorkError;
use crate::provider::{Message, Reply, ToolCall, ToolSpec};
use parquote_evidence::{RunEvidence, mark_as_data};

/// Maximum number of calls of one reply that are answered.
const MOST_CALLS: usize = 6;
/// Maximum bytes of one answer; a longer one is shortened.
const ANSWER_BYTES: usize = 8_192;
/// Bytes of answers after which an agent may make no more calls.
const ANSWERS_BYTES: usize = 65_536;
/// Maximum characters of invalid arguments that are shown to the model again.
const MOST_CHARACTERS: usize = 300;
/// Maximum characters of the text of a reply that are shown to the model again.
const WORDS_LENGTH: usize = 8_000;

/// The result of the tool loop: the answers that an agent has read.
#[derive(Debug, Default)]
pub struct Research {
    /// Figures, dates and names of the answers.
    pub evidence: RunEvidence,
    /// The answers as text between marks of data, for the request after the research.
    pub text: String,
}

/// Runs the tool loop of an agent, with those of its tools that the run offers.
///
/// # Errors
/// The model does not reply, or gives two empty replies.
pub async fn research(
    agent_run: &mut AgentRun<'_>,
    agent: &Agent,
    system: &str,
    opening: &str,
) -> Result<Research, WorkError> {
    let mut state = ResearchLoop::new(agent_run, agent);
    if state.tools.is_empty() {
        return Ok(state.research);
    }
    state.messages.push(Message::User { text: opening.to_owned() });
    for _ in 0..agent.max_turns {
        let reply = agent_run.ask(&build_request(system, &state.messages, &state.tools, None)).await?;
        let continues = if reply.cut {
            state.handle_truncated(&reply)
        } else if reply.calls.is_empty() {
            state.handle_text(agent_run, &reply)?
        } else {
            state.handle_calls(agent_run, reply).await
        };
        if !continues {
            break;
        }
    }
    Ok(state.research)
}

/// State of the tool loop. The methods that handle a reply return true to continue the loop.
#[derive(Default)]
struct ResearchLoop {
    tools: Vec<ToolSpec>,
    messages: Vec<Message>,
    research: Research,
    /// The names and arguments of the answered calls.
    answered: HashSet<String>,
    /// Number of truncated replies.
    cuts: u32,
    /// Number of empty replies.
    empty: u32,
    /// True once the agent was prompted to call a tool.
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
        self.add_text(&mark_as_data(
            &format!("words of {}", agent_run.agent),
            &truncate(&reply.text, WORDS_LENGTH),
        ));
        Ok(false)
    }

    async fn handle_calls(&mut self, agent_run: &AgentRun<'_>, reply: Reply) -> bool {
        let mut has_new_call = false;
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
                has_new_call = true;
                self.answered.insert(key);
                self.answer(agent_run, call).await
            };
            let call = normalize_call(call, n);
            answers.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
            calls.push(call);
        }
        self.messages.push(Message::Assistant { text: truncate(&reply.text, WORDS_LENGTH), calls });
        self.messages.append(&mut answers);
        self.repeats = if has_new_call { 0 } else { self.repeats + 1 };
        self.repeats < 2 && self.research.text.len() < ANSWERS_BYTES
    }

    /// Returns the reason to refuse a call; `None` if it is allowed.
    fn refusal(&self, call: &ToolCall) -> Option<String> {
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Some(format!("You have no such tool. Your tools are {}.", names.join(", ")));
        }
        if !call.arguments.is_object() && !call.arguments.is_null() {
            let arguments = truncate(&call.arguments.to_string(), MOST_CHARACTERS);
            return Some(format!(
                "The arguments of a call are a JSON object of the parameters of its tool. You wrote {arguments}. Make the call again."
            ));
        }
        (self.research.text.len() >= ANSWERS_BYTES)
            .then(|| "You have read as much as one agent may; say what you have found.".to_owned())
    }

    /// Makes a call and records its answer.
    async fn answer(&mut self, agent_run: &AgentRun<'_>, call: &ToolCall) -> String {
        let arguments = call.arguments.as_object().cloned().unwrap_or_default();
        let arguments_text = truncate(&Json::Object(arguments.clone()).to_string(), 1_000);
        let (origin, text, cut) = match agent_run.run.context.runner.call(&call.name, &arguments).await {
            Ok(answer) => {
                let short = excerpt(answer, ANSWER_BYTES);
                self.research.evidence.add_answer(&call.name, &arguments, &short.answer);
                (call.name.clone(), short.text, short.cut)
            }
            Err(refusal) => (format!("refusal of {}", call.name), truncate(&refusal, 1_000), false),
        };
        let cut = if cut {
            "\nThe answer was longer and is cut; ask for fewer rows to see them whole."
        } else {
            ""
        };
        let marked = mark_as_data(&origin, &text);
        self.add_text(&format!(
            "{}{cut}",
            mark_as_data(&origin, &format!("called with {arguments_text}\n{text}"))
        ));
        format!("{marked}{cut}")
    }

    fn add_text(&mut self, text: &str) {
        self.research.text.push_str(text);
        self.research.text.push('\n');
    }

    /// Adds a reply without calls and the answer to it to the conversation.
    fn continue_with(&mut self, reply: &Reply, words: &str) {
        let text = repeated_text(reply, WORDS_LENGTH);
        self.messages.push(Message::Assistant { text, calls: Vec::new() });
        self.messages.push(Message::User { text: words.to_owned() });
    }
}

/// Normalizes a call to send it back: providers refuse a conversation with an invalid name, id or arguments.
fn normalize_call(call: &ToolCall, n: usize) -> ToolCall {
    let replace_invalid = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = call.name.chars().take(64).map(replace_invalid).collect();
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

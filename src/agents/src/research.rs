//! The tool loop: the agent calls tools and reads their answers until it ends the loop or reaches its limit.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::agent::Agent;
use super::agent_run::{AgentRun, turn};
use super::answer::bounded;
use super::excerpt::excerpt;
use super::marks::data;
use super::numbers::EvidenceLedger;
use crate::job::WorkError;
use crate::provider::{Message, Reply, ToolCall, ToolSpec};

/// Maximum answered calls of one reply.
const CALLS: usize = 6;
/// Maximum bytes of one answer, and of all answers to one agent.
const ANSWER: usize = 8_192;
const ANSWERS: usize = 65_536;
/// Maximum characters of invalid arguments shown to the model again.
const WRITTEN: usize = 300;
/// Maximum characters of an agent's own words shown to it again.
const WORDS: usize = 8_000;

/// The result of the tool loop: the answers that an agent has read.
#[derive(Debug, Default)]
pub struct Research {
    /// Figures of the answers.
    pub ledger: EvidenceLedger,
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
        let reply = agent_run.ask(&turn(system, &reading.messages, &reading.tools, None)).await?;
        let more = if reply.cut {
            reading.was_cut(&reply)
        } else if reply.calls.is_empty() {
            reading.was_text(agent_run, &reply)?
        } else {
            reading.was_calls(agent_run, reply).await
        };
        if !more {
            break;
        }
    }
    Ok(reading.research)
}

/// State of the tool loop. Its methods return whether to continue.
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
        Self {
            tools: context.runner.tools(context.market, agent.tools.for_market(context.market)),
            messages: Vec::new(),
            research: Research::default(),
            answered: HashSet::new(),
            cuts: 0,
            empty: 0,
            nudged: false,
            repeats: 0,
        }
    }

    /// Handles a cut reply: none of its calls is made, as the last may be incomplete.
    fn was_cut(&mut self, reply: &Reply) -> bool {
        self.cuts += 1;
        self.say(reply, "Your reply was cut at its longest. Say less, or call fewer tools at once.");
        self.cuts < 2
    }

    fn was_text(&mut self, agent_run: &AgentRun<'_>, reply: &Reply) -> Result<bool, WorkError> {
        if reply.text.trim().is_empty() {
            self.empty += 1;
            if self.empty > 1 {
                return Err(WorkError::Failed(format!(
                    "the agent `{}` replied twice with nothing; start the run again, or with another model",
                    agent_run.agent
                )));
            }
            self.say(reply, "Your reply was empty. Call a tool, or say what you have found.");
            return Ok(true);
        }
        if self.answered.is_empty() && !self.nudged {
            self.nudged = true;
            self.say(reply, "You have looked at nothing yet. Call the tools that your task needs.");
            return Ok(true);
        }
        self.keep(&data(&format!("words of {}", agent_run.agent), &bounded(&reply.text, WORDS)));
        Ok(false)
    }

    async fn was_calls(&mut self, agent_run: &AgentRun<'_>, reply: Reply) -> bool {
        let mut new = false;
        let mut answers = Vec::new();
        let mut calls = Vec::new();
        for (n, call) in reply.calls.iter().enumerate() {
            let key = format!("{} {}", call.name, sorted(&call.arguments));
            let text = if n >= CALLS {
                format!("This call was not made: at most {CALLS} calls of one reply are.")
            } else if self.answered.contains(&key) {
                "You have made this very call before; its answer stands above.".to_owned()
            } else if let Some(refusal) = self.refusal(call) {
                refusal
            } else {
                new = true;
                self.answered.insert(key);
                self.answer(agent_run, call).await
            };
            let call = well_formed(call, n);
            answers.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
            calls.push(call);
        }
        self.messages.push(Message::Assistant { text: bounded(&reply.text, WORDS), calls });
        self.messages.append(&mut answers);
        self.repeats = if new { 0 } else { self.repeats + 1 };
        self.repeats < 2 && self.research.text.len() < ANSWERS
    }

    /// Returns the reason why a call is not made; `None` if it may be.
    fn refusal(&self, call: &ToolCall) -> Option<String> {
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Some(format!("You have no such tool. Your tools are {}.", names.join(", ")));
        }
        if !call.arguments.is_object() && !call.arguments.is_null() {
            let written = bounded(&call.arguments.to_string(), WRITTEN);
            return Some(format!(
                "The arguments of a call are a JSON object of the parameters of its tool. You wrote {written}. Make the call again."
            ));
        }
        (self.research.text.len() >= ANSWERS)
            .then(|| "You have read as much as one agent may; say what you have found.".to_owned())
    }

    /// Makes a call and records its answer.
    async fn answer(&mut self, agent_run: &AgentRun<'_>, call: &ToolCall) -> String {
        let arguments = call.arguments.as_object().cloned().unwrap_or_default();
        let asked = Json::Object(arguments.clone()).to_string();
        let asked = bounded(&asked, 1_000);
        let (origin, text, cut) = match agent_run.run.context.runner.call(&call.name, &arguments).await {
            Ok(answer) => {
                let shown = excerpt(answer, ANSWER);
                self.research.ledger.add_answer(&call.name, &arguments, &shown.answer);
                (call.name.clone(), shown.text, shown.cut)
            }
            Err(refusal) => (format!("refusal of {}", call.name), bounded(&refusal, 1_000), false),
        };
        let cut = if cut {
            "\nThe answer was longer and is cut; ask for fewer rows to see them whole."
        } else {
            ""
        };
        let marked = data(&origin, &text);
        self.keep(&format!("{}{cut}", data(&origin, &format!("called with {asked}\n{text}"))));
        format!("{marked}{cut}")
    }

    fn keep(&mut self, text: &str) {
        self.research.text.push_str(text);
        self.research.text.push('\n');
    }

    /// Continues after a reply without calls.
    fn say(&mut self, reply: &Reply, words: &str) {
        let text =
            if reply.text.trim().is_empty() { "(no text)".to_owned() } else { bounded(&reply.text, WORDS) };
        self.messages.push(Message::Assistant { text, calls: Vec::new() });
        self.messages.push(Message::User { text: words.to_owned() });
    }
}

/// Normalizes a call to send it back: providers refuse a conversation with an invalid name, id or arguments.
fn well_formed(call: &ToolCall, n: usize) -> ToolCall {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = call.name.chars().take(64).map(plain).collect();
    let name = if name.is_empty() { "unnamed".to_owned() } else { name };
    let id = if call.id.is_empty() { format!("call_{n}") } else { call.id.clone() };
    let arguments =
        if call.arguments.is_object() { call.arguments.clone() } else { Json::Object(Map::new()) };
    ToolCall { id, name, arguments }
}

/// Sorts arguments, so that a repeated call is recognized.
fn sorted(arguments: &Json) -> String {
    let Some(object) = arguments.as_object() else { return arguments.to_string() };
    let mut fields: Vec<(&String, &Json)> = object.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    Json::Object(fields.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
        .to_string()
}

//! A scripted model, tools and log for tests; all record the calls they get.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};

use super::runner::Runner;
use super::{RunContext, RunContexts};
use crate::job::{JobProgress, ProviderUsage, StepLog, WorkError};
use crate::provider::{
    LanguageModel, Message, ModelRequest, ProviderError, Reply, ToolCall, ToolSpec, Usage,
};
use parquote_catalogue::operation::Market;

/// A function that returns the model's reply to a request.
type Script = dyn Fn(&ModelRequest) -> Result<Reply, ProviderError> + Send + Sync;
/// A function that returns a tool's answer.
type Answers = dyn Fn(&str, &Map<String, Json>) -> Result<Json, String> + Send + Sync;

/// A model that follows a script.
pub(crate) struct Model {
    script: Box<Script>,
    pub(crate) turns: Mutex<Vec<ModelRequest>>,
    /// Number of replies after which the model hangs.
    pub(crate) silent_after: AtomicUsize,
}

#[async_trait]
impl LanguageModel for Model {
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        let requests = {
            let mut turns = self.turns.lock().unwrap();
            turns.push(turn.clone());
            turns.len()
        };
        if requests > self.silent_after.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        (self.script)(turn)
    }

    fn identity(&self) -> (&str, &str) {
        ("scripted", "script-1")
    }
}

/// Tools with scripted answers.
pub(crate) struct Tooling {
    names: Vec<String>,
    answers: Box<Answers>,
    pub(crate) calls: Mutex<Vec<String>>,
}

#[async_trait]
impl Runner for Tooling {
    fn tools(&self, market: Market, names: &[String]) -> Vec<ToolSpec> {
        let of_market = |name: &&String| name.starts_with("us_") == (market == Market::Us);
        let spec = |name: &String| ToolSpec {
            name: name.clone(),
            words: format!("Answers {name}."),
            parameters: json!({"type": "object", "properties": {"symbol": {"type": "string"}}}),
        };
        let offered: Vec<&String> = self.names.iter().filter(of_market).collect();
        names.iter().filter(|name| offered.contains(name)).map(spec).collect()
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, String> {
        self.calls.lock().unwrap().push(format!("{tool} {}", Json::Object(arguments.clone())));
        (self.answers)(tool, arguments)
    }
}

/// The log of a job. It fails after `ends_after` records, as for a killed process, and beyond `tokens`.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) steps: Mutex<Vec<(String, Json)>>,
    pub(crate) progress: Mutex<Vec<JobProgress>>,
    pub(crate) spent: Mutex<ProviderUsage>,
    pub(crate) ends_after: Option<usize>,
    pub(crate) tokens: Option<u64>,
}

impl Record {
    pub(crate) fn names(&self) -> Vec<String> {
        self.steps.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the log as another process finds it.
    pub(crate) fn reopened(&self) -> Self {
        let (steps, spent) = (self.steps.lock().unwrap().clone(), *self.spent.lock().unwrap());
        Self { steps: Mutex::new(steps), spent: Mutex::new(spent), ..Self::default() }
    }
}

#[async_trait]
impl StepLog for Record {
    async fn recorded_output(&self, step: &str) -> Result<Option<Json>, WorkError> {
        Ok(self.steps.lock().unwrap().iter().find(|(name, _)| name == step).map(|(_, output)| output.clone()))
    }

    async fn record(&self, step: &str, output: &Json, spent: ProviderUsage) -> Result<(), WorkError> {
        let mut steps = self.steps.lock().unwrap();
        if self.ends_after.is_some_and(|most| steps.len() >= most) {
            return Err(WorkError::Lost);
        }
        assert!(steps.iter().all(|(name, _)| name != step), "{step} is recorded twice");
        steps.push((step.to_owned(), output.clone()));
        let mut all = self.spent.lock().unwrap();
        *all = *all + spent;
        match self.tokens {
            Some(most) if all.input_tokens + all.output_tokens > most => {
                Err(WorkError::Budget("tokens".to_owned()))
            }
            _ => Ok(()),
        }
    }

    async fn progress(&self, progress: JobProgress) {
        self.progress.lock().unwrap().push(progress);
    }

    fn spent(&self) -> ProviderUsage {
        *self.spent.lock().unwrap()
    }
}

/// A context for every job.
pub(crate) struct Fixture {
    pub(crate) model: Arc<Model>,
    pub(crate) tooling: Arc<Tooling>,
    pub(crate) context: RunContext,
}

impl Fixture {
    pub(crate) fn new(
        names: &[&str],
        answers: impl Fn(&str, &Map<String, Json>) -> Result<Json, String> + Send + Sync + 'static,
        script: impl Fn(&ModelRequest) -> Result<Reply, ProviderError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        let model = Arc::new(Model {
            script: Box::new(script),
            turns: Mutex::default(),
            silent_after: AtomicUsize::new(usize::MAX),
        });
        let tooling = Arc::new(Tooling {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            answers: Box::new(answers),
            calls: Mutex::default(),
        });
        let context = RunContext {
            runner: tooling.clone(),
            model: model.clone(),
            // A tenth of a cent for a thousand tokens sent, a cent for a thousand received.
            price: Arc::new(|_, usage| usage.input_tokens + 10 * usage.output_tokens),
            market: Market::India,
            as_of: chrono::NaiveDate::from_ymd_opt(2026, 8, 21).unwrap(),
            snapshot: "snapshot-1".to_owned(),
        };
        Arc::new(Self { model, tooling, context })
    }

    /// Returns everything that was sent to the model, as one text.
    pub(crate) fn sent(&self) -> String {
        self.model.turns.lock().unwrap().iter().map(|turn| serde_json::to_string(turn).unwrap()).collect()
    }
}

#[async_trait]
impl RunContexts for Fixture {
    async fn open(&self, _: &Json, market: Market) -> Result<RunContext, WorkError> {
        Ok(RunContext { market, ..self.context.clone() })
    }
}

/// Builds a reply with a text.
pub(crate) fn text(text: impl Into<String>) -> Reply {
    let usage = Usage { input_tokens: 100, output_tokens: 10 };
    Reply { text: text.into(), calls: Vec::new(), usage, model: "script-1".to_owned(), cut: false }
}

/// Builds a reply with tool calls.
pub(crate) fn tool_call_reply(calls: &[(&str, Json)]) -> Reply {
    let call = |(n, (name, arguments)): (usize, &(&str, Json))| ToolCall {
        id: format!("call_{n}"),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    Reply { calls: calls.iter().enumerate().map(call).collect(), ..text("") }
}

/// Returns the agent of a request.
pub(crate) fn agent_of(turn: &ModelRequest) -> String {
    let Some(Message::User { text }) = turn.messages.first() else { panic!("no opening") };
    text.split('`').nth(1).unwrap().to_owned()
}

/// Returns the name of a request's schema; empty if it may call tools.
pub(crate) fn shape_of(turn: &ModelRequest) -> String {
    turn.schema.as_ref().map(|schema| schema.name.clone()).unwrap_or_default()
}

/// Returns the texts of the last tool answers in a request.
pub(crate) fn last_tool_answers(turn: &ModelRequest) -> Vec<String> {
    let texts = turn.messages.iter().rev().map_while(|message| match message {
        Message::Tool { text, .. } => Some(text.clone()),
        _ => None,
    });
    let mut texts: Vec<String> = texts.collect();
    texts.reverse();
    texts
}

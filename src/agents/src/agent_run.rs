//! Calls the model for one agent and records each reply, so that a run that was killed continues without paying twice.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::run_context::{Limit, RunContext};
use crate::job::{Spent, StepLog, WorkError};
use crate::provider::{AnswerSchema, Message, ModelRequest, ProviderError, Reply, ToolSpec, Usage};

/// Bytes of text and calls that a reply keeps: no answer that is asked for comes near.
const TEXT: usize = 65_536;
const CALLS: usize = 32;
const OUTPUT_TOKENS: u32 = 8_192;

/// A run: what it works with and where it is recorded.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// What it works with.
    pub context: &'a RunContext,
    /// Where its steps are kept.
    pub log: &'a dyn StepLog,
    /// What its replies rest on: snapshot and instructions. A reply that rests on others is not used.
    pub pinned: &'a str,
    /// What it may spend.
    pub limit: Option<Limit>,
}

/// One agent in a run.
pub struct AgentRun<'a> {
    /// The run.
    pub run: Run<'a>,
    /// The agent.
    pub agent: String,
    asked: u32,
}

/// A step as it is recorded.
#[derive(Serialize, Deserialize)]
struct RecordedReply {
    pinned: String,
    reply: Reply,
}

impl<'a> AgentRun<'a> {
    /// The place of an agent that has not asked yet.
    pub fn new(run: Run<'a>, agent: &str) -> Self {
        Self { run, agent: agent.to_owned(), asked: 0 }
    }

    /// The next reply: the recorded one, or the model's, which is recorded. Steps are `<agent>.<turn>`.
    ///
    /// # Errors
    /// No reply, no record, or nothing left to spend.
    pub async fn ask(&mut self, turn: &ModelRequest) -> Result<Reply, WorkError> {
        self.asked += 1;
        let Run { context, log, pinned, limit } = self.run;
        let step = format!("{}.{}", self.agent, self.asked);
        if let Some(recorded) = log.recorded(&step).await? {
            return self.replay(&step, recorded);
        }
        within(log.spent(), limit)?;
        let mut reply = match context.model.reply(turn).await {
            Ok(reply) => reply,
            Err(error) => return Err(self.refused(&step, &error).await?),
        };
        reply.text.truncate(reply.text.floor_char_boundary(TEXT));
        reply.calls.truncate(CALLS);
        let spent = self.spent(&reply.model, reply.usage);
        let recorded = RecordedReply { pinned: pinned.to_owned(), reply };
        let output = serde_json::to_value(&recorded).map_err(|error| {
            WorkError::Failed(format!("the reply of step {step} cannot be recorded: {error}"))
        })?;
        log.record(&step, &output, spent).await?;
        Ok(recorded.reply)
    }

    fn spent(&self, model: &str, usage: Usage) -> Spent {
        Spent {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_microusd: (self.run.context.price)(model, usage),
        }
    }

    /// Why there is no reply, once what the provider bills all the same is recorded.
    async fn refused(&self, step: &str, error: &ProviderError) -> Result<WorkError, WorkError> {
        let Run { context, log, .. } = self.run;
        let (_, model) = context.model.identity();
        let (step, usage) = (format!("{step}.unused"), error.usage());
        if usage != Usage::default() && log.recorded(&step).await?.is_none() {
            log.record(&step, &Json::Null, self.spent(model, usage)).await?;
        }
        Ok(WorkError::Failed(format!("the agent `{}` had no reply from the model: {error}", self.agent)))
    }

    fn replay(&self, step: &str, recorded: Json) -> Result<Reply, WorkError> {
        let recorded: RecordedReply = serde_json::from_value(recorded).map_err(|error| {
            WorkError::Failed(format!("the record of step {step} cannot be read: {error}"))
        })?;
        if recorded.pinned == self.run.pinned {
            return Ok(recorded.reply);
        }
        Err(WorkError::Failed(
            "the run was interrupted, and the data or the instructions that it began with are no longer those that are \
             served; start it again"
                .to_owned(),
        ))
    }
}

/// A request with the server's settings.
pub(super) fn turn(
    system: &str,
    messages: &[Message],
    tools: &[ToolSpec],
    schema: Option<AnswerSchema>,
) -> ModelRequest {
    ModelRequest {
        system: system.to_owned(),
        messages: messages.to_vec(),
        tools: tools.to_vec(),
        schema,
        max_output_tokens: OUTPUT_TOKENS,
        temperature: 0.0,
    }
}

/// Whether something is left to spend. The record ends a run that has spent too much; this spares the request after it.
fn within(spent: Spent, limit: Option<Limit>) -> Result<(), WorkError> {
    let Some(limit) = limit else { return Ok(()) };
    let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
    if tokens >= limit.tokens {
        return Err(WorkError::Budget(format!("{tokens} tokens were used, {} are allowed", limit.tokens)));
    }
    if spent.cost_microusd >= limit.cost_microusd {
        let usd = |micro: u64| micro as f64 / 1e6;
        let (cost, most) = (usd(spent.cost_microusd), usd(limit.cost_microusd));
        return Err(WorkError::Budget(format!("USD {cost:.4} were used, USD {most:.4} are allowed")));
    }
    Ok(())
}

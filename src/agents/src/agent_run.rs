//! Calls the model for one agent and records each reply, so that a killed run continues without paying twice.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::run_context::{Limit, RunContext};
use crate::job::{ProviderUsage, StepLog, WorkError};
use crate::provider::{AnswerSchema, Message, ModelRequest, ProviderError, Reply, ToolSpec, Usage};

/// Maximum bytes of the text of one reply; the rest is dropped. Requested answers are much shorter.
const MOST_TEXT_BYTES: usize = 65_536;
/// Maximum number of calls of one reply; the others are dropped.
const MOST_CALLS: usize = 32;
/// Maximum number of tokens of one reply.
const OUTPUT_TOKENS: u32 = 8_192;

/// A run, with its context and its log.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The model, tools and data of the run.
    pub context: &'a RunContext,
    /// The log that records the run's steps.
    pub log: &'a dyn StepLog,
    /// Fingerprint of snapshot and instructions. A recorded reply with another fingerprint is not reused.
    pub fingerprint: &'a str,
    /// Spending limit; `None` for no limit.
    pub limit: Option<Limit>,
}

/// One agent in a run.
pub struct AgentRun<'a> {
    /// The run.
    pub run: Run<'a>,
    /// Name of the agent.
    pub agent: String,
    /// Number of requests so far.
    requests: u32,
}

/// The record of a step.
#[derive(Serialize, Deserialize)]
struct RecordedReply {
    /// [`Run::fingerprint`] when the reply was recorded.
    pinned: String,
    reply: Reply,
}

impl<'a> AgentRun<'a> {
    /// Builds an agent that has made no request yet.
    pub fn new(run: Run<'a>, agent: &str) -> Self {
        Self { run, agent: agent.to_owned(), requests: 0 }
    }

    /// Returns the next reply: the recorded one, or the model's, which it records. Steps are named `<agent>.<turn>`.
    ///
    /// # Errors
    /// The model does not reply, the reply cannot be recorded, or the limit is reached.
    pub async fn ask(&mut self, turn: &ModelRequest) -> Result<Reply, WorkError> {
        self.requests += 1;
        let Run { context, log, fingerprint, limit } = self.run;
        let step = format!("{}.{}", self.agent, self.requests);
        if let Some(output) = log.recorded_output(&step).await? {
            return self.replay(&step, output);
        }
        check_limit(log.spent(), limit)?;
        let mut reply = match context.model.reply(turn).await {
            Ok(reply) => reply,
            Err(error) => return Err(self.record_billed_failure(&step, &error).await?),
        };
        reply.text.truncate(reply.text.floor_char_boundary(MOST_TEXT_BYTES));
        reply.calls.truncate(MOST_CALLS);
        let spent = self.priced_usage(&reply.model, reply.usage);
        let record = RecordedReply { pinned: fingerprint.to_owned(), reply };
        let output = serde_json::to_value(&record).map_err(|error| {
            WorkError::Failed(format!("the reply of step {step} cannot be recorded: {error}"))
        })?;
        log.record(&step, &output, spent).await?;
        Ok(record.reply)
    }

    /// Returns the tokens and their price.
    fn priced_usage(&self, model: &str, usage: Usage) -> ProviderUsage {
        ProviderUsage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_microusd: (self.run.context.price)(model, usage),
        }
    }

    /// Records the tokens that the provider bills for a failed request, and returns the error of the run.
    async fn record_billed_failure(&self, step: &str, error: &ProviderError) -> Result<WorkError, WorkError> {
        let Run { context, log, .. } = self.run;
        let (_, model) = context.model.identity();
        let (step, usage) = (format!("{step}.unused"), error.usage());
        if usage != Usage::default() && log.recorded_output(&step).await?.is_none() {
            log.record(&step, &Json::Null, self.priced_usage(model, usage)).await?;
        }
        Ok(WorkError::Failed(format!("the agent `{}` had no reply from the model: {error}", self.agent)))
    }

    fn replay(&self, step: &str, output: Json) -> Result<Reply, WorkError> {
        let record: RecordedReply = serde_json::from_value(output).map_err(|error| {
            WorkError::Failed(format!("the record of step {step} cannot be read: {error}"))
        })?;
        if record.pinned == self.run.fingerprint {
            return Ok(record.reply);
        }
        Err(WorkError::Failed(
            "the run was interrupted, and the data or the instructions that it began with are no longer those that are \
             served; start it again"
                .to_owned(),
        ))
    }
}

/// Builds a request with the server's settings.
pub(super) fn build_request(
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

/// Checks that the limit is not reached. The log ends a run over its limit; this check avoids one more request.
fn check_limit(spent: ProviderUsage, limit: Option<Limit>) -> Result<(), WorkError> {
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

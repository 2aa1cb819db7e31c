//! Calls the model for one agent and records each reply, so that a killed run continues without paying twice.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::run_context::{Limit, RunContext};
use crate::job::{ProviderUsage, StepLog, WorkError};
use crate::provider::{AnswerSchema, Message, ModelRequest, ProviderError, Reply, ToolSpec, Usage};

/// Maximum bytes of the text and the calls of one reply. Requested answers are much shorter.
const MOST_TEXT_BYTES: usize = 65_536;
const MOST_CALLS: usize = 32;
const OUTPUT_TOKENS: u32 = 8_192;

/// A run, with its context and its log.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Its model, tools and data.
    pub context: &'a RunContext,
    /// The log that records its steps.
    pub log: &'a dyn StepLog,
    /// Fingerprint of snapshot and instructions. A recorded reply with another one is not reused.
    pub fingerprint: &'a str,
    /// Spending limit.
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

/// A recorded step.
#[derive(Serialize, Deserialize)]
struct RecordedReply {
    /// [`Run::fingerprint`] at the time of the record.
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
        if let Some(recorded) = log.recorded_output(&step).await? {
            return self.replay(&step, recorded);
        }
        check_limit(log.spent(), limit)?;
        let mut reply = match context.model.reply(turn).await {
            Ok(reply) => reply,
            Err(error) => return Err(self.record_billed_failure(&step, &error).await?),
        };
        reply.text.truncate(reply.text.floor_char_boundary(MOST_TEXT_BYTES));
        reply.calls.truncate(MOST_CALLS);
        let spent = self.priced_usage(&reply.model, reply.usage);
        let recorded = RecordedReply { pinned: fingerprint.to_owned(), reply };
        let output = serde_json::to_value(&recorded).map_err(|error| {
            WorkError::Failed(format!("the reply of step {step} cannot be recorded: {error}"))
        })?;
        log.record(&step, &output, spent).await?;
        Ok(recorded.reply)
    }

    /// Returns the tokens and their price.
    fn priced_usage(&self, model: &str, usage: Usage) -> ProviderUsage {
        ProviderUsage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_microusd: (self.run.context.price)(model, usage),
        }
    }

    /// Records what the provider bills for a failed request, and returns the error.
    async fn record_billed_failure(&self, step: &str, error: &ProviderError) -> Result<WorkError, WorkError> {
        let Run { context, log, .. } = self.run;
        let (_, model) = context.model.identity();
        let (step, usage) = (format!("{step}.unused"), error.usage());
        if usage != Usage::default() && log.recorded_output(&step).await?.is_none() {
            log.record(&step, &Json::Null, self.priced_usage(model, usage)).await?;
        }
        Ok(WorkError::Failed(format!("the agent `{}` had no reply from the model: {error}", self.agent)))
    }

    fn replay(&self, step: &str, recorded: Json) -> Result<Reply, WorkError> {
        let recorded: RecordedReply = serde_json::from_value(recorded).map_err(|error| {
            WorkError::Failed(format!("the record of step {step} cannot be read: {error}"))
        })?;
        if recorded.pinned == self.run.fingerprint {
            return Ok(recorded.reply);
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

/// Checks that the limit is not reached. The log ends an overspent run; this check saves the next request.
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

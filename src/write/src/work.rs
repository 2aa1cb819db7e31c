//! Runs jobs: each takes its stored reply or asks the model, until the jobs are done or the budget is spent.

use std::future::Future;

use serde::{Deserialize, Serialize};

use crate::check::{CheckedReply, UnusableReply, check_reply};
use crate::error::WriteError;
use crate::folders::{ModelReply, RowState, WriteFolders};
use crate::job::WriteJob;
use crate::prompt::Prompt;
use crate::request::WriteRequest;

/// A model that writes replies.
pub trait Ask: Sync {
    /// Returns the names of the provider and the model, such as `openai` and `qwen3:32b`.
    fn identity(&self) -> (&str, &str);

    /// Sends a request and returns the reply.
    ///
    /// # Errors
    /// The reason why there is no reply.
    fn ask(&self, request: &WriteRequest) -> impl Future<Output = Result<ModelReply, AskError>> + Send;
}

/// Reason why a model gave no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskError {
    /// The model refuses this request; another request may succeed.
    #[error("{reason}")]
    Refused {
        /// The reason, in words.
        reason: String,
        /// The refusal as a reply without text; it is stored if it was billed.
        reply: Box<ModelReply>,
    },
    /// The model gives no reply now, for this reason.
    #[error("{0}")]
    Unavailable(String),
}

/// The prices of tokens, and a limit of the cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WriteBudget {
    /// Maximum cost of a run, in US dollars; `None` for no limit.
    pub usd: Option<f64>,
    /// US dollars of it that are spent.
    pub spent_usd: f64,
    /// US dollars for a million tokens of requests and of replies; `None` if unknown.
    pub price: Option<(f64, f64)>,
}

impl WriteBudget {
    /// Returns the cost of tokens in US dollars; `None` if the price is unknown.
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        let (input, output) = self.price?;
        Some((input_tokens as f64 * input + output_tokens as f64 * output) / 1e6)
    }
}

/// Result of a job.
#[derive(Debug)]
pub enum JobResult {
    /// The file of the job is not written: it is done already or belongs to a person.
    Skipped(RowState),
    /// The rows of the job are written; some claims may be struck.
    Written(CheckedReply),
    /// No row was made: a required column has no supported claim.
    NoRow(CheckedReply),
    /// The reply cannot be used.
    Unusable(UnusableReply),
    /// The model refuses the document, for this reason.
    Refused(String),
}

/// Counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of rows written.
    pub written: usize,
    /// Number of jobs whose file was done before or belongs to a person.
    pub skipped: usize,
    /// Number of jobs without a row.
    pub without_row: usize,
    /// Number of supported claims in written rows.
    pub supported: usize,
    /// Number of struck claims.
    pub struck: usize,
    /// Number of replies that were paid for in this run.
    pub paid_replies: usize,
    /// US dollars that they cost, as far as prices are known.
    pub cost_usd: f64,
    /// Number of jobs that remain because the budget is spent or the model unavailable.
    pub remaining: usize,
    /// The reason why jobs remain; `None` if none remain.
    pub stopped: Option<String>,
}

/// The maximum cost of jobs, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Number of documents whose reply would be requested.
    pub documents: usize,
    /// Number of jobs whose file is done or belongs to a person.
    pub skipped: usize,
    /// Number of documents whose replies are stored.
    pub stored: usize,
    /// Maximum number of tokens of the requests.
    pub input_tokens: u64,
    /// Maximum number of tokens of the replies.
    pub output_tokens: u64,
}

/// Estimates the cost of jobs without a request to the model.
///
/// # Errors
/// A file cannot be read.
pub fn estimate(
    folders: &WriteFolders,
    jobs: &[WriteJob<'_>],
    identity: (&str, &str),
) -> Result<Estimate, WriteError> {
    let mut sum = Estimate::default();
    for job in jobs {
        let request = WriteRequest::new(job);
        if folders.state(job)? != RowState::Open {
            sum.skipped += 1;
        } else if folders.reply(&request.key(identity.0, identity.1))?.is_some() {
            sum.stored += 1;
        } else {
            sum.documents += 1;
            sum.input_tokens += request.input_tokens();
            sum.output_tokens += u64::from(request.output_tokens);
        }
    }
    Ok(sum)
}

/// Runs jobs and passes each result to `report`. A reply is stored before it is used; a job whose reply is stored costs nothing.
///
/// # Errors
/// A file cannot be read or written. Files that were written before remain.
pub async fn write_all<A: Ask>(
    folders: &WriteFolders,
    jobs: &[WriteJob<'_>],
    model: &A,
    budget: WriteBudget,
    report: &mut (dyn FnMut(&WriteJob<'_>, &JobResult) + Send),
) -> Result<Totals, WriteError> {
    let mut run = JobRun { folders, model, budget, totals: Totals::default() };
    for (at, job) in jobs.iter().enumerate() {
        match run.run_job(job).await? {
            JobEnd::Done(result) => {
                match &result {
                    JobResult::Skipped(RowState::Done) => folders.restore_evidence(job)?,
                    JobResult::NoRow(_) | JobResult::Unusable(_) => folders.withdraw_earlier(job)?,
                    _ => {}
                }
                run.totals.count(&result);
                report(job, &result);
            }
            JobEnd::Stop(reason) => {
                run.totals.remaining = jobs.len() - at;
                run.totals.stopped = Some(reason);
                break;
            }
        }
    }
    Ok(run.totals)
}

/// A run through jobs.
struct JobRun<'a, A> {
    folders: &'a WriteFolders,
    model: &'a A,
    budget: WriteBudget,
    totals: Totals,
}

/// End of a job.
enum JobEnd {
    Done(JobResult),
    /// The run stops before the job, for this reason.
    Stop(String),
}

/// Outcome of a request: a reply, or the reason why there is none.
enum RequestOutcome {
    Reply(ModelReply),
    Refused(String),
    Stop(String),
}

impl<A: Ask> JobRun<'_, A> {
    async fn run_job(&mut self, job: &WriteJob<'_>) -> Result<JobEnd, WriteError> {
        let state = self.folders.state(job)?;
        if state != RowState::Open {
            return Ok(JobEnd::Done(JobResult::Skipped(state)));
        }
        let reply = match self.reply(&WriteRequest::new(job)).await? {
            RequestOutcome::Reply(reply) => reply,
            RequestOutcome::Refused(reason) => return Ok(JobEnd::Done(JobResult::Refused(reason))),
            RequestOutcome::Stop(reason) => return Ok(JobEnd::Stop(reason)),
        };
        if reply.cut {
            return Ok(JobEnd::Done(JobResult::Unusable(UnusableReply::Cut)));
        }
        let Prompt { table, version, .. } = job.prompt;
        let written_by = format!("{} {}, prompt {table} {version}", reply.provider, reply.model);
        Ok(JobEnd::Done(match check_reply(job, &reply.text, &written_by, reply.day) {
            Err(fault) => JobResult::Unusable(fault),
            Ok(reply) if self.folders.write_rows(job, &reply)? => JobResult::Written(reply),
            Ok(reply) => JobResult::NoRow(reply),
        }))
    }

    /// Returns the stored reply to a request, or asks the model and stores its reply.
    async fn reply(&mut self, request: &WriteRequest) -> Result<RequestOutcome, WriteError> {
        let (provider, name) = self.model.identity();
        let key = request.key(provider, name);
        if let Some(reply) = self.folders.reply(&key)? {
            return Ok(RequestOutcome::Reply(reply));
        }
        if let Some(reason) = self.over_budget(request) {
            return Ok(RequestOutcome::Stop(reason));
        }
        match self.model.ask(request).await {
            Ok(reply) => {
                self.store(&key, &reply)?;
                Ok(RequestOutcome::Reply(reply))
            }
            Err(AskError::Refused { reason, reply }) => {
                if reply.output_tokens > 0 {
                    self.store(&key, &reply)?;
                }
                Ok(RequestOutcome::Refused(reason))
            }
            Err(AskError::Unavailable(reason)) => Ok(RequestOutcome::Stop(reason)),
        }
    }

    /// Stores a reply that was paid for.
    fn store(&mut self, key: &str, reply: &ModelReply) -> Result<(), WriteError> {
        self.totals.paid_replies += 1;
        self.totals.cost_usd += reply.cost_usd.unwrap_or_default();
        self.folders.store_reply(key, reply)
    }

    /// Returns the reason why a request is not sent: it could cost more than the rest of the budget. `None` if it may be sent.
    fn over_budget(&self, request: &WriteRequest) -> Option<String> {
        let most = self.budget.usd?;
        let Some(next) = self.budget.cost(request.input_tokens(), u64::from(request.output_tokens)) else {
            return Some("the price of the model is unknown, so that no budget can be held".to_owned());
        };
        let spent = self.budget.spent_usd + self.totals.cost_usd;
        (spent + next > most).then(|| {
            format!("the next document may cost {next:.4} US dollars, and {spent:.4} of {most:.4} are spent")
        })
    }
}

impl Totals {
    /// Adds the counts of further jobs, which may have stopped the run.
    pub fn add(&mut self, more: Self) {
        self.written += more.written;
        self.skipped += more.skipped;
        self.without_row += more.without_row;
        self.supported += more.supported;
        self.struck += more.struck;
        self.paid_replies += more.paid_replies;
        self.cost_usd += more.cost_usd;
        self.remaining += more.remaining;
        self.stopped = more.stopped.or(self.stopped.take());
    }

    fn count(&mut self, result: &JobResult) {
        match result {
            JobResult::Skipped(_) => self.skipped += 1,
            JobResult::Written(reply) => {
                self.written += reply.rows.len();
                self.supported += reply.supported.len();
                self.struck += reply.struck.len();
            }
            JobResult::NoRow(reply) => {
                self.without_row += 1;
                self.struck += reply.struck.len();
            }
            JobResult::Unusable(_) | JobResult::Refused(_) => self.without_row += 1,
        }
    }
}

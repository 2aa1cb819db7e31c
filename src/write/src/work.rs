//! The work through jobs: stored replies first, then the model, until the jobs are done or the budget is spent.

use std::future::Future;

use crate::check::{CheckedReply, UnusableReply, check_reply};
use crate::error::WriteError;
use crate::folders::{ModelReply, RowState, WriteFolders};
use crate::job::WriteJob;
use crate::prompt::Prompt;
use crate::request::WriteRequest;

/// A model that writes replies.
pub trait Ask: Sync {
    /// Returns provider and model, such as `openai` and `qwen3:32b`.
    fn identity(&self) -> (&str, &str);

    /// Asks for one reply.
    ///
    /// # Errors
    /// The reason why there is none.
    fn ask(&self, request: &WriteRequest) -> impl Future<Output = Result<ModelReply, AskError>> + Send;
}

/// Reason why a model gave no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskError {
    /// It refuses this request; another one may succeed.
    #[error("{said}")]
    Refused {
        /// Reason, in words.
        said: String,
        /// The refusal as a reply without text; it is stored if it was billed.
        reply: Box<ModelReply>,
    },
    /// It gives no reply now.
    #[error("{0}")]
    Unavailable(String),
}

/// The prices of tokens, and a limit of the cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WriteBudget {
    /// Most US dollars of a run; `None` for no limit.
    pub usd: Option<f64>,
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
    /// Its file is not written, as it is done already or belongs to a person.
    Skipped(RowState),
    /// Its rows are written; some claims may be struck.
    Written(CheckedReply),
    /// No row was made, as a column that must have a value has no supported claim.
    NoRow(CheckedReply),
    /// The reply cannot be used.
    Unusable(UnusableReply),
    /// The model refuses the document.
    Refused(String),
}

/// Counts of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Rows written.
    pub written: usize,
    /// Jobs whose file was done before, or belongs to a person.
    pub skipped: usize,
    /// Jobs without a row.
    pub without_row: usize,
    /// Claims supported.
    pub supported: usize,
    /// Claims struck.
    pub struck: usize,
    /// Replies that were paid for in this run.
    pub paid_replies: usize,
    /// US dollars that they cost, as far as prices are known.
    pub cost_usd: f64,
    /// Jobs that remain, as the budget is spent or the model unavailable.
    pub remaining: usize,
    /// The reason why jobs remain.
    pub stopped: Option<String>,
}

/// The most that jobs can cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Documents whose reply would be requested.
    pub documents: usize,
    /// Jobs whose file is done, or belongs to a person.
    pub skipped: usize,
    /// Documents whose replies are stored.
    pub stored: usize,
    /// Tokens of requests, at most.
    pub input_tokens: u64,
    /// Tokens of replies, at most.
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

/// Works through jobs and passes each result to `said`. A reply is stored before it is used; a job whose reply is stored costs nothing.
///
/// # Errors
/// A file cannot be read or written. Files that were written before remain.
pub async fn write_all<A: Ask>(
    folders: &WriteFolders,
    jobs: &[WriteJob<'_>],
    model: &A,
    budget: WriteBudget,
    said: &mut (dyn FnMut(&WriteJob<'_>, &JobResult) + Send),
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
                said(job, &result);
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
            RequestOutcome::Refused(said) => return Ok(JobEnd::Done(JobResult::Refused(said))),
            RequestOutcome::Stop(reason) => return Ok(JobEnd::Stop(reason)),
        };
        if reply.cut {
            return Ok(JobEnd::Done(JobResult::Unusable(UnusableReply::Cut)));
        }
        let Prompt { table, version, .. } = job.prompt;
        let by = format!("{} {}, prompt {table} {version}", reply.provider, reply.model);
        Ok(JobEnd::Done(match check_reply(job, &reply.text, &by, reply.day) {
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
            Err(AskError::Refused { said, reply }) => {
                if reply.output_tokens > 0 {
                    self.store(&key, &reply)?;
                }
                Ok(RequestOutcome::Refused(said))
            }
            Err(AskError::Unavailable(said)) => Ok(RequestOutcome::Stop(said)),
        }
    }

    /// Stores a reply that was paid for.
    fn store(&mut self, key: &str, reply: &ModelReply) -> Result<(), WriteError> {
        self.totals.paid_replies += 1;
        self.totals.cost_usd += reply.cost_usd.unwrap_or_default();
        self.folders.store_reply(key, reply)
    }

    /// Returns the reason why a request is not sent: it could cost more than is left.
    fn over_budget(&self, request: &WriteRequest) -> Option<String> {
        let most = self.budget.usd?;
        let Some(next) = self.budget.cost(request.input_tokens(), u64::from(request.output_tokens)) else {
            return Some("the price of the model is unknown, so that no budget can be held".to_owned());
        };
        let spent = self.totals.cost_usd;
        (spent + next > most).then(|| {
            format!("the next document may cost {next:.4} US dollars, and {spent:.4} of {most:.4} are spent")
        })
    }
}

impl Totals {
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

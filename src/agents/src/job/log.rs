//! The log of a running job: each step is stored under the worker's run id, and the budget is checked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value as Json;

use super::record::Job;
use super::shared::JobContext;
use super::start::Budget;
use super::store::{Hold, StoreError};
use super::work::{JobProgress, ProviderUsage, StepLog, WorkError};
use parquote_state::{HoldState, StepRecordResult, StepRow};

/// Maximum characters of a progress text.
const MOST_PROGRESS_CHARACTERS: usize = 200;
/// Message for owners if the store fails; the cause goes to the log.
const STORE_FAILED: &str = "the server's state database cannot be read or written";

/// The log of a running job.
pub(super) struct Log {
    shared: Arc<JobContext>,
    hold: Hold,
    budget: Budget,
    /// Time limit of the job in seconds, and the Unix time at which it is reached; `None` for no limit.
    time: Option<(u32, i64)>,
    tally: Mutex<JobTally>,
}

/// Totals of a running job.
struct JobTally {
    spent: ProviderUsage,
    /// Message about the exceeded budget; `None` within it.
    exceeded: Option<String>,
    /// Progress as last written.
    progress: JobProgress,
}

impl Log {
    /// Builds the log of a job that was just taken; `usual_seconds` is its usual maximum duration.
    pub(super) fn new(shared: Arc<JobContext>, hold: Hold, job: &Job, usual_seconds: Option<u32>) -> Self {
        let start = job.started_at.unwrap_or(job.created_at);
        let time = usual_seconds.map(|seconds| {
            let most = seconds.saturating_mul(shared.settings.time_factor);
            (most, start.saturating_add(most.into()))
        });
        let exceeded = job.budget.exceeded_message(job.spent);
        let tally = JobTally { spent: job.spent, exceeded, progress: job.progress.clone() };
        Self { shared, hold, budget: job.budget, time, tally: Mutex::new(tally) }
    }

    /// Fails after the job's time limit. A report that is finished by then is still accepted.
    pub(super) fn check_time(&self) -> Result<(), WorkError> {
        match self.time {
            Some((most, until)) if (self.shared.clock)() >= until => Err(WorkError::Budget(format!(
                "it was not done {} minutes after it began, which is {} times as long as such a run takes at most when all goes well; \
                 the provider may be slow, so try again later or with another one",
                most.div_ceil(60),
                self.shared.settings.time_factor
            ))),
            _ => Ok(()),
        }
    }

    /// Fails if this attempt or an earlier one exceeded the budget: the job then fails, whatever its handler returns.
    pub(super) fn check_budget(&self) -> Result<(), WorkError> {
        self.tally().exceeded.clone().map_or(Ok(()), |words| Err(WorkError::Budget(words)))
    }

    fn tally(&self) -> MutexGuard<'_, JobTally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store_error(&self, error: &StoreError) -> WorkError {
        tracing::error!(job = self.hold.number, cause = error.chain(), "the record of a job failed");
        WorkError::Record(STORE_FAILED.to_owned())
    }
}

#[async_trait]
impl StepLog for Log {
    async fn recorded_output(&self, step: &str) -> Result<Option<Json>, WorkError> {
        // Handlers read recorded steps before they spend: they cannot continue after the budget, even if they ignore the error.
        self.check_budget()?;
        self.check_time()?;
        match self.shared.store.recorded_output(&self.hold, step).await {
            Ok((HoldState::Held, output)) => Ok(output),
            Ok((HoldState::Cancelled | HoldState::Lost, _)) => Err(WorkError::Lost),
            Err(error) => Err(self.store_error(&error)),
        }
    }

    async fn record(&self, step: &str, output: &Json, spent: ProviderUsage) -> Result<(), WorkError> {
        let (text, most) = (output.to_string(), self.shared.settings.most_step_bytes);
        if text.len() > most {
            return Err(WorkError::Failed(format!(
                "the output of the step `{step}` has {} bytes; at most {most} are stored",
                text.len()
            )));
        }
        let row = StepRow { step: step.to_owned(), output: text, spent, at: (self.shared.clock)() };
        match self.shared.store.record(&self.hold, row).await {
            Ok(StepRecordResult::Recorded(total)) => {
                self.shared.tokens.add(spent);
                let mut tally = self.tally();
                tally.spent = later_total(tally.spent, total);
                tally.exceeded = self.budget.exceeded_message(total).or_else(|| tally.exceeded.take());
            }
            Ok(StepRecordResult::Twice) => {
                return Err(WorkError::Failed(format!("the step `{step}` was to be recorded a second time")));
            }
            Ok(StepRecordResult::NotHeld) => return Err(WorkError::Lost),
            Err(error) => return Err(self.store_error(&error)),
        }
        self.check_budget()
    }

    async fn progress(&self, progress: JobProgress) {
        let progress =
            JobProgress { step: progress.step.chars().take(MOST_PROGRESS_CHARACTERS).collect(), ..progress };
        // A write blocks on the disk: unchanged progress is not written again.
        if std::mem::replace(&mut self.tally().progress, progress.clone()) == progress {
            return;
        }
        if let Err(error) = self.shared.store.progress(&self.hold, &progress).await {
            tracing::warn!(
                job = self.hold.number,
                cause = error.chain(),
                "the progress of a job is not shown"
            );
        }
    }

    fn spent(&self) -> ProviderUsage {
        self.tally().spent
    }
}

/// Returns the later of two totals: concurrent steps may report theirs in any order.
fn later_total(a: ProviderUsage, b: ProviderUsage) -> ProviderUsage {
    ProviderUsage {
        input_tokens: a.input_tokens.max(b.input_tokens),
        output_tokens: a.output_tokens.max(b.output_tokens),
        cost_microusd: a.cost_microusd.max(b.cost_microusd),
    }
}

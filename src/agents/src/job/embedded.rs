//! The store of jobs in the state, which several servers share. Its calls block on a disk or database: they run one after the other, on one
//! connection and outside the asynchronous threads.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::sync::Mutex;

use super::record::{Job, JobWithReport, RecordedStep};
use super::start::{Budget, RunsLeft};
use super::store::{Address, Hold, JobEntry, StoreError};
use super::work::{JobProgress, ProviderUsage};
use parquote_state::{
    CancelledRow, HoldState, JobClaim, JobClaimResult, JobEnding, JobInsertResult, JobRow, NewJobRow,
    RunCount, RunLimit, StateError, StateLocation, StepRecordResult, StepRow, Store,
};

/// A job store in the state. Each request is one transaction.
#[derive(Debug, Clone)]
pub struct StateJobStore {
    file: Arc<Mutex<Store>>,
}

impl StateJobStore {
    /// Opens a separate connection.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open(location: impl Into<StateLocation>) -> Result<Self, StateError> {
        Ok(Self::from_store(Store::open(location)?))
    }

    /// Builds the store over a connection that is not used elsewhere.
    pub fn from_store(file: Store) -> Self {
        Self { file: Arc::new(Mutex::new(file)) }
    }

    pub(super) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut Store) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // Waiting for the lock blocks no thread. A call that has started completes even if its caller no longer waits.
        let mut file = Arc::clone(&self.file).lock_owned().await;
        let result =
            tokio::task::spawn_blocking(move || file.reopen_if_replaced().and_then(|_| call(&mut file)))
                .await;
        result.map_err(StoreError::new)?.map_err(StoreError::new)
    }

    /// Stores a job if its key's limit has room. The limit is exact across concurrent servers.
    pub async fn insert(
        &self,
        entry: JobEntry,
        limit: Option<RunLimit>,
    ) -> Result<JobInsertResult<Job, RunsLeft>, StoreError> {
        let JobEntry { job: new, id, now } = entry;
        let row = NewJobRow {
            id,
            kind: new.kind,
            owner: new.owner,
            key_id: new.key_id,
            spec: new.spec.to_string(),
            budget: [new.budget.tokens.map(signed_number), new.budget.cost_microusd.map(signed_number)],
            created_at: now,
        };
        let outcome = self.call(move |file| file.insert_job(&row, limit)).await?;
        Ok(match (outcome, limit) {
            (JobInsertResult::Inserted(row), _) => JobInsertResult::Inserted(Box::new(job_from_row(*row)?)),
            (JobInsertResult::Refused(count), Some(limit)) => {
                JobInsertResult::Refused(remaining_runs(count, limit, now))
            }
            (JobInsertResult::Refused(_), None) => return Err(StoreError::new("a refusal without a limit")),
            (JobInsertResult::IdTaken, _) => JobInsertResult::IdTaken,
        })
    }

    /// Returns the runs left to a key within a limit.
    pub async fn runs_left(
        &self,
        key_id: Option<i64>,
        kind: &str,
        limit: RunLimit,
        now: i64,
    ) -> Result<RunsLeft, StoreError> {
        let kind = kind.to_owned();
        let count = self.call(move |file| file.job_runs(key_id, &kind, limit, now)).await?;
        Ok(remaining_runs(count, limit, now))
    }

    /// Returns a job with its report.
    pub async fn report(&self, address: &Address) -> Result<Option<JobWithReport>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let job_and_report = self.call(move |file| file.job_report(&owner, &kind, &id)).await?;
        let with_report = |(row, report): (JobRow, Option<String>)| {
            Ok(JobWithReport {
                job: job_from_row(row)?,
                report: report.map(|text| parse_json(&text)).transpose()?,
            })
        };
        job_and_report.map(with_report).transpose()
    }

    /// Returns a job without its report, which may be long.
    pub async fn job(&self, address: &Address) -> Result<Option<Job>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        self.call(move |file| file.job(&owner, &kind, &id)).await?.map(job_from_row).transpose()
    }

    /// Returns the newest jobs of an owner.
    pub async fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, StoreError> {
        let (owner, kind) = (owner.to_owned(), kind.to_owned());
        self.call(move |file| file.jobs(&owner, &kind, most)).await?.into_iter().map(job_from_row).collect()
    }

    /// Returns the recorded steps of a job, in order.
    pub async fn steps(&self, address: &Address) -> Result<Option<Vec<RecordedStep>>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let rows = self.call(move |file| file.job_steps(&owner, &kind, &id)).await?;
        rows.map(|rows| rows.into_iter().map(step_from_row).collect()).transpose()
    }

    /// Cancels a job, unless it has ended.
    pub async fn cancel(&self, address: &Address, now: i64) -> Result<Option<CancelledRow<Job>>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let cancelled = self.call(move |file| file.cancel_job(&owner, &kind, &id, now)).await?;
        cancelled
            .map(|cancel| Ok(CancelledRow { row: job_from_row(cancel.row)?, ended_now: cancel.ended_now }))
            .transpose()
    }

    /// Gives a worker the next free job of the queue.
    pub async fn take_job(&self, claim: JobClaim) -> Result<JobClaimResult<Job>, StoreError> {
        Ok(match self.call(move |file| file.take_job(&claim)).await? {
            JobClaimResult::Job(row) => JobClaimResult::Job(Box::new(job_from_row(*row)?)),
            JobClaimResult::None { next_at } => JobClaimResult::None { next_at },
        })
    }

    /// Extends the lease of a job.
    pub async fn renew(&self, hold: &Hold, until: i64) -> Result<HoldState, StoreError> {
        let Hold { number, worker } = hold.clone();
        self.call(move |file| file.renew_job(number, &worker, until)).await
    }

    /// Returns the worker's hold on the job and the output of a recorded step.
    pub async fn recorded_output(
        &self,
        hold: &Hold,
        step: &str,
    ) -> Result<(HoldState, Option<Json>), StoreError> {
        let (Hold { number, worker }, step) = (hold.clone(), step.to_owned());
        let (state, output) = self.call(move |file| file.recorded_step(number, &worker, &step)).await?;
        Ok((state, output.map(|text| parse_json(&text)).transpose()?))
    }

    /// Records a step and adds its spending, if the worker holds the job.
    pub async fn record(
        &self,
        hold: &Hold,
        step: StepRow<ProviderUsage>,
    ) -> Result<StepRecordResult<ProviderUsage>, StoreError> {
        let Hold { number, worker } = hold.clone();
        let ProviderUsage { input_tokens, output_tokens, cost_microusd } = step.spent;
        let spent = [input_tokens, output_tokens, cost_microusd].map(signed_number);
        let row = StepRow { step: step.step, output: step.output, spent, at: step.at };
        Ok(match self.call(move |file| file.record_step(number, &worker, &row)).await? {
            StepRecordResult::Recorded(total) => StepRecordResult::Recorded(spending(total)),
            StepRecordResult::Twice => StepRecordResult::Twice,
            StepRecordResult::NotHeld => StepRecordResult::NotHeld,
        })
    }

    /// Writes a job's progress, if the worker holds it.
    pub async fn progress(&self, hold: &Hold, progress: &JobProgress) -> Result<(), StoreError> {
        let (Hold { number, worker }, JobProgress { step, agents_done, agents }) =
            (hold.clone(), progress.clone());
        self.call(move |file| file.write_progress(number, &worker, &step, (agents_done, agents))).await
    }

    /// Ends a worker's hold on a job and returns the state of that hold. For a cancelled job this acknowledges the cancel; for a lost job
    /// it changes nothing.
    pub async fn end(&self, hold: &Hold, ending: JobEnding, now: i64) -> Result<HoldState, StoreError> {
        let Hold { number, worker } = hold.clone();
        self.call(move |file| file.end_job(number, &worker, &ending, now)).await
    }

    /// Deletes at most `most` jobs that ended before a time; returns their number.
    pub async fn expire(&self, before: i64, most: u32) -> Result<usize, StoreError> {
        self.call(move |file| file.expire_jobs(before, most)).await
    }

    /// Returns the number of running jobs that no worker holds.
    pub async fn count_queued(&self, now: i64) -> Result<u64, StoreError> {
        self.call(move |file| file.queued_jobs(now)).await.map(unsigned_number)
    }

    /// Returns true if a job of a kind runs or is queued.
    pub async fn has_running(&self, kind: &str) -> Result<bool, StoreError> {
        let kind = kind.to_owned();
        self.call(move |file| file.has_running_job(&kind)).await
    }

    /// Returns a number that changes when another server has changed anything.
    pub async fn version(&self) -> Result<i64, StoreError> {
        self.call(|file| file.version_of_others()).await
    }
}

fn job_from_row(row: JobRow) -> Result<Job, StoreError> {
    let [tokens, cost_microusd] = row.budget;
    Ok(Job {
        number: row.number,
        id: row.id,
        kind: row.kind,
        owner: row.owner,
        key_id: row.key_id,
        spec: parse_json(&row.spec)?,
        budget: Budget {
            tokens: tokens.map(unsigned_number),
            cost_microusd: cost_microusd.map(unsigned_number),
        },
        status: row.status.parse().map_err(StoreError::new)?,
        created_at: row.created_at,
        started_at: row.started_at,
        finished_at: row.finished_at,
        attempts: count(row.attempts),
        progress: JobProgress {
            step: row.step,
            agents_done: count(row.agents_done),
            agents: count(row.agents),
        },
        spent: spending(row.spent),
        error: row.error,
        worker: row.worker,
        lease_until: row.lease_until,
        cancel_ack: row.cancel_ack,
    })
}

fn step_from_row(row: StepRow) -> Result<RecordedStep, StoreError> {
    Ok(RecordedStep {
        step: row.step,
        output: parse_json(&row.output)?,
        spent: spending(row.spent),
        at: row.at,
    })
}

fn remaining_runs(count: RunCount, limit: RunLimit, now: i64) -> RunsLeft {
    let used = u32::try_from(count.used).unwrap_or(u32::MAX);
    // Limited to the window: after a clock was set back, the wait would be longer.
    let next_in_s = count.next_at.map(|at| at.saturating_sub(now).clamp(1, limit.window_s.max(1)));
    RunsLeft { runs: limit.runs.saturating_sub(used), next_in_s }
}

fn spending([input_tokens, output_tokens, cost_microusd]: [i64; 3]) -> ProviderUsage {
    ProviderUsage {
        input_tokens: unsigned_number(input_tokens),
        output_tokens: unsigned_number(output_tokens),
        cost_microusd: unsigned_number(cost_microusd),
    }
}

fn parse_json(text: &str) -> Result<Json, StoreError> {
    serde_json::from_str(text).map_err(StoreError::new)
}

fn signed_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned_number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

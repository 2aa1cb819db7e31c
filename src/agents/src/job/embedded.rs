//! The store of jobs in the state, shared by several servers. Its calls block on a disk or database, so they run one after the other on a
//! separate connection, outside the asynchronous threads.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::sync::Mutex;

use super::record::{Job, JobWithReport, RecordedStep};
use super::start::{Budget, RunsLeft};
use super::store::{Address, Hold, JobEntry, StoreError};
use super::work::{JobProgress, ProviderUsage};
use parquote_state::{
    CancelledRow, HoldState, JobClaim, JobEnding, JobInserted, JobRow, JobTaken, NewJobRow, RunCount,
    RunLimit, StateError, StateLocation, StepRecorded, StepRow, Store,
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
        Ok(Self::over(Store::open(location)?))
    }

    /// Takes over a connection that is not used elsewhere.
    pub fn over(file: Store) -> Self {
        Self { file: Arc::new(Mutex::new(file)) }
    }

    pub(super) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut Store) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // No thread is blocked while waiting for the lock. A call that has started completes even if its caller has left.
        let mut file = Arc::clone(&self.file).lock_owned().await;
        let called = tokio::task::spawn_blocking(move || file.take_up().and_then(|_| call(&mut file))).await;
        called.map_err(StoreError::new)?.map_err(StoreError::new)
    }

    /// Stores a job if its key's limit has room. The limit is exact across concurrent servers.
    pub async fn insert(
        &self,
        entry: JobEntry,
        limit: Option<RunLimit>,
    ) -> Result<JobInserted<Job, RunsLeft>, StoreError> {
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
        let inserted = self.call(move |file| file.insert_job(&row, limit)).await?;
        Ok(match (inserted, limit) {
            (JobInserted::Inserted(row), _) => JobInserted::Inserted(Box::new(job(*row)?)),
            (JobInserted::Refused(count), Some(limit)) => {
                JobInserted::Refused(remaining_runs(count, limit, now))
            }
            (JobInserted::Refused(_), None) => return Err(StoreError::new("a refusal without a limit")),
            (JobInserted::IdTaken, _) => JobInserted::IdTaken,
        })
    }

    /// Returns the rest of a key's run limit.
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
        let found = self.call(move |file| file.job_report(&owner, &kind, &id)).await?;
        let with_report = |(row, report): (JobRow, Option<String>)| {
            Ok(JobWithReport { job: job(row)?, report: report.map(|text| json(&text)).transpose()? })
        };
        found.map(with_report).transpose()
    }

    /// Returns a job without its report, which may be long.
    pub async fn job(&self, address: &Address) -> Result<Option<Job>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        self.call(move |file| file.job(&owner, &kind, &id)).await?.map(job).transpose()
    }

    /// Returns the newest jobs of an owner.
    pub async fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, StoreError> {
        let (owner, kind) = (owner.to_owned(), kind.to_owned());
        self.call(move |file| file.jobs(&owner, &kind, most)).await?.into_iter().map(job).collect()
    }

    /// Returns the recorded steps of a job, in order.
    pub async fn steps(&self, address: &Address) -> Result<Option<Vec<RecordedStep>>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let rows = self.call(move |file| file.job_steps(&owner, &kind, &id)).await?;
        rows.map(|rows| rows.into_iter().map(step).collect()).transpose()
    }

    /// Cancels a job, unless it has ended.
    pub async fn cancel(&self, address: &Address, now: i64) -> Result<Option<CancelledRow<Job>>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let found = self.call(move |file| file.cancel_job(&owner, &kind, &id, now)).await?;
        found.map(|found| Ok(CancelledRow { row: job(found.row)?, ended_now: found.ended_now })).transpose()
    }

    /// Gives a worker the next free job of the queue.
    pub async fn take(&self, claim: JobClaim) -> Result<JobTaken<Job>, StoreError> {
        Ok(match self.call(move |file| file.take_job(&claim)).await? {
            JobTaken::Job(row) => JobTaken::Job(Box::new(job(*row)?)),
            JobTaken::None { next_at } => JobTaken::None { next_at },
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
        Ok((state, output.map(|text| json(&text)).transpose()?))
    }

    /// Records a step and adds its spending, if the worker holds the job.
    pub async fn record(
        &self,
        hold: &Hold,
        step: StepRow<ProviderUsage>,
    ) -> Result<StepRecorded<ProviderUsage>, StoreError> {
        let Hold { number, worker } = hold.clone();
        let ProviderUsage { input_tokens, output_tokens, cost_microusd } = step.spent;
        let spent = [input_tokens, output_tokens, cost_microusd].map(signed_number);
        let row = StepRow { step: step.step, output: step.output, spent, at: step.at };
        Ok(match self.call(move |file| file.record_step(number, &worker, &row)).await? {
            StepRecorded::Recorded(total) => StepRecorded::Recorded(spending(total)),
            StepRecorded::Twice => StepRecorded::Twice,
            StepRecorded::NotHeld => StepRecorded::NotHeld,
        })
    }

    /// Writes a job's progress, if the worker holds it.
    pub async fn progress(&self, hold: &Hold, progress: &JobProgress) -> Result<(), StoreError> {
        let (Hold { number, worker }, JobProgress { step, agents_done, agents }) =
            (hold.clone(), progress.clone());
        self.call(move |file| file.show_job(number, &worker, &step, (agents_done, agents))).await
    }

    /// Ends a hold on a job whose work has ended, and returns its state until then. For a cancelled job this acknowledges the cancel; for a
    /// lost job it changes nothing.
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

    /// Returns a number that changes when another server has changed anything.
    pub async fn version(&self) -> Result<i64, StoreError> {
        self.call(|file| file.version_of_others()).await
    }
}

fn job(row: JobRow) -> Result<Job, StoreError> {
    let [tokens, cost_microusd] = row.budget;
    Ok(Job {
        number: row.number,
        id: row.id,
        kind: row.kind,
        owner: row.owner,
        key_id: row.key_id,
        spec: json(&row.spec)?,
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

fn step(row: StepRow) -> Result<RecordedStep, StoreError> {
    Ok(RecordedStep { step: row.step, output: json(&row.output)?, spent: spending(row.spent), at: row.at })
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

fn json(text: &str) -> Result<Json, StoreError> {
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

//! A job store in the state. Its calls block on a disk or database, so they run one after the other on a separate connection, outside the
//! asynchronous threads.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;
use tokio::sync::Mutex;

use super::record::{Job, JobWithReport, RecordedStep};
use super::start::{Budget, RunLimit, RunsLeft};
use super::store::{
    Address, Cancelling, ClaimResult, Hold, InsertOutcome, JobEntry, JobStore, NewStep, RecordResult,
    StoreError,
};
use super::work::{JobProgress, ProviderUsage};
use parquote_state::{
    HoldState, JobClaim, JobEnding, JobInserted, JobRow, JobTaken, NewJobRow, RunCount, RunWindow,
    StateError, StateLocation, StepInsert, StepRecorded, StepRow, Store,
};

/// A job store in the state.
#[derive(Debug, Clone)]
pub struct StateJobStore {
    file: Arc<Mutex<Store>>,
}

impl StateJobStore {
    /// Opens a separate connection.
    ///
    /// # Errors
    /// Those of opening a state.
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
        // The wait for the lock needs no thread. Once started, a call completes even if its caller is gone.
        let mut file = Arc::clone(&self.file).lock_owned().await;
        let called = tokio::task::spawn_blocking(move || file.take_up().and_then(|_| call(&mut file))).await;
        called.map_err(StoreError::new)?.map_err(StoreError::new)
    }
}

#[async_trait]
impl JobStore for StateJobStore {
    async fn insert(&self, entry: JobEntry, limit: Option<RunLimit>) -> Result<InsertOutcome, StoreError> {
        let JobEntry { new, id, now } = entry;
        let row = NewJobRow {
            id,
            kind: new.kind,
            owner: new.owner,
            key_id: new.key_id,
            spec: new.spec.to_string(),
            budget: [new.budget.tokens.map(signed), new.budget.cost_microusd.map(signed)],
            created_at: now,
        };
        let inserted = self.call(move |file| file.insert_job(&row, limit.map(window))).await?;
        Ok(match (inserted, limit) {
            (JobInserted::Inserted(row), _) => InsertOutcome::Job(Box::new(job(*row)?)),
            (JobInserted::Refused(count), Some(limit)) => InsertOutcome::Refused(left(count, limit, now)),
            (JobInserted::Refused(_), None) => return Err(StoreError::new("a refusal without a limit")),
            (JobInserted::IdTaken, _) => InsertOutcome::IdTaken,
        })
    }

    async fn left(
        &self,
        key_id: Option<i64>,
        kind: &str,
        limit: RunLimit,
        now: i64,
    ) -> Result<RunsLeft, StoreError> {
        let kind = kind.to_owned();
        let count = self.call(move |file| file.job_runs(key_id, &kind, window(limit), now)).await?;
        Ok(left(count, limit, now))
    }

    async fn report(&self, address: &Address) -> Result<Option<JobWithReport>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let found = self.call(move |file| file.job_report(&owner, &kind, &id)).await?;
        let reported = |(row, report): (JobRow, Option<String>)| {
            Ok(JobWithReport { job: job(row)?, report: report.map(|text| json(&text)).transpose()? })
        };
        found.map(reported).transpose()
    }

    async fn job(&self, address: &Address) -> Result<Option<Job>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        self.call(move |file| file.job(&owner, &kind, &id)).await?.map(job).transpose()
    }

    async fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, StoreError> {
        let (owner, kind) = (owner.to_owned(), kind.to_owned());
        self.call(move |file| file.jobs(&owner, &kind, most)).await?.into_iter().map(job).collect()
    }

    async fn steps(&self, address: &Address) -> Result<Option<Vec<RecordedStep>>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let rows = self.call(move |file| file.job_steps(&owner, &kind, &id)).await?;
        rows.map(|rows| rows.into_iter().map(step).collect()).transpose()
    }

    async fn cancel(&self, address: &Address, now: i64) -> Result<Option<Cancelling>, StoreError> {
        let Address { owner, kind, id } = address.clone();
        let found = self.call(move |file| file.cancel_job(&owner, &kind, &id, now)).await?;
        found.map(|found| Ok(Cancelling { job: job(found.row)?, ended_now: found.ended_now })).transpose()
    }

    async fn take(&self, claim: JobClaim) -> Result<ClaimResult, StoreError> {
        Ok(match self.call(move |file| file.take_job(&claim)).await? {
            JobTaken::Job(row) => ClaimResult::Job(Box::new(job(*row)?)),
            JobTaken::None { next_at } => ClaimResult::None { next_at },
        })
    }

    async fn renew(&self, hold: &Hold, until: i64) -> Result<HoldState, StoreError> {
        let Hold { number, worker } = hold.clone();
        self.call(move |file| file.renew_job(number, &worker, until)).await
    }

    async fn recorded(&self, hold: &Hold, step: &str) -> Result<(HoldState, Option<Json>), StoreError> {
        let (Hold { number, worker }, step) = (hold.clone(), step.to_owned());
        let (stands, output) = self.call(move |file| file.recorded_step(number, &worker, &step)).await?;
        Ok((stands, output.map(|text| json(&text)).transpose()?))
    }

    async fn record(&self, hold: &Hold, step: NewStep) -> Result<RecordResult, StoreError> {
        let Hold { number, worker } = hold.clone();
        let ProviderUsage { input_tokens, output_tokens, cost_microusd } = step.spent;
        let spent = [input_tokens, output_tokens, cost_microusd].map(signed);
        let row = StepInsert { step: step.step, output: step.output, spent, at: step.now };
        Ok(match self.call(move |file| file.record_step(number, &worker, &row)).await? {
            StepRecorded::Recorded(total) => RecordResult::Kept(spending(total)),
            StepRecorded::Twice => RecordResult::Twice,
            StepRecorded::NotHeld => RecordResult::NotHeld,
        })
    }

    async fn progress(&self, hold: &Hold, progress: &JobProgress) -> Result<(), StoreError> {
        let (Hold { number, worker }, JobProgress { step, agents_done, agents }) =
            (hold.clone(), progress.clone());
        self.call(move |file| file.show_job(number, &worker, &step, (agents_done, agents))).await
    }

    async fn end(&self, hold: &Hold, ending: JobEnding, now: i64) -> Result<HoldState, StoreError> {
        let Hold { number, worker } = hold.clone();
        self.call(move |file| file.end_job(number, &worker, &ending, now)).await
    }

    async fn expire(&self, before: i64, most: u32) -> Result<usize, StoreError> {
        self.call(move |file| file.expire_jobs(before, most)).await
    }

    async fn queued(&self, now: i64) -> Result<u64, StoreError> {
        self.call(move |file| file.queued_jobs(now)).await.map(unsigned)
    }

    async fn version(&self) -> Result<i64, StoreError> {
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
        budget: Budget { tokens: tokens.map(unsigned), cost_microusd: cost_microusd.map(unsigned) },
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

fn left(count: RunCount, limit: RunLimit, now: i64) -> RunsLeft {
    let used = u32::try_from(count.used).unwrap_or(u32::MAX);
    // Limited to the window: after a clock was set back, the wait would be longer.
    let next_in_s = count.next_at.map(|at| at.saturating_sub(now).clamp(1, limit.window_s.max(1)));
    RunsLeft { runs: limit.runs.saturating_sub(used), next_in_s }
}

fn window(limit: RunLimit) -> RunWindow {
    RunWindow { runs: limit.runs, window_s: limit.window_s }
}

fn spending([input_tokens, output_tokens, cost_microusd]: [i64; 3]) -> ProviderUsage {
    ProviderUsage {
        input_tokens: unsigned(input_tokens),
        output_tokens: unsigned(output_tokens),
        cost_microusd: unsigned(cost_microusd),
    }
}

fn json(text: &str) -> Result<Json, StoreError> {
    serde_json::from_str(text).map_err(StoreError::new)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

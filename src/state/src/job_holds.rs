//! Jobs as workers use them: taken under a lease, recorded step by step, ended. Every write of a worker compares its run id with that of
//! the job in the same transaction: a worker that lost its lease changes nothing.

use super::database::{self, Connection, Optional as _, Transaction, params};
use super::error::StateError;
use super::jobs::{COLUMNS, JobRow, StepRow, job_by_number, job_row, read_spending, refund_run};
use super::store::Store;

/// A worker's request for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobClaim {
    /// Run id under which it will hold the job.
    pub worker: String,
    /// Kinds of work it can do.
    pub kinds: Vec<String>,
    /// Names of the owners whose jobs it does not take at present.
    pub excluded_owners: Vec<String>,
    /// Now, in Unix seconds.
    pub now: i64,
    /// End of its lease, in Unix seconds.
    pub lease_until: i64,
    /// Number of attempts since the last recorded step after which a job fails instead of being taken again.
    pub most_attempts: u32,
    /// Error message of a job with that many attempts.
    pub attempts_error: String,
}

/// The result of a request for a job; `J` is the type of the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobClaimResult<J = JobRow> {
    /// A job, which the worker holds now.
    Job(Box<J>),
    /// No job is free.
    None {
        /// Earliest time at which a job becomes free if no lease is renewed, in Unix seconds; `None` if no job is held or delayed.
        next_at: Option<i64>,
    },
}

/// A worker's hold on a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldState {
    /// The worker holds the job.
    Held,
    /// The worker holds the job, but the job was cancelled.
    Cancelled,
    /// The worker does not hold the job.
    Lost,
}

/// The result of recording a step; `S` is the type of the spending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRecordResult<S = [i64; 3]> {
    /// The step is recorded; the value is the total spending of the job.
    Recorded(S),
    /// A step of this name is recorded already.
    Twice,
    /// The worker does not hold the job.
    NotHeld,
}

/// The way in which a worker ends its hold on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnding {
    /// The job is done.
    Completed {
        /// The report, as JSON.
        report: String,
    },
    /// The job failed permanently.
    Failed {
        /// The error message.
        error: String,
    },
    /// The job goes back to the queue, and this attempt does not count.
    Released,
    /// The job goes back to the queue after a delay, or fails if it had too many attempts since its last recorded step.
    PutBack {
        /// Earliest time of the next attempt, in Unix seconds.
        not_before: i64,
        /// Maximum number of attempts without a step.
        most_attempts: u32,
        /// Error message of the job if it had too many attempts.
        error: String,
    },
}

impl Store {
    /// Gives a worker the next free job of the queue.
    ///
    /// # Errors
    /// Database errors; nothing is held then.
    pub fn take_job(&mut self, claim: &JobClaim) -> Result<JobClaimResult, StateError> {
        let (kinds, owners) = (json_array(&claim.kinds), json_array(&claim.excluded_owners));
        // Most polls find no job; they do not take the write lock.
        let job = next_job(&self.connection, claim.now, &kinds, &owners).map_err(self.error_mapper())?;
        if job.is_none() {
            return self.no_free_job(claim.now, &kinds);
        }
        let job = self.write(|transaction| {
            while let Some(job) = next_job(transaction, claim.now, &kinds, &owners)? {
                if attempts_without_step(transaction, job.number)? < claim.most_attempts.into() {
                    return take_job(transaction, job.number, claim).map(Some);
                }
                fail(transaction, job.number, &claim.attempts_error, claim.now)?;
            }
            Ok(None)
        })?;
        job.map_or_else(|| self.no_free_job(claim.now, &kinds), |job| Ok(JobClaimResult::Job(Box::new(job))))
    }

    /// Returns the number of running jobs that no worker holds.
    pub fn queued_jobs(&self, now: i64) -> Result<i64, StateError> {
        const SQL: &str =
            "SELECT count(*) FROM jobs WHERE status = 'running' AND coalesce(lease_until, 0) <= ?1";
        let count = self.connection.query_row(SQL, [now], |row| row.get(0));
        count.map_err(self.error_mapper())
    }

    /// Returns true if a job of a kind runs or is queued.
    pub fn has_running_job(&self, kind: &str) -> Result<bool, StateError> {
        const SQL: &str = "SELECT count(*) FROM jobs WHERE status = 'running' AND kind = ?1";
        let count: Result<i64, _> = self.connection.query_row(SQL, params![kind], |row| row.get(0));
        Ok(count.map_err(self.error_mapper())? > 0)
    }

    /// Extends the lease of a job.
    pub fn renew_job(&mut self, number: i64, worker: &str, until: i64) -> Result<HoldState, StateError> {
        self.write(|transaction| {
            let state = hold_state(transaction, number, worker)?;
            if state == HoldState::Held {
                transaction
                    .execute("UPDATE jobs SET lease_until = ?2 WHERE number = ?1", params![number, until])?;
            }
            Ok(state)
        })
    }

    /// Returns the output of a recorded step to the worker that holds the job; the output is `None` if the step is not recorded.
    pub fn recorded_step(
        &mut self,
        number: i64,
        worker: &str,
        step: &str,
    ) -> Result<(HoldState, Option<String>), StateError> {
        const SQL: &str = "SELECT output FROM job_steps WHERE job = ?1 AND step = ?2";
        // Both reads see one snapshot and block no writer.
        let hold_and_output = self.connection.snapshot(|snapshot| {
            let state = hold_state(snapshot, number, worker)?;
            Ok((state, snapshot.query_row(SQL, params![number, step], |row| row.get(0)).optional()?))
        });
        hold_and_output.map_err(self.error_mapper())
    }

    /// Records a step and adds its spending to the job.
    ///
    /// # Errors
    /// Database errors; nothing is recorded then.
    pub fn record_step(
        &mut self,
        number: i64,
        worker: &str,
        new: &StepRow,
    ) -> Result<StepRecordResult, StateError> {
        const INSERT: &str = "
INSERT INTO job_steps (job, step, output, input_tokens, output_tokens, cost_microusd, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (job, step) DO NOTHING";
        // SQLite would turn an overflowing sum into a float, which the column refuses: sums saturate.
        const ADD: &str = "
UPDATE jobs SET barren = 0,
    input_tokens  = CASE WHEN input_tokens  > 9223372036854775807 - ?2 THEN 9223372036854775807 ELSE input_tokens  + ?2 END,
    output_tokens = CASE WHEN output_tokens > 9223372036854775807 - ?3 THEN 9223372036854775807 ELSE output_tokens + ?3 END,
    cost_microusd = CASE WHEN cost_microusd > 9223372036854775807 - ?4 THEN 9223372036854775807 ELSE cost_microusd + ?4 END
WHERE number = ?1
RETURNING input_tokens, output_tokens, cost_microusd";
        self.write(|transaction| {
            if hold_state(transaction, number, worker)? != HoldState::Held {
                return Ok(StepRecordResult::NotHeld);
            }
            let [input, output, cost] = new.spent;
            let values = params![number, new.step, new.output, input, output, cost, new.at];
            if transaction.execute(INSERT, values)? == 0 {
                return Ok(StepRecordResult::Twice);
            }
            transaction
                .query_row(ADD, params![number, input, output, cost], read_spending)
                .map(StepRecordResult::Recorded)
        })
    }

    /// Writes the progress of a job, if the worker holds it. `agents` are the number of agents that are done and the number of all.
    pub fn write_progress(
        &mut self,
        number: i64,
        worker: &str,
        step: &str,
        agents: (u32, u32),
    ) -> Result<(), StateError> {
        const SQL: &str = "UPDATE jobs SET step = ?3, agents_done = ?4, agents = ?5
                           WHERE number = ?1 AND worker = ?2 AND status = 'running'";
        self.write(|transaction| {
            transaction.execute(SQL, params![number, worker, step, agents.0, agents.1]).map(drop)
        })
    }

    /// Ends a worker's hold on a job and returns the state of that hold: `Cancelled` is acknowledged, `Lost` changes nothing.
    ///
    /// # Errors
    /// Database errors; the job stays held then.
    pub fn end_job(
        &mut self,
        number: i64,
        worker: &str,
        ending: &JobEnding,
        now: i64,
    ) -> Result<HoldState, StateError> {
        self.write(|transaction| {
            let state = hold_state(transaction, number, worker)?;
            match state {
                HoldState::Lost => {}
                HoldState::Cancelled => {
                    transaction.execute("UPDATE jobs SET cancel_ack = 1 WHERE number = ?1", [number])?;
                }
                HoldState::Held => apply_ending(transaction, number, ending, now)?,
            }
            Ok(state)
        })
    }

    /// Returns the answer for a queue without a free job, with the earliest time at which a job becomes free if no lease is renewed.
    fn no_free_job(&self, now: i64, kinds: &str) -> Result<JobClaimResult, StateError> {
        const SQL: &str = "SELECT min(max(coalesce(lease_until, 0), not_before)) FROM jobs
                           WHERE status = 'running' AND kind || '' IN (SELECT value FROM json_each(?2))
                             AND max(coalesce(lease_until, 0), not_before) > ?1";
        let next = self.connection.query_row(SQL, params![now, kinds], |row| row.get(0));
        Ok(JobClaimResult::None { next_at: next.map_err(self.error_mapper())? })
    }
}

fn next_job(
    connection: &Connection,
    now: i64,
    kinds: &str,
    excluded_owners: &str,
) -> database::Result<Option<JobRow>> {
    // The empty texts keep the planner on the short index of running jobs and off the one of all jobs by kind. Owners without a running job
    // go first: their turns may be as new as those of owners that always have one.
    let sql = format!(
        "SELECT {COLUMNS} FROM jobs
         WHERE status = 'running' AND coalesce(lease_until, 0) <= ?1 AND not_before <= ?1
           AND kind || '' IN (SELECT value FROM json_each(?2)) AND owner NOT IN (SELECT value FROM json_each(?3))
         ORDER BY owner IN (SELECT owner FROM jobs WHERE status = 'running' AND lease_until > ?1), turn, number LIMIT 1"
    );
    connection.query_row(&sql, params![now, kinds, excluded_owners], job_row).optional()
}

fn take_job(transaction: &Transaction<'_>, number: i64, claim: &JobClaim) -> database::Result<JobRow> {
    const SQL: &str = "
UPDATE jobs SET worker = ?2, lease_until = ?3, attempts = attempts + 1, barren = barren + 1,
                started_at = coalesce(started_at, ?4), step = 'starting'
WHERE number = ?1";
    transaction.execute(SQL, params![number, claim.worker, claim.lease_until, claim.now])?;
    job_by_number(transaction, number)
}

fn attempts_without_step(transaction: &Transaction<'_>, number: i64) -> database::Result<i64> {
    transaction.query_row("SELECT barren FROM jobs WHERE number = ?1", [number], |row| row.get(0))
}

fn hold_state(connection: &Connection, number: i64, worker: &str) -> database::Result<HoldState> {
    const SQL: &str = "SELECT status FROM jobs WHERE number = ?1 AND worker = ?2";
    let status: Option<String> =
        connection.query_row(SQL, params![number, worker], |row| row.get(0)).optional()?;
    Ok(match status.as_deref() {
        Some("running") => HoldState::Held,
        Some("cancelled") => HoldState::Cancelled,
        _ => HoldState::Lost,
    })
}

fn apply_ending(
    transaction: &Transaction<'_>,
    number: i64,
    ending: &JobEnding,
    now: i64,
) -> database::Result<()> {
    const COMPLETE: &str =
        "UPDATE jobs SET status = 'completed', finished_at = ?2, report = ?3, lease_until = NULL
                            WHERE number = ?1";
    const RELEASE: &str = "UPDATE jobs SET worker = NULL, lease_until = NULL, step = 'queued',
                               attempts = attempts - 1, barren = max(0, barren - 1)
                           WHERE number = ?1";
    const REQUEUE: &str =
        "UPDATE jobs SET worker = NULL, lease_until = NULL, step = 'queued', not_before = ?2
                            WHERE number = ?1";
    match ending {
        JobEnding::Completed { report } => {
            transaction.execute(COMPLETE, params![number, now, report]).map(drop)
        }
        JobEnding::Failed { error } => fail(transaction, number, error, now),
        JobEnding::Released => transaction.execute(RELEASE, [number]).map(drop),
        JobEnding::PutBack { most_attempts, error, .. }
            if attempts_without_step(transaction, number)? >= i64::from(*most_attempts) =>
        {
            fail(transaction, number, error, now)
        }
        JobEnding::PutBack { not_before, .. } => {
            transaction.execute(REQUEUE, params![number, not_before]).map(drop)
        }
    }
}

fn fail(transaction: &Transaction<'_>, number: i64, error: &str, now: i64) -> database::Result<()> {
    const SQL: &str = "UPDATE jobs SET status = 'failed', finished_at = ?2, error = ?3, lease_until = NULL
                       WHERE number = ?1";
    transaction.execute(SQL, params![number, now, error])?;
    refund_run(transaction, number)
}

/// Encodes texts as the JSON array that `json_each` reads.
fn json_array(list: &[String]) -> String {
    serde_json::Value::from(list).to_string()
}

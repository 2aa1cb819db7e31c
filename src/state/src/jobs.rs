//! Jobs as their owners use them: started within a limit, read, cancelled, deleted after a time. `job_holds` has the part of the workers.
//! Every method but the deletion requires the name of the owner.

use super::database::{self, Connection, Optional as _, Row, Transaction, params, read_row};
use super::error::StateError;
use super::store::Store;

/// A stored job, without its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Number of the job, unique in this state.
    pub number: i64,
    /// Id of the job for its owner, unique for its kind.
    pub id: String,
    /// Kind of work.
    pub kind: String,
    /// Name of the owner.
    pub owner: String,
    /// Number of the key that started the job; `None` if no key did.
    pub key_id: Option<i64>,
    /// Specification of the work, as JSON.
    pub spec: String,
    /// `running`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// Time when the owner started the job, in Unix seconds.
    pub created_at: i64,
    /// Time when a worker first took the job, in Unix seconds; `None` before.
    pub started_at: Option<i64>,
    /// Time when the job ended, in Unix seconds; `None` before.
    pub finished_at: Option<i64>,
    /// Number of times a worker took the job.
    pub attempts: i64,
    /// Name of the current step.
    pub step: String,
    /// Number of agents that are done.
    pub agents_done: i64,
    /// Number of agents.
    pub agents: i64,
    /// Tokens sent, tokens received, millionths of a dollar.
    pub spent: [i64; 3],
    /// Maximum tokens, and maximum cost in millionths of a dollar; `None` without a limit.
    pub budget: [Option<i64>; 2],
    /// Run id of the worker that holds the job, or held it when it ended; `None` in the queue.
    pub worker: Option<String>,
    /// End of that worker's lease, in Unix seconds; `None` without a lease.
    pub lease_until: Option<i64>,
    /// True if the worker of a cancelled job has released it.
    pub cancel_ack: bool,
    /// The error message; `None` unless the job failed.
    pub error: Option<String>,
}

/// A job to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJobRow {
    /// Id of the job for its owner, unique for its kind.
    pub id: String,
    /// Kind of work.
    pub kind: String,
    /// Name of the owner.
    pub owner: String,
    /// Number of the key that starts it; `None` if no key does.
    pub key_id: Option<i64>,
    /// Specification of the work, as JSON.
    pub spec: String,
    /// Maximum tokens, and maximum cost in millionths of a dollar; `None` without a limit.
    pub budget: [Option<i64>; 2],
    /// Now, in Unix seconds.
    pub created_at: i64,
}

/// A limit of jobs of a kind in a sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimit {
    /// Maximum number of jobs.
    pub runs: u32,
    /// Length of the window, in seconds.
    pub window_s: i64,
}

/// Use of the window of a [`RunLimit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunCount {
    /// Number of jobs in the window.
    pub used: i64,
    /// Earliest time of the next job if the window is full, in Unix seconds; `None` if it is not full, or for a limit of 0.
    pub next_at: Option<i64>,
}

/// The result of storing a job; `J` is the type of the job, `C` the type of the run count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobInsertResult<J = JobRow, C = RunCount> {
    /// The job is stored.
    Inserted(Box<J>),
    /// The window is full.
    Refused(C),
    /// Another job has this id.
    IdTaken,
}

/// Result of a cancel; `J` is the type of the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledRow<J = JobRow> {
    /// The job.
    pub row: J,
    /// True if this cancel ended it.
    pub ended_now: bool,
}

/// A step, recorded or to be recorded; `S` is the type of its spending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow<S = [i64; 3]> {
    /// Name of the step.
    pub step: String,
    /// Output of the step, as JSON.
    pub output: String,
    /// Tokens sent, tokens received, millionths of a dollar.
    pub spent: S,
    /// Time when the step was recorded, in Unix seconds.
    pub at: i64,
}

/// All columns except the report.
pub(super) const COLUMNS: &str = "number, id, kind, owner, key_id, spec, status, created_at, started_at, \
    finished_at, attempts, step, agents_done, agents, input_tokens, output_tokens, cost_microusd, most_tokens, \
    most_microusd, worker, lease_until, cancel_ack, error";

/// Stores a job. Its turn is one after the last turn of its owner, but not before the newest turn that has begun. So the tenth job of one
/// owner waits behind the first of another, and idle owners do not save up turns.
const INSERT: &str = "
INSERT INTO jobs (kind, id, owner, key_id, spec, created_at, most_tokens, most_microusd, turn)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, max(
    coalesce((SELECT max(turn) + 1 FROM jobs WHERE owner || '' = ?3 AND status = 'running'), 0),
    coalesce((SELECT max(turn)     FROM jobs WHERE attempts > 0), 0)))
ON CONFLICT (kind, id) DO NOTHING
RETURNING number";

impl Store {
    /// Stores a job if its key's window is not full. The limit is exact across concurrent servers.
    ///
    /// # Errors
    /// Database errors; nothing is stored then.
    pub fn insert_job(
        &mut self,
        new: &NewJobRow,
        window: Option<RunLimit>,
    ) -> Result<JobInsertResult, StateError> {
        self.write(|transaction| {
            if let Some(window) = window {
                let count = count_runs(transaction, new.key_id, &new.kind, window, new.created_at)?;
                if count.used >= i64::from(window.runs) {
                    return Ok(JobInsertResult::Refused(count));
                }
            }
            let [tokens, cost] = new.budget;
            let values =
                params![new.kind, new.id, new.owner, new.key_id, new.spec, new.created_at, tokens, cost];
            let number: Option<i64> = transaction.query_row(INSERT, values, |row| row.get(0)).optional()?;
            let Some(number) = number else { return Ok(JobInsertResult::IdTaken) };
            transaction.execute(
                "INSERT INTO job_runs VALUES (?1, ?2, ?3, ?4)",
                params![number, new.key_id, new.kind, new.created_at],
            )?;
            Ok(JobInsertResult::Inserted(Box::new(job_by_number(transaction, number)?)))
        })
    }

    /// Returns the use of a limit by the owner of a key.
    pub fn job_runs(
        &self,
        key_id: Option<i64>,
        kind: &str,
        window: RunLimit,
        now: i64,
    ) -> Result<RunCount, StateError> {
        count_runs(&self.connection, key_id, kind, window, now).map_err(self.error_mapper())
    }

    /// Returns a job of an owner; `None` if there is no such job.
    pub fn job(&self, owner: &str, kind: &str, id: &str) -> Result<Option<JobRow>, StateError> {
        job_by_id(&self.connection, owner, kind, id).map_err(self.error_mapper())
    }

    /// Returns the newest jobs of an owner, `most` at most.
    pub fn jobs(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<JobRow>, StateError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND kind = ?2 ORDER BY number DESC LIMIT ?3"
        );
        self.connection.rows(&sql, params![owner, kind, most], job_row).map_err(self.error_mapper())
    }

    /// Returns a job of an owner with its report as JSON, `None` before it is completed; `None` if there is no such job.
    pub fn job_report(
        &self,
        owner: &str,
        kind: &str,
        id: &str,
    ) -> Result<Option<(JobRow, Option<String>)>, StateError> {
        let sql = format!("SELECT {COLUMNS}, report FROM jobs WHERE owner = ?1 AND kind = ?2 AND id = ?3");
        self.connection
            .query_row(&sql, [owner, kind, id], |row| Ok((job_row(row)?, row.get("report")?)))
            .optional()
            .map_err(self.error_mapper())
    }

    /// Returns the recorded steps of a job of an owner, oldest first; `None` if there is no such job.
    pub fn job_steps(&self, owner: &str, kind: &str, id: &str) -> Result<Option<Vec<StepRow>>, StateError> {
        const SQL: &str = "SELECT step, output, input_tokens, output_tokens, cost_microusd, at FROM job_steps
                           WHERE job = ?1 ORDER BY number";
        let steps = || {
            let Some(job) = job_by_id(&self.connection, owner, kind, id)? else { return Ok(None) };
            self.connection.rows(SQL, [job.number], step_row).map(Some)
        };
        steps().map_err(self.error_mapper())
    }

    /// Cancels a job of an owner, unless it has ended; returns `None` if there is no such job.
    ///
    /// # Errors
    /// Database errors; the job continues then.
    pub fn cancel_job(
        &mut self,
        owner: &str,
        kind: &str,
        id: &str,
        now: i64,
    ) -> Result<Option<CancelledRow>, StateError> {
        self.write(|transaction| {
            let Some(row) = job_by_id(transaction, owner, kind, id)? else { return Ok(None) };
            if row.status != "running" {
                return Ok(Some(CancelledRow { row, ended_now: false }));
            }
            transaction.execute(
                "UPDATE jobs SET status = 'cancelled', finished_at = ?2 WHERE number = ?1",
                params![row.number, now],
            )?;
            Ok(Some(CancelledRow { row: job_by_number(transaction, row.number)?, ended_now: true }))
        })
    }

    /// Deletes at most `most` jobs that ended before a time, with their steps, and returns the number of deleted jobs.
    ///
    /// # Errors
    /// Database errors; nothing is deleted then.
    pub fn expire_jobs(&mut self, before: i64, most: u32) -> Result<usize, StateError> {
        const SQL: &str = "DELETE FROM jobs WHERE number IN
                           (SELECT number FROM jobs WHERE finished_at < ?1 ORDER BY finished_at LIMIT ?2)";
        self.write(|transaction| transaction.execute(SQL, params![before, most]))
    }
}

/// Copies a key's run counts to its successor, so that replacing a key does not reset its limit.
pub(super) fn copy_run_counts(transaction: &Transaction<'_>, old: i64, new: i64) -> database::Result<()> {
    const SQL: &str = "INSERT INTO job_runs SELECT job, ?2, kind, at FROM job_runs WHERE key_id = ?1";
    transaction.execute(SQL, params![old, new]).map(drop)
}

/// Refunds a run to its key if the job has no recorded step. Cancelled jobs are not refunded: otherwise an owner could start and cancel
/// jobs without limit.
pub(super) fn refund_run(transaction: &Transaction<'_>, number: i64) -> database::Result<()> {
    const SQL: &str =
        "DELETE FROM job_runs WHERE job = ?1 AND NOT EXISTS (SELECT 1 FROM job_steps WHERE job = ?1)";
    transaction.execute(SQL, [number]).map(drop)
}

pub(super) fn job_by_number(connection: &Connection, number: i64) -> database::Result<JobRow> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE number = ?1");
    connection.query_row(&sql, [number], job_row)
}

fn job_by_id(connection: &Connection, owner: &str, kind: &str, id: &str) -> database::Result<Option<JobRow>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE owner = ?1 AND kind = ?2 AND id = ?3");
    connection.query_row(&sql, [owner, kind, id], job_row).optional()
}

fn count_runs(
    connection: &Connection,
    key_id: Option<i64>,
    kind: &str,
    window: RunLimit,
    now: i64,
) -> database::Result<RunCount> {
    // Runs count for the owner, whichever key started them; `GROUP BY job` counts a run copied to a successor key once.
    const RUNS: &str = "SELECT max(at) AS at FROM job_runs WHERE kind = ?1 AND at > ?3 AND (key_id IS NOT DISTINCT FROM ?2 OR key_id IN (
                            SELECT other.id FROM keys AS own JOIN keys AS other ON other.owner = own.owner WHERE own.id = ?2
                        )) GROUP BY job";
    let count_sql = format!("SELECT count(*) FROM ({RUNS}) AS runs");
    // A full window gets room when the oldest of its newest `runs` jobs leaves it.
    let filling_sql = format!("{RUNS} ORDER BY at DESC LIMIT 1 OFFSET ?4");
    let since = now.saturating_sub(window.window_s);
    let used = connection.query_row(&count_sql, params![kind, key_id, since], |row| row.get(0))?;
    let filled_at = match window.runs.checked_sub(1) {
        None => None,
        Some(offset) => connection
            .query_row(&filling_sql, params![kind, key_id, since, offset], |row| row.get::<_, i64>(0))
            .optional()?,
    };
    Ok(RunCount { used, next_at: filled_at.map(|at| at.saturating_add(window.window_s)) })
}

pub(super) fn job_row(row: &Row<'_>) -> database::Result<JobRow> {
    read_row!(row => JobRow:
        number, id, kind, owner, key_id, spec, status, created_at, started_at, finished_at, attempts, step,
        agents_done, agents, worker, lease_until, cancel_ack, error;
        spent: read_spending(row)?, budget: [row.get("most_tokens")?, row.get("most_microusd")?]
    )
}

fn step_row(row: &Row<'_>) -> database::Result<StepRow> {
    Ok(StepRow {
        step: row.get("step")?,
        output: row.get("output")?,
        spent: read_spending(row)?,
        at: row.get("at")?,
    })
}

pub(super) fn read_spending(row: &Row<'_>) -> database::Result<[i64; 3]> {
    Ok([row.get("input_tokens")?, row.get("output_tokens")?, row.get("cost_microusd")?])
}

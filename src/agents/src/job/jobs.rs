//! Job operations for callers. Each takes the owner, and finds jobs of that owner only.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Notify;

use super::embedded::StateJobStore;
use super::error::JobError;
use super::record::{Job, JobWithReport, RecordedStep};
use super::settings::{Settings, UnixClock};
use super::shared::{JobContext, SpentTokens};
use super::start::{NewJob, RunsLeft};
use super::store::{Address, JobEntry, StoreError};
use super::work::JobHandler;
use super::workers::Workers;
use parquote_state::{JobInsertResult, RunLimit};

/// Maximum number of ids that are drawn for a job, as an id may be taken.
const MOST_ID_DRAWS: u32 = 3;

/// The jobs of one server; clones share them.
#[derive(Clone)]
pub struct Jobs {
    pub(super) shared: Arc<JobContext>,
}

impl Jobs {
    /// Builds the jobs over a store.
    pub fn new(store: Arc<StateJobStore>, clock: UnixClock, settings: Settings) -> Self {
        let (wake, running_jobs, tokens) = (Notify::new(), Arc::default(), SpentTokens::default());
        Self { shared: Arc::new(JobContext { store, clock, settings, wake, running_jobs, tokens }) }
    }

    /// Starts `workers` workers that run jobs with the handlers of their kinds, until they are stopped. Call it once, within a runtime. A
    /// server that only starts and reads jobs does not call it.
    #[must_use = "the workers end when this is dropped"]
    pub fn serve(&self, handlers: HashMap<String, Arc<dyn JobHandler>>, workers: usize) -> Workers {
        Workers::start(Arc::clone(&self.shared), handlers, workers)
    }

    /// Starts a job if the limit of its key has room. The run counts at once, and is refunded if the job fails before its first recorded
    /// step.
    ///
    /// # Errors
    /// The limit is reached, the specification is too long, or the store cannot be written.
    pub async fn start(&self, new: NewJob, limit: Option<RunLimit>) -> Result<Job, JobError> {
        let (bytes, most) = (new.spec.to_string().len(), self.shared.settings.most_spec_bytes);
        if bytes > most {
            return Err(JobError::TooLong { bytes, most });
        }
        for _ in 0..MOST_ID_DRAWS {
            let entry = JobEntry { job: new.clone(), id: new.id_form.draw_id()?, now: (self.shared.clock)() };
            match self.shared.store.insert(entry, limit).await? {
                JobInsertResult::Inserted(job) => {
                    self.shared.wake.notify_one();
                    return Ok(*job);
                }
                JobInsertResult::Refused(left) => {
                    let RunLimit { runs, window_s } = limit.unwrap_or(RunLimit { runs: 0, window_s: 0 });
                    return Err(JobError::Limit { runs, window_s, retry_after_s: left.next_in_s });
                }
                JobInsertResult::IdTaken => {}
            }
        }
        Err(StoreError::new("every id that was drawn is taken").into())
    }

    /// Returns the runs left to a key within a limit.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn runs_left(
        &self,
        key_id: Option<i64>,
        kind: &str,
        limit: RunLimit,
    ) -> Result<RunsLeft, JobError> {
        Ok(self.shared.store.runs_left(key_id, kind, limit, (self.shared.clock)()).await?)
    }

    /// Returns a job.
    ///
    /// # Errors
    /// There is no such job, or the store cannot be read.
    pub async fn get(&self, owner: &str, kind: &str, id: &str) -> Result<Job, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.job(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// Returns the newest jobs of an owner, `most` at most, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn list(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, JobError> {
        Ok(self.shared.store.jobs(owner, kind, most).await?)
    }

    /// Returns a job, with its report if it is completed.
    ///
    /// # Errors
    /// There is no such job, or the store cannot be read.
    pub async fn report(&self, owner: &str, kind: &str, id: &str) -> Result<JobWithReport, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.report(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// Returns the steps recorded so far, oldest first, in any status of the job.
    ///
    /// # Errors
    /// There is no such job, or the store cannot be read.
    pub async fn steps(&self, owner: &str, kind: &str, id: &str) -> Result<Vec<RecordedStep>, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.steps(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// Returns the number of jobs in the queue, of all servers on the store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn count_queued(&self) -> Result<u64, JobError> {
        Ok(self.shared.store.count_queued((self.shared.clock)()).await?)
    }

    /// Returns true if a job of a kind, of any owner, runs or is queued on a server on the store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn has_running(&self, kind: &str) -> Result<bool, JobError> {
        Ok(self.shared.store.has_running(kind).await?)
    }

    /// Returns the number of jobs running on this server.
    pub fn running(&self) -> u64 {
        self.shared.running_jobs.count() as u64
    }

    /// Returns the tokens sent and received by this server's jobs since its start.
    pub fn tokens(&self) -> [u64; 2] {
        self.shared.tokens.current()
    }

    pub(super) fn address(owner: &str, kind: &str, id: &str) -> Address {
        Address { owner: owner.to_owned(), kind: kind.to_owned(), id: id.to_owned() }
    }

    pub(super) fn not_found(address: &Address) -> JobError {
        JobError::NotFound { kind: address.kind.clone(), id: address.id.clone() }
    }
}

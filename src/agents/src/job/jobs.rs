//! Job operations for callers. Each takes the owner, and finds jobs of that owner only.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;

use super::error::JobError;
use super::record::{Job, JobWithReport, RecordedStep};
use super::settings::{Settings, UnixClock};
use super::shared::{JobContext, SpentTokens};
use super::start::{NewJob, RunLimit, RunsLeft};
use super::store::{Address, InsertOutcome, JobEntry, JobStore, StoreError};
use super::work::JobHandler;
use super::workers::Workers;

/// Maximum number of ids drawn if they are taken.
const DRAWS: u32 = 3;

/// The jobs of one server; clones share them.
#[derive(Clone)]
pub struct Jobs {
    pub(super) shared: Arc<JobContext>,
}

impl Jobs {
    /// Builds the jobs over a store.
    pub fn new(store: Arc<dyn JobStore>, clock: UnixClock, settings: Settings) -> Self {
        let (wake, held, tokens) = (Notify::new(), Arc::default(), SpentTokens::default());
        Self { shared: Arc::new(JobContext { store, clock, settings, wake, held, tokens }) }
    }

    /// Starts this number of workers for these kinds of jobs; they run until stopped. Call it once, within a runtime. A server that only
    /// starts and reads jobs does not call it.
    #[must_use = "the workers end when this is dropped"]
    pub fn serve(&self, works: HashMap<String, Arc<dyn JobHandler>>, workers: usize) -> Workers {
        Workers::start(Arc::clone(&self.shared), works, workers)
    }

    /// Starts a job if its key's limit has room. It counts at once; a job that fails before its first recorded step is refunded.
    ///
    /// # Errors
    /// The limit is reached, the specification is too long, or the store cannot be written.
    pub async fn start(&self, new: NewJob, limit: Option<RunLimit>) -> Result<Job, JobError> {
        let (bytes, most) = (new.spec.to_string().len(), self.shared.settings.most_spec_bytes);
        if bytes > most {
            return Err(JobError::TooLong { bytes, most });
        }
        for _ in 0..DRAWS {
            let entry = JobEntry { new: new.clone(), id: new.id_form.draw()?, now: (self.shared.clock)() };
            match self.shared.store.insert(entry, limit).await? {
                InsertOutcome::Job(job) => {
                    self.shared.wake.notify_one();
                    return Ok(*job);
                }
                InsertOutcome::Refused(left) => {
                    let RunLimit { runs, window_s } = limit.unwrap_or(RunLimit { runs: 0, window_s: 0 });
                    return Err(JobError::Limit { runs, window_s, retry_after_s: left.next_in_s });
                }
                InsertOutcome::IdTaken => {}
            }
        }
        Err(StoreError::new("every id that was drawn is taken").into())
    }

    /// Returns the rest of a key's run limit.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn left(&self, key_id: Option<i64>, kind: &str, limit: RunLimit) -> Result<RunsLeft, JobError> {
        Ok(self.shared.store.left(key_id, kind, limit, (self.shared.clock)()).await?)
    }

    /// Returns a job.
    ///
    /// # Errors
    /// There is no such job, or the store cannot be read.
    pub async fn get(&self, owner: &str, kind: &str, id: &str) -> Result<Job, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.job(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// Returns the newest jobs of an owner, newest first.
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

    /// Returns the steps recorded so far, in any status of the job.
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
    pub async fn queued(&self) -> Result<u64, JobError> {
        Ok(self.shared.store.queued((self.shared.clock)()).await?)
    }

    /// Returns the number of jobs running on this server.
    pub fn running(&self) -> u64 {
        self.shared.held.count() as u64
    }

    /// Returns the tokens sent and received by this server's jobs since its start.
    pub fn tokens(&self) -> [u64; 2] {
        self.shared.tokens.now()
    }

    pub(super) fn address(owner: &str, kind: &str, id: &str) -> Address {
        Address { owner: owner.to_owned(), kind: kind.to_owned(), id: id.to_owned() }
    }

    pub(super) fn not_found(address: &Address) -> JobError {
        JobError::NotFound { kind: address.kind.clone(), id: address.id.clone() }
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

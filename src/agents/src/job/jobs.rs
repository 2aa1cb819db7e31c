//! The job operations for callers. Each one takes the owner, and finds no job of anyone else.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;

use super::error::JobError;
use super::record::{Job, RecordedStep, Reported};
use super::settings::{Settings, UnixClock};
use super::shared::{Shared, SpentTokens};
use super::start::{Left, NewJob, RunLimit};
use super::store::{Address, Inserted, JobEntry, JobStore, StoreError};
use super::work::JobHandler;
use super::workers::Workers;

/// How often an id is drawn, if another job has it already.
const DRAWS: u32 = 3;

/// The jobs of one server; clones are the same.
#[derive(Clone)]
pub struct Jobs {
    pub(super) shared: Arc<Shared>,
}

impl Jobs {
    /// The jobs in a store.
    pub fn new(store: Arc<dyn JobStore>, clock: UnixClock, settings: Settings) -> Self {
        let (wake, held, tokens) = (Notify::new(), Arc::default(), SpentTokens::default());
        Self { shared: Arc::new(Shared { store, clock, settings, wake, held, tokens }) }
    }

    /// Runs jobs of these kinds, so many at once, until the workers are stopped. It is called once, within a runtime; a
    /// server that only starts jobs and looks at them leaves it.
    #[must_use = "the workers end when this is dropped"]
    pub fn serve(&self, works: HashMap<String, Arc<dyn JobHandler>>, workers: usize) -> Workers {
        Workers::start(Arc::clone(&self.shared), works, workers)
    }

    /// Starts a job if its key's limit has room. It counts from now on, unless it ends before its first step is recorded.
    ///
    /// # Errors
    /// A full limit, a specification that is too long, a store that cannot be written.
    pub async fn start(&self, new: NewJob, limit: Option<RunLimit>) -> Result<Job, JobError> {
        let (bytes, most) = (new.spec.to_string().len(), self.shared.settings.most_spec_bytes);
        if bytes > most {
            return Err(JobError::TooLong { bytes, most });
        }
        for _ in 0..DRAWS {
            let entry = JobEntry { new: new.clone(), id: new.id_form.draw()?, now: (self.shared.clock)() };
            match self.shared.store.insert(entry, limit).await? {
                Inserted::Job(job) => {
                    self.shared.wake.notify_one();
                    return Ok(*job);
                }
                Inserted::Refused(left) => {
                    let RunLimit { runs, window_s } = limit.unwrap_or(RunLimit { runs: 0, window_s: 0 });
                    return Err(JobError::Limit { runs, window_s, retry_after_s: left.next_in_s });
                }
                Inserted::IdTaken => {}
            }
        }
        Err(StoreError::new("every id that was drawn is taken").into())
    }

    /// What a key's limit has left.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn left(&self, key_id: Option<i64>, kind: &str, limit: RunLimit) -> Result<Left, JobError> {
        Ok(self.shared.store.left(key_id, kind, limit, (self.shared.clock)()).await?)
    }

    /// A job.
    ///
    /// # Errors
    /// No such job, or a store that cannot be read.
    pub async fn get(&self, owner: &str, kind: &str, id: &str) -> Result<Job, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.job(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// The newest jobs of an owner, the newest first.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn list(&self, owner: &str, kind: &str, most: u32) -> Result<Vec<Job>, JobError> {
        Ok(self.shared.store.jobs(owner, kind, most).await?)
    }

    /// A job with its report, if it is completed.
    ///
    /// # Errors
    /// No such job, or a store that cannot be read.
    pub async fn report(&self, owner: &str, kind: &str, id: &str) -> Result<Reported, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.report(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// What was recorded of a job so far, however it ends.
    ///
    /// # Errors
    /// No such job, or a store that cannot be read.
    pub async fn steps(&self, owner: &str, kind: &str, id: &str) -> Result<Vec<RecordedStep>, JobError> {
        let address = Self::address(owner, kind, id);
        self.shared.store.steps(&address).await?.ok_or_else(|| Self::not_found(&address))
    }

    /// How many jobs wait for a worker, of any server on the same store.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn queued(&self) -> Result<u64, JobError> {
        Ok(self.shared.store.queued((self.shared.clock)()).await?)
    }

    /// How many jobs this server works on.
    pub fn running(&self) -> u64 {
        self.shared.held.count() as u64
    }

    /// The tokens that steps of this server's jobs sent and received since its start.
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

//! The workers of this server, which take jobs from the queue while there is room and release them at shutdown.
//!
//! An idle server wakes when it starts a job itself, and checks every few seconds whether another server changed the store. It looks for a
//! job only then, or when a lease or a delay has expired.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::record::Job;
use super::shared::JobContext;
use super::start::IdForm;
use super::store::{Hold, StoreError};
use super::work::JobHandler;
use super::worker;
use parquote_state::{JobClaim, JobClaimResult};

/// Seconds between two deletions of old jobs.
const CLEANING_S: i64 = 3_600;
/// Maximum jobs deleted in one transaction, which blocks other writers.
const MOST_EXPIRED: u32 = 100;

/// The workers of this server. Dropping them without `stop` ends the work at once; their leases then expire.
#[derive(Debug)]
pub struct Workers {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Workers {
    pub(super) fn start(
        shared: Arc<JobContext>,
        handlers: HashMap<String, Arc<dyn JobHandler>>,
        workers: usize,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let queue = Queue {
            shared,
            handlers,
            workers,
            running: JoinSet::new(),
            empty_look: None,
            clean_at: i64::MIN,
        };
        Self { stop, task: tokio::spawn(queue.serve(stopped)) }
    }

    /// Stops all work and releases its jobs, so that the next start can take them at once.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Err(error) = (&mut self.task).await {
            tracing::error!(cause = %error, "the queue of jobs had failed");
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The task that takes jobs and starts their work.
struct Queue {
    shared: Arc<JobContext>,
    handlers: HashMap<String, Arc<dyn JobHandler>>,
    /// Maximum number of jobs at once.
    workers: usize,
    running: JoinSet<()>,
    /// The last look into the queue, if it found no job.
    empty_look: Option<EmptyLook>,
    /// Time of the next deletion of old jobs, in Unix seconds.
    clean_at: i64,
}

/// State of the queue at a look that found no job.
#[derive(Clone, Copy)]
struct EmptyLook {
    /// Version of the store.
    version: i64,
    /// Earliest time at which a job becomes free, in Unix seconds.
    next_at: Option<i64>,
}

impl Queue {
    async fn serve(mut self, mut stopped: watch::Receiver<bool>) {
        let shared = Arc::clone(&self.shared);
        let mut is_failing = false;
        loop {
            // A stop does not interrupt a look that has begun: a job that it took would be abandoned.
            let result = self.take_jobs().await;
            // Repeated failures are logged once.
            if let Err(error) = &result
                && !is_failing
            {
                tracing::error!(
                    cause = error.chain(),
                    "the queue of jobs cannot be read; reading is retried"
                );
            }
            is_failing = result.is_err();
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => break,
                () = shared.wake.notified() => self.empty_look = None,
                Some(result) = self.running.join_next() => {
                    self.empty_look = None;
                    if let Err(error) = result {
                        tracing::error!(cause = %error, "a worker had failed");
                    }
                }
                () = tokio::time::sleep(shared.settings.poll_interval) => {}
            }
        }
        self.release_all().await;
    }

    /// Takes jobs until all workers are busy or no job is free.
    async fn take_jobs(&mut self) -> Result<(), StoreError> {
        self.clean().await?;
        while self.running.len() < self.workers {
            // The version is read before the queue, so that a concurrent change by another server is found at the next check.
            let version = self.shared.store.version().await?;
            let now = (self.shared.clock)();
            let has_no_job =
                |look: EmptyLook| look.version == version && look.next_at.is_none_or(|at| now < at);
            if self.empty_look.is_some_and(has_no_job) {
                return Ok(());
            }
            self.empty_look = None;
            let hold = IdForm::Hex.draw_id().map_err(StoreError::new)?;
            match self.shared.store.take_job(self.claim(hold.clone())).await? {
                JobClaimResult::None { next_at } => self.empty_look = Some(EmptyLook { version, next_at }),
                JobClaimResult::Job(job) => self.start_job(*job, hold),
            }
        }
        Ok(())
    }

    fn claim(&self, worker: String) -> JobClaim {
        let JobContext { clock, settings, running_jobs, .. } = &*self.shared;
        let now = clock();
        let most = settings.most_attempts;
        JobClaim {
            worker,
            kinds: self.handlers.keys().cloned().collect(),
            excluded_owners: running_jobs.full_owners(settings.per_owner),
            now,
            lease_until: now.saturating_add(settings.lease_s),
            most_attempts: most,
            attempts_error: format!(
                "the run stopped {most} times without finishing a step, and is not restarted; start a new run, and tell the operator if that one fails too"
            ),
        }
    }

    fn start_job(&mut self, job: Job, worker: String) {
        // The store returns requested kinds only.
        let Some(work) = self.handlers.get(&job.kind).cloned() else { return };
        let hold = Hold { number: job.number, worker };
        let holding = self.shared.running_jobs.add(hold, job.owner.clone());
        self.running.spawn(worker::run(Arc::clone(&self.shared), job, holding, work));
    }

    /// Deletes old jobs once per interval.
    async fn clean(&mut self) -> Result<(), StoreError> {
        let now = (self.shared.clock)();
        if now < self.clean_at {
            return Ok(());
        }
        self.clean_at = now.saturating_add(CLEANING_S);
        let oldest_end = now.saturating_sub(self.shared.settings.keep_days.saturating_mul(86_400));
        while self.shared.store.expire(oldest_end, MOST_EXPIRED).await? == MOST_EXPIRED as usize {}
        Ok(())
    }

    /// Ends all work. The lease of work that does not end in time expires later.
    async fn release_all(mut self) {
        self.shared.running_jobs.stop_all();
        let all = async { while self.running.join_next().await.is_some() {} };
        if tokio::time::timeout(self.shared.settings.local_cancel_timeout, all).await.is_err() {
            tracing::warn!("some work did not end in time; it is taken up again when its lease has run out");
        }
    }
}

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
use parquote_state::{JobClaim, JobTaken};

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
        works: HashMap<String, Arc<dyn JobHandler>>,
        workers: usize,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let queue = Queue { shared, works, workers, at_work: JoinSet::new(), seen: None, clean_at: i64::MIN };
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

struct Queue {
    shared: Arc<JobContext>,
    works: HashMap<String, Arc<dyn JobHandler>>,
    workers: usize,
    at_work: JoinSet<()>,
    /// Result of the last look, if it found no job.
    seen: Option<SeenQueue>,
    clean_at: i64,
}

/// State of the queue at the last look without a result.
#[derive(Clone, Copy)]
struct SeenQueue {
    version: i64,
    next_at: Option<i64>,
}

impl Queue {
    async fn serve(mut self, mut stopped: watch::Receiver<bool>) {
        let shared = Arc::clone(&self.shared);
        let mut is_failing = false;
        loop {
            // A stop does not interrupt a look that has begun, so that no taken job is abandoned.
            let looked = self.take_jobs().await;
            // Logged once and not at each look.
            if let Err(error) = &looked
                && !is_failing
            {
                tracing::error!(
                    cause = error.chain(),
                    "the queue of jobs cannot be read; reading is retried"
                );
            }
            is_failing = looked.is_err();
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => break,
                () = shared.wake.notified() => self.seen = None,
                Some(ended) = self.at_work.join_next() => {
                    self.seen = None;
                    if let Err(error) = ended {
                        tracing::error!(cause = %error, "a worker had failed");
                    }
                }
                () = tokio::time::sleep(shared.settings.look) => {}
            }
        }
        self.release_all().await;
    }

    /// Takes jobs while there is room.
    async fn take_jobs(&mut self) -> Result<(), StoreError> {
        self.clean().await?;
        while self.at_work.len() < self.workers {
            // The version is read before the queue, so that a concurrent change by another server is found at the next check.
            let version = self.shared.store.version().await?;
            let now = (self.shared.clock)();
            let has_no_job =
                |seen: SeenQueue| seen.version == version && seen.next_at.is_none_or(|at| now < at);
            if self.seen.is_some_and(has_no_job) {
                return Ok(());
            }
            self.seen = None;
            let hold = IdForm::Hex.draw_id().map_err(StoreError::new)?;
            match self.shared.store.take(self.claim(hold.clone())).await? {
                JobTaken::None { next_at } => self.seen = Some(SeenQueue { version, next_at }),
                JobTaken::Job(job) => self.start_job(*job, hold),
            }
        }
        Ok(())
    }

    fn claim(&self, worker: String) -> JobClaim {
        let JobContext { clock, settings, held_jobs: held, .. } = &*self.shared;
        let now = clock();
        let most = settings.most_attempts;
        JobClaim {
            worker,
            kinds: self.works.keys().cloned().collect(),
            passed_over: held.full_owners(settings.per_owner),
            now,
            lease_until: now.saturating_add(settings.lease_s),
            most_attempts: most,
            worn_out: format!(
                "the run stopped {most} times without finishing a step, and is not restarted; start a new run, and tell the operator if that one fails too"
            ),
        }
    }

    fn start_job(&mut self, job: Job, worker: String) {
        // The store returns requested kinds only.
        let Some(work) = self.works.get(&job.kind).cloned() else { return };
        let hold = Hold { number: job.number, worker };
        let holding = self.shared.held_jobs.add(hold, job.owner.clone());
        self.at_work.spawn(worker::run(Arc::clone(&self.shared), job, holding, work));
    }

    /// Deletes old jobs once per interval.
    async fn clean(&mut self) -> Result<(), StoreError> {
        let now = (self.shared.clock)();
        if now < self.clean_at {
            return Ok(());
        }
        self.clean_at = now.saturating_add(CLEANING_S);
        let before = now.saturating_sub(self.shared.settings.keep_days.saturating_mul(86_400));
        while self.shared.store.expire(before, MOST_EXPIRED).await? == MOST_EXPIRED as usize {}
        Ok(())
    }

    /// Ends all work; work that does not end in time holds its lease until it expires.
    async fn release_all(mut self) {
        self.shared.held_jobs.stop_all();
        let all = async { while self.at_work.join_next().await.is_some() {} };
        if tokio::time::timeout(self.shared.settings.cancel_here, all).await.is_err() {
            tracing::warn!("some work did not end in time; it is taken up again when its lease has run out");
        }
    }
}

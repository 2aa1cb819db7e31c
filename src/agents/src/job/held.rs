//! Running jobs of this server, with signals to stop them and to learn that they have ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::store::Hold;

/// The running jobs of this server, by the run id of the worker.
#[derive(Debug, Default)]
pub(super) struct RunningJobs {
    jobs: Mutex<HashMap<String, RunningJob>>,
}

#[derive(Debug)]
struct RunningJob {
    owner: String,
    stop: watch::Sender<bool>,
    /// Closes when the job has ended.
    end: watch::Receiver<()>,
}

/// Registration of a running job; dropping it removes the job.
#[derive(Debug)]
pub(super) struct ActiveHold {
    pub(super) hold: Hold,
    stop: watch::Receiver<bool>,
    jobs: Arc<RunningJobs>,
    /// Dropped with the hold: receivers of `end` then see the channel closed.
    _end: watch::Sender<()>,
}

impl RunningJobs {
    /// Registers a running job.
    pub(super) fn add(self: &Arc<Self>, hold: Hold, owner: String) -> ActiveHold {
        let (stop, stop_receiver) = watch::channel(false);
        let (end_sender, end) = watch::channel(());
        self.lock().insert(hold.worker.clone(), RunningJob { owner, stop, end });
        ActiveHold { hold, stop: stop_receiver, jobs: Arc::clone(self), _end: end_sender }
    }

    /// Returns the number of running jobs.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Returns the owners with at least `per_owner` running jobs on this server.
    pub(super) fn full_owners(&self, per_owner: usize) -> Vec<String> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for entry in self.lock().values() {
            *counts.entry(entry.owner.clone()).or_default() += 1;
        }
        counts.into_iter().filter(|(_, count)| *count >= per_owner).map(|(owner, _)| owner).collect()
    }

    /// Signals a job to stop. The returned receiver closes when the job has ended; `None` if the job does not run here.
    pub(super) fn stop(&self, worker: &str) -> Option<watch::Receiver<()>> {
        let jobs = self.lock();
        let entry = jobs.get(worker)?;
        entry.stop.send_replace(true);
        Some(entry.end.clone())
    }

    /// Signals all jobs to stop.
    pub(super) fn stop_all(&self) {
        for entry in self.lock().values() {
            entry.stop.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, RunningJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveHold {
    /// Waits until the job is signalled to stop.
    pub(super) async fn wait_for_stop(&self) {
        let mut stop = self.stop.clone();
        // An error means that the sender was dropped, which counts as a stop.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

impl Drop for ActiveHold {
    fn drop(&mut self) {
        self.jobs.lock().remove(&self.hold.worker);
    }
}

/// Waits until a job that was signalled has ended, by the receiver of [`RunningJobs::stop`].
pub(super) async fn wait_until_closed(mut end: watch::Receiver<()>) {
    // The channel never carries a value; it is only closed.
    while end.changed().await.is_ok() {}
}

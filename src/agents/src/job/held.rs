//! The jobs that this server is running: how a cancel or a shutdown reaches them, and how others see that they ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::store::Hold;

/// The running jobs of this server, by the run id of their worker.
#[derive(Debug, Default)]
pub(super) struct HeldJobs {
    jobs: Mutex<HashMap<String, HeldJob>>,
}

#[derive(Debug)]
struct HeldJob {
    owner: String,
    stop: watch::Sender<bool>,
    gone: watch::Receiver<()>,
}

/// One job, for as long as this value lives; it lives as long as the work does.
#[derive(Debug)]
pub(super) struct ActiveHold {
    pub(super) hold: Hold,
    stop: watch::Receiver<bool>,
    held: Arc<HeldJobs>,
    /// Closes when this value is dropped, which is what others wait for.
    _gone: watch::Sender<()>,
}

impl HeldJobs {
    /// Registers a running job.
    pub(super) fn add(self: &Arc<Self>, hold: Hold, owner: String) -> ActiveHold {
        let (stop, stopped) = watch::channel(false);
        let (going, gone) = watch::channel(());
        self.lock().insert(hold.worker.clone(), HeldJob { owner, stop, gone });
        ActiveHold { hold, stop: stopped, held: Arc::clone(self), _gone: going }
    }

    /// How many jobs run.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// The owners with at least so many running jobs on this server.
    pub(super) fn full_owners(&self, per_owner: usize) -> Vec<String> {
        let mut jobs: HashMap<String, usize> = HashMap::new();
        for entry in self.lock().values() {
            *jobs.entry(entry.owner.clone()).or_default() += 1;
        }
        jobs.into_iter().filter(|(_, jobs)| *jobs >= per_owner).map(|(owner, _)| owner).collect()
    }

    /// Tells the work of a job to end. What comes back closes when it is gone; `None` if it is not here.
    pub(super) fn stop(&self, worker: &str) -> Option<watch::Receiver<()>> {
        let jobs = self.lock();
        let entry = jobs.get(worker)?;
        entry.stop.send_replace(true);
        Some(entry.gone.clone())
    }

    /// Tells all jobs to stop.
    pub(super) fn stop_all(&self) {
        for entry in self.lock().values() {
            entry.stop.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, HeldJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveHold {
    /// Waits until the job is told to stop.
    pub(super) async fn stopped(&self) {
        let mut stop = self.stop.clone();
        // An error means that nobody can tell any more, which is as good as being told.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

impl Drop for ActiveHold {
    fn drop(&mut self) {
        self.held.lock().remove(&self.hold.worker);
    }
}

/// Waits until a job that was told to stop has stopped.
pub(super) async fn gone(mut gone: watch::Receiver<()>) {
    // Nothing is ever sent: the only news is that the channel closes.
    while gone.changed().await.is_ok() {}
}

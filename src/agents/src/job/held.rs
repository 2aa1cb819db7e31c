//! Running jobs of this server, with signals to stop them and to learn that they have ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::store::Hold;

/// Running jobs by their workers' run ids.
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

/// Registration of a running job, which lives as long as the work does.
#[derive(Debug)]
pub(super) struct ActiveHold {
    pub(super) hold: Hold,
    stop: watch::Receiver<bool>,
    held: Arc<HeldJobs>,
    /// Closes on drop, which others wait for.
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

    /// Returns the number of running jobs.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Returns the owners with at least `per_owner` running jobs on this server.
    pub(super) fn full_owners(&self, per_owner: usize) -> Vec<String> {
        let mut jobs: HashMap<String, usize> = HashMap::new();
        for entry in self.lock().values() {
            *jobs.entry(entry.owner.clone()).or_default() += 1;
        }
        jobs.into_iter().filter(|(_, jobs)| *jobs >= per_owner).map(|(owner, _)| owner).collect()
    }

    /// Signals a job to stop. The returned receiver closes when it has stopped; `None` if it does not run here.
    pub(super) fn stop(&self, worker: &str) -> Option<watch::Receiver<()>> {
        let jobs = self.lock();
        let entry = jobs.get(worker)?;
        entry.stop.send_replace(true);
        Some(entry.gone.clone())
    }

    /// Signals all jobs to stop.
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
    /// Waits until the job is signalled to stop.
    pub(super) async fn wait_for_stop(&self) {
        let mut stop = self.stop.clone();
        // An error means that the sender was dropped, which counts as a stop.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

impl Drop for ActiveHold {
    fn drop(&mut self) {
        self.held.lock().remove(&self.hold.worker);
    }
}

/// Waits until a job that was signalled has stopped.
pub(super) async fn wait_until_closed(mut gone: watch::Receiver<()>) {
    // The channel never carries a value; it is only closed.
    while gone.changed().await.is_ok() {}
}

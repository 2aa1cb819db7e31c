//! The jobs that this server works on now: how a cancel or a shutdown reaches them, and how it is known that they ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::store::Hold;

/// The jobs that this server works on now, by the run id of their worker.
#[derive(Debug, Default)]
pub(super) struct Held {
    jobs: Mutex<HashMap<String, Entry>>,
}

#[derive(Debug)]
struct Entry {
    owner: String,
    stop: watch::Sender<bool>,
    gone: watch::Receiver<()>,
}

/// One job, for as long as this value lives; it lives as long as the work does.
#[derive(Debug)]
pub(super) struct Holding {
    pub(super) hold: Hold,
    stop: watch::Receiver<bool>,
    held: Arc<Held>,
    /// Closes when this value is dropped, which is what others wait for.
    _gone: watch::Sender<()>,
}

impl Held {
    /// Notes that this server works on a job.
    pub(super) fn add(self: &Arc<Self>, hold: Hold, owner: String) -> Holding {
        let (stop, stopped) = watch::channel(false);
        let (going, gone) = watch::channel(());
        self.lock().insert(hold.worker.clone(), Entry { owner, stop, gone });
        Holding { hold, stop: stopped, held: Arc::clone(self), _gone: going }
    }

    /// The owners of whose jobs this server works on so many or more.
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

    /// Tells all work to end.
    pub(super) fn stop_all(&self) {
        for entry in self.lock().values() {
            entry.stop.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holding {
    /// Waits until the work is told to end.
    pub(super) async fn stopped(&self) {
        let mut stop = self.stop.clone();
        // An error means that nobody can tell any more, which is as good as being told.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.held.lock().remove(&self.hold.worker);
    }
}

/// Waits until work that was told to end is gone.
pub(super) async fn gone(mut gone: watch::Receiver<()>) {
    // Nothing is ever sent: the only news is that the channel closes.
    while gone.changed().await.is_ok() {}
}

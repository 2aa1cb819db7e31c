//! Runs work on files that may never end, as on a network file system that hangs, on a separate thread; the caller gives up after
//! a time without progress.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

/// Runs one piece of work at a time; another one is refused while the first hangs.
#[derive(Debug, Clone)]
pub(super) struct Watchdog {
    is_busy: Arc<AtomicBool>,
    /// Time without progress after which the caller gives up.
    stall_limit: Duration,
}

/// A counter by which the work reports its progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulse(Arc<AtomicU64>);

impl Default for Watchdog {
    fn default() -> Self {
        Self::after(Duration::from_secs(30))
    }
}

impl Watchdog {
    /// Creates a watchdog whose callers give up after this time without progress.
    pub(super) fn after(stall_limit: Duration) -> Self {
        Self { is_busy: Arc::default(), stall_limit }
    }

    /// Runs work and waits for its result.
    ///
    /// # Errors
    /// Work without progress for the time limit, earlier work that still hangs, a thread that cannot be started.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Pulse) -> T + Send + 'static,
    ) -> io::Result<T> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return Err(self.stall_error());
        }
        let free = FreeOnDrop(Arc::clone(&self.is_busy));
        let (progress, (sender, mut receiver)) = (Pulse::default(), oneshot::channel());
        let moved = progress.clone();
        thread::Builder::new().name("inbox".to_owned()).spawn(move || {
            // The receiver may start new work at once, so the watchdog is freed first, also if the work panics.
            let (sender, free) = (sender, free);
            let result = work(&moved);
            drop(free);
            let _gone = sender.send(result);
        })?;
        let (mut last_count, mut since) = (0, Instant::now());
        loop {
            match timeout(self.stall_limit / 4, &mut receiver).await {
                Ok(result) => return result.map_err(|_| io::Error::other("the work on it was aborted")),
                Err(_) if progress.count() != last_count => {
                    (last_count, since) = (progress.count(), Instant::now());
                }
                Err(_) if since.elapsed() >= self.stall_limit => return Err(self.stall_error()),
                Err(_) => {}
            }
        }
    }

    fn stall_error(&self) -> io::Error {
        let message = format!("the file system has not answered for {} s", self.stall_limit.as_secs_f64());
        io::Error::new(io::ErrorKind::TimedOut, message)
    }
}

/// Frees the watchdog when dropped, also on a panic.
struct FreeOnDrop(Arc<AtomicBool>);

impl Drop for FreeOnDrop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Pulse {
    /// Reports progress.
    pub(super) fn record_progress(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn work_that_hangs_is_given_up_and_nothing_follows_until_it_ends() {
        let watchdog = Watchdog::after(Duration::from_millis(40));
        let (release, held) = channel::<()>();
        let hung = watchdog.run(move |_| held.recv().is_ok()).await;
        assert_eq!(hung.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(watchdog.run(|_| 1).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        release.send(()).unwrap();
        while watchdog.run(|_| 2).await.is_err() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn work_that_moves_may_take_its_time_and_a_panic_leaves_the_place_free() {
        let watchdog = Watchdog::after(Duration::from_millis(300));
        let slow = watchdog.run(|progress| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(700) {
                progress.record_progress();
            }
            3
        });
        assert_eq!(slow.await.unwrap(), 3);
        let watchdog = Watchdog::default();
        assert!(watchdog.run(|_| panic!("broken")).await.is_err());
        assert_eq!(watchdog.run(|_| 4).await.unwrap(), 4);
    }
}

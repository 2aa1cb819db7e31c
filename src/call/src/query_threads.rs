//! The threads on which queries run, separate from those of the network: a sort that takes a second delays no other caller's connection and
//! no request of an operator. Queries get permits to run from a [`FairQueue`].
//!
//! A query that is known to be quick runs on the caller's thread: two hops between threads would cost more than the query.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{JoinError, JoinHandle};

use super::fair_queue::{FairQueue, KeyNumber, QueueLimits};
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::thread_priority;

/// Number of threads, and limits on their queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryThreadSettings {
    /// Prefix of the thread names.
    pub name: &'static str,
    /// Niceness of the threads, up to 19.
    pub niceness: i32,
    /// Threads, each with one query at a time.
    pub threads: usize,
    /// Concurrent queries of one key.
    pub per_key: usize,
    /// Waiting queries of one key.
    pub waiting_per_key: usize,
    /// Waiting queries of all keys.
    pub waiting: usize,
    /// Concurrent quick queries, which run on the callers' threads; 0 for none.
    pub quick_queries: usize,
}

impl Default for QueryThreadSettings {
    /// One thread more than the machine has cores. One key may use as many as there are cores: the additional thread is left to the next
    /// key, as otherwise one key could occupy all threads.
    fn default() -> Self {
        /// Network threads have little work but everyone waits for them: they should run at once when they wake up. On a machine with other
        /// work a query still gets its share.
        const QUERY_NICENESS: i32 = 3;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            name: "query",
            niceness: QUERY_NICENESS,
            threads: cores + 1,
            per_key: cores,
            waiting_per_key: 256,
            waiting: 1_024,
            quick_queries: (cores / 2).max(1),
        }
    }
}

/// The query threads. Dropping them ends them without waiting for running queries.
#[derive(Debug)]
pub struct QueryThreads {
    runtime: Option<Runtime>,
    handle: Handle,
    queue: Arc<FairQueue>,
    quick: Semaphore,
}

impl QueryThreads {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(settings: QueryThreadSettings) -> std::io::Result<Arc<Self>> {
        /// Planning recurses as deep as a query is nested.
        const STACK_BYTES: usize = 16 << 20;
        let queue = FairQueue::new(QueueLimits {
            running: settings.threads,
            running_per_key: settings.per_key,
            waiting_per_key: settings.waiting_per_key,
            waiting: settings.waiting,
        });
        let next_number = AtomicUsize::new(0);
        let runtime = Builder::new_multi_thread()
            .worker_threads(settings.threads.max(1))
            .thread_stack_size(STACK_BYTES)
            .thread_name_fn(move || {
                format!("{}-{}", settings.name, next_number.fetch_add(1, Ordering::Relaxed))
            })
            .on_thread_start(move || thread_priority::lower(settings.niceness))
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Arc::new(Self {
            runtime: Some(runtime),
            handle,
            queue,
            quick: Semaphore::new(settings.quick_queries),
        }))
    }

    /// Returns the handle on which compute tasks are started.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Returns the running and waiting queries, and the wait times.
    pub(super) fn figures(&self) -> QueueFigures {
        self.queue.figures()
    }

    /// Returns a permit to run a quick query on the caller's thread; `None` if the maximum is reached.
    pub(super) fn try_quick_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.quick.try_acquire().ok()
    }

    /// Runs a query when its key is next in the queue; 503 if too many queries wait. Dropping this future aborts the query.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        key: KeyNumber,
        query: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        let permit = self.queue.wait_for_permit(key).await?;
        // The permit is free when the query has ended, not when its caller has left.
        let permitted = async move {
            let _permit = permit;
            query.await
        };
        self.run_waiting(permitted).await
    }

    /// Runs work without a permit: either work that mostly waits, which should not take a permit from queries, or work that holds a permit
    /// already.
    pub(super) async fn run_waiting<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        let mut task = AbortOnDrop(self.handle.spawn(work));
        (&mut task.0).await.map_err(resume_panic)?
    }
}

impl Drop for QueryThreads {
    /// A thread of another runtime must not wait for the threads of this one.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A task that is aborted when this handle is dropped.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Resumes a panic on the caller's thread, as if the query had run there.
pub(super) fn resume_panic(ended: JoinError) -> ClientError {
    match ended.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(ended) => ClientError::from_cause(ErrorKind::Unavailable, "the server is ending", ended),
    }
}

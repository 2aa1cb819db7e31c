//! The threads that queries run on, apart from those of the network: a sort that takes a second holds up no other caller's
//! connection and no operator. Queries come to them through a [`FairQueue`].
//!
//! A query that is known to be quick runs where its caller is: two hops between threads would cost it more than it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{JoinError, JoinHandle};

use super::fair_queue::{FairQueue, KeyNumber, QueueLimits};
use super::queue_figures::QueueFigures;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::thread_priority;

/// How many threads there are, and how many queries they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryThreadSettings {
    /// What they are called.
    pub name: &'static str,
    /// How far they step back behind others, of 19.
    pub niceness: i32,
    /// Threads, each with one query at a time.
    pub threads: usize,
    /// Queries of one key that run at once.
    pub per_key: usize,
    /// Queries of one key that wait.
    pub waiting_per_key: usize,
    /// Queries of all keys that wait.
    pub waiting: usize,
    /// Queries that are known to be quick and run on the callers' threads at once; with 0 none does.
    pub quick: usize,
}

impl Default for QueryThreadSettings {
    /// One thread more than the machine has cores, and one key may keep all cores at work: the thread beyond them is left to
    /// the next key, without which it could keep all threads from everyone else.
    fn default() -> Self {
        /// A thread of the network has little to do and everyone waits for it: it runs at once when it wakes up. On a machine
        /// with other work a query still has its share.
        const BEHIND_THE_NETWORK: i32 = 3;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            name: "query",
            niceness: BEHIND_THE_NETWORK,
            threads: cores + 1,
            per_key: cores,
            waiting_per_key: 256,
            waiting: 1_024,
            quick: (cores / 2).max(1),
        }
    }
}

/// The threads, until this is dropped; what they are at work on then is not waited for.
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
    /// Where the system gives none.
    pub fn start(settings: QueryThreadSettings) -> std::io::Result<Arc<Self>> {
        /// Planning goes down as deep as a query is nested.
        const STACK_BYTES: usize = 16 << 20;
        let queue = FairQueue::new(QueueLimits {
            running: settings.threads,
            running_per_key: settings.per_key,
            waiting_per_key: settings.waiting_per_key,
            waiting: settings.waiting,
        });
        let names = AtomicUsize::new(0);
        let runtime = Builder::new_multi_thread()
            .worker_threads(settings.threads.max(1))
            .thread_stack_size(STACK_BYTES)
            .thread_name_fn(move || format!("{}-{}", settings.name, names.fetch_add(1, Ordering::Relaxed)))
            .on_thread_start(move || thread_priority::lower(settings.niceness))
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Arc::new(Self { runtime: Some(runtime), handle, queue, quick: Semaphore::new(settings.quick) }))
    }

    /// Where tasks are started that compute.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What runs, waits and waited.
    pub(super) fn figures(&self) -> QueueFigures {
        self.queue.figures()
    }

    /// The right to run a quick query on the caller's own thread; none where enough do that.
    pub(super) fn quick(&self) -> Option<SemaphorePermit<'_>> {
        self.quick.try_acquire().ok()
    }

    /// Runs a query when its key's turn comes; it ends when this future is dropped.
    ///
    /// # Errors
    /// 503 where too many wait, and whatever the query ends with.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        key: KeyNumber,
        query: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        let place = self.queue.enter(key).await?;
        // The place is free when the query has really ended, not when its caller has left.
        let placed = async move {
            let _place = place;
            query.await
        };
        self.spawn(placed).await
    }

    /// Runs what waits for others more than it computes: it needs no place, and takes none from those who compute.
    ///
    /// # Errors
    /// Whatever it ends with.
    pub(super) async fn run_waiting<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        self.spawn(work).await
    }

    async fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        let mut task = AbortOnDrop(self.handle.spawn(work));
        match (&mut task.0).await {
            Ok(ended) => ended,
            Err(ended) => Err(broken_off(ended)),
        }
    }
}

impl Drop for QueryThreads {
    /// A runtime may not wait for its threads on a thread of another.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A task that ends with its caller.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A panic goes on where the caller is, as if the query had run there.
fn broken_off(ended: JoinError) -> ClientError {
    match ended.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(ended) => ClientError::caused(ErrorKind::Unavailable, "the server is ending", ended),
    }
}

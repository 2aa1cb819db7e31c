//! `serve --refresh`: a child process of the server that refreshes the data with low priority.
//!
//! It uses one core and one thread for each kind of work, ends with the server, and is restarted if it ends early. The server loads
//! its sets like any other.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum as _;

use super::progress_pipe;
use crate::config::{CommonOptions, DataRoot, FetchOptions, Serving};
use crate::engine::LoadProgress;
use crate::thread_priority;

/// Time after which a process that ended early is restarted.
const RESTART_DELAY: Duration = Duration::from_mins(10);

/// The pipe that ends the process when it is closed; `None` after the server has closed it.
type Lifeline = Arc<Mutex<Option<ChildStdin>>>;

/// The child process of a server; it ends when this is dropped.
pub(super) struct RefreshChild {
    lifeline: Lifeline,
    /// Dropped to wake the thread that waits to restart the process.
    _stop: std::sync::mpsc::Sender<()>,
}

impl RefreshChild {
    /// Starts the process, if the server's settings require it.
    pub(super) fn start(
        common: &CommonOptions,
        root: &DataRoot,
        serving: &Serving,
        progress: &LoadProgress,
    ) -> anyhow::Result<Option<Self>> {
        if !serving.fetches {
            return Ok(None);
        }
        let program = std::env::current_exe().context("this program cannot be found")?;
        let arguments = arguments(common, root, serving);
        let (child, lifeline) =
            spawn(&program, &arguments, progress).context("the refresh cannot be started")?;
        let lifeline: Lifeline = Arc::new(Mutex::new(lifeline));
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (shared_lifeline, progress) = (Arc::clone(&lifeline), progress.clone());
        std::thread::Builder::new().name("refresh-child".to_owned()).spawn(move || {
            let mut child = child;
            loop {
                let ended = child.wait();
                // No message is ever sent: the channel is closed when the server stops.
                if stopped.recv_timeout(RESTART_DELAY) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
                tracing::warn!(?ended, "the refresh beside the server ended; it is started again");
                match spawn(&program, &arguments, &progress) {
                    Ok((next, stdin)) => {
                        child = next;
                        *lock_lifeline(&shared_lifeline) = stdin;
                    }
                    Err(error) => tracing::error!(%error, "the refresh cannot be started again"),
                }
            }
        })?;
        Ok(Some(Self { lifeline, _stop: stop }))
    }
}

impl Drop for RefreshChild {
    fn drop(&mut self) {
        *lock_lifeline(&self.lifeline) = None;
    }
}

fn lock_lifeline(lifeline: &Mutex<Option<ChildStdin>>) -> MutexGuard<'_, Option<ChildStdin>> {
    lifeline.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(
    program: &Path,
    arguments: &[String],
    progress: &LoadProgress,
) -> std::io::Result<(Child, Option<ChildStdin>)> {
    let mut child = Command::new(program)
        .args(arguments)
        // One thread for each kind of work leaves cores to the server's threads.
        .env("RAYON_NUM_THREADS", "1")
        .env("TOKIO_WORKER_THREADS", "1")
        // Milliseconds after which the allocator returns freed memory: the steps of a derivation need similar amounts, and with the
        // default of a second two of them were allocated at once.
        .env("MIMALLOC_PURGE_DELAY", "10")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdin = child.stdin.take();
    if let Some(output) = child.stdout.take() {
        let progress = progress.clone();
        let read_progress = move || progress_pipe::read_progress(output, &progress);
        std::thread::Builder::new().name("refresh-progress".to_owned()).spawn(read_progress)?;
    }
    Ok((child, stdin))
}

/// Returns the command line of the process.
fn arguments(common: &CommonOptions, root: &DataRoot, serving: &Serving) -> Vec<String> {
    let display = |path: &Path| path.display().to_string();
    let FetchOptions { raw, fetch_state, sources, contact, mirror } = &serving.fetching;
    let keeping = &serving.refresh.keeping;
    let pairs = [
        ("--queries", common.queries.as_deref().map(display)),
        ("--log", Some(common.log.clone())),
        ("--log-format", common.log_format.to_possible_value().map(|form| form.get_name().to_owned())),
        ("--data", Some(root.data.clone())),
        ("--cache", Some(display(&root.cache))),
        ("--keep-sets", Some(keeping.keep_sets.to_string())),
        ("--keep-days", Some(keeping.keep_days.to_string())),
        ("--raw", Some(display(raw))),
        ("--fetch-state", Some(display(fetch_state))),
        ("--sources", sources.as_deref().map(display)),
        ("--contact", contact.clone()),
    ];
    let mut arguments = ["refresh", "--watch", "--child"].map(str::to_owned).to_vec();
    for (flag, value) in pairs {
        arguments.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }
    for lag in &keeping.public_lag {
        arguments.extend(["--public-lag".to_owned(), lag.to_string()]);
    }
    for (host, url) in mirror {
        arguments.extend(["--mirror".to_owned(), format!("{host}={url}")]);
    }
    arguments
}

/// Ends this process when the server closes the pipe or ends for any reason. The next process continues interrupted work.
pub(super) fn end_with_server() {
    let wait = || {
        let mut stdin = std::io::stdin().lock();
        let mut byte = [0];
        while matches!(stdin.read(&mut byte), Ok(1..)) {}
        std::process::exit(0);
    };
    if let Err(error) = std::thread::Builder::new().name("server-end".to_owned()).spawn(wait) {
        tracing::error!(%error, "the end of the server will not be noticed");
    }
}

/// Lowers the priority of this thread and pins it, with the threads that it starts, to one core, so that the server has all others.
pub(super) fn step_back() {
    thread_priority::lower(thread_priority::IDLE);
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Ok(allowed) = sched_getaffinity(None) else { return };
        // The last core is used, because devices tend to interrupt the first one.
        if let Some(last) = (0..CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core)) {
            let mut only = CpuSet::new();
            only.set(last);
            let _ = sched_setaffinity(None, &only);
        }
    }
}

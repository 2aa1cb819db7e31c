//! SELECTs of callers, each run in a separate child process.
//!
//! No check of a text can bound the memory of its plan or of one batch of its rows. So a child process of this program plans and runs each
//! SELECT: the system limits its memory, it is killed soon after its deadline, and its end fails one SELECT only. A process is reused as
//! long as its memory stays small; it loads a table when a SELECT first names it.
//!
//! Reading order: `request` (messages), `process` (one child), this file (all of them), `child` (code within it), `memory` (its limit).
//!
//! The server process does not parse a SELECT. A child has neither keys nor a state file, and reads only the files of its sets.

mod request;
mod process;
pub mod child;
mod memory;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::process::{RunEnd, SelectProcess};
use self::request::SelectRequest;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::caller_select::{SelectLimits, SelectRefusal, UserSelect};
use parquote_engine::{Deadline, EncodedAnswer, Snapshot};

/// The program that runs SELECTs.
#[derive(Debug, Clone)]
pub struct SelectProgram {
    /// Path of the executable file.
    pub program: PathBuf,
    /// Command-line arguments of the program.
    pub arguments: Vec<String>,
    /// True if the child inherits the environment of this process, which has the credentials of an object store.
    pub inherits_environment: bool,
}

/// The pool of idle processes that wait for SELECTs, and the program that they run.
#[derive(Debug)]
pub struct SelectProcesses {
    program: SelectProgram,
    idle: Mutex<VecDeque<SelectProcess>>,
    /// Number of processes started so far.
    started: AtomicU64,
    /// Number of processes killed, or ended by a SELECT.
    killed: AtomicU64,
}

/// Counts of processes since the pool was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFigures {
    /// Number of processes started.
    pub started: u64,
    /// Number of processes killed, or ended by a SELECT.
    pub killed: u64,
}

/// A sum of processor time.
pub trait TimeSpent: Send + Sync {
    /// Adds processor time.
    fn add(&self, time: Duration);
}

impl SelectProcesses {
    /// Builds a pool for this program; the first SELECT starts a process.
    pub fn new(program: SelectProgram) -> Arc<Self> {
        let (started, killed) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { program, idle: Mutex::default(), started, killed })
    }

    /// Runs a SELECT on the sets of a snapshot and returns its encoded rows.
    ///
    /// # Errors
    /// The SELECT is refused; 503 at its deadline or if no process can be started.
    pub async fn rows(
        &self,
        snapshot: &Snapshot,
        select: &UserSelect<'_>,
        limits: &SelectLimits,
        deadline: Deadline,
        owner: &str,
        spent: &dyn TimeSpent,
    ) -> Result<EncodedAnswer, ClientError> {
        let mut request = SelectRequest::new(snapshot, select, limits);
        let mut process = match self.take_idle(&request, owner) {
            Some(idle) => idle,
            None => self.start()?,
        };
        owner.clone_into(&mut process.owner);
        let mut run = ProcessRun { processes: self, process: Some(process) };
        let mut ended = run.run_in_process(&mut request, limits, deadline, spent).await;
        if let Err(RunEnd::Broken(_)) = ended {
            // The idle process had ended.
            run.process = Some(self.start()?);
            ended = run.run_in_process(&mut request, limits, deadline, spent).await;
        }
        match ended {
            Ok(answer) => {
                run.put_back();
                answer
            }
            Err(RunEnd::Overrun(deadline)) => Err(deadline.timeout_error().into()),
            Err(RunEnd::Dead) => Err(SelectRefusal::ProcessEnded(limits.memory).into()),
            Err(RunEnd::Broken(error)) => Err(ClientError::from_cause(
                ErrorKind::Unavailable,
                "the SELECT was aborted; try again",
                error,
            )),
        }
    }

    /// Returns the numbers of processes started and killed.
    pub fn figures(&self) -> ProcessFigures {
        let [started, killed] = [&self.started, &self.killed].map(|count| count.load(Ordering::Relaxed));
        ProcessFigures { started, killed }
    }

    /// Takes an idle process: one whose last SELECT was of this owner on the same sets, else an unused one, else one of another owner if
    /// more than one is idle. So an owner whose SELECTs end processes does not use up the warm processes of others.
    fn take_idle(&self, request: &SelectRequest, owner: &str) -> Option<SelectProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let warm = idle.iter().rposition(|process| process.owner == owner && process.has_sets(request));
        let unused = || idle.iter().position(|process| process.owner.is_empty());
        let with_sets = || idle.iter().rposition(|process| process.has_sets(request));
        let others = || if idle.len() > 1 { with_sets().or(Some(0)) } else { None };
        let index = warm.or_else(unused).or_else(others)?;
        idle.remove(index)
    }

    fn start(&self) -> Result<SelectProcess, ClientError> {
        let started = SelectProcess::start(&self.program).map_err(|error| {
            ClientError::from_cause(
                ErrorKind::Unavailable,
                "no process can be started for a SELECT now",
                error,
            )
        })?;
        self.started.fetch_add(1, Ordering::Relaxed);
        Ok(started)
    }

    fn return_to_pool(&self, process: SelectProcess) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push_back(process);
    }

    /// Starts a process for the next SELECT.
    fn replace(&self) {
        if let Ok(fresh) = self.start() {
            self.return_to_pool(fresh);
        }
    }
}

/// A running SELECT with its process. Dropping it before the answer kills the process.
struct ProcessRun<'a> {
    processes: &'a SelectProcesses,
    /// `None` once it is returned to the pool.
    process: Option<SelectProcess>,
}

impl ProcessRun<'_> {
    async fn run_in_process(
        &mut self,
        request: &mut SelectRequest,
        limits: &SelectLimits,
        deadline: Deadline,
        spent: &dyn TimeSpent,
    ) -> Result<Result<EncodedAnswer, ClientError>, RunEnd> {
        match &mut self.process {
            Some(process) => process.run_select(request, limits, deadline, spent).await,
            None => Err(RunEnd::Dead),
        }
    }

    /// Returns the process to the pool, or replaces it if it grew.
    fn put_back(mut self) {
        match self.process.take() {
            Some(process) if !process.is_grown() => self.processes.return_to_pool(process),
            grown => {
                drop(grown);
                self.processes.replace();
            }
        }
    }
}

impl Drop for ProcessRun<'_> {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        // The old one ends first, so that the limit of processes holds.
        drop(process);
        self.processes.killed.fetch_add(1, Ordering::Relaxed);
        self.processes.replace();
    }
}

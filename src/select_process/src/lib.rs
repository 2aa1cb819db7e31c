//! SELECTs of callers, each run in a process of its own while it runs.
//!
//! No check of a text can bound what planning makes of it, or the memory of one batch of its rows. So a SELECT is planned and run by a child
//! process of this program: its memory is limited by the system, it is killed soon after its deadline, and whatever ends it
//! ends one SELECT. A process is used again as long as a SELECT leaves it as small as it was; it loads a table when a SELECT first names it.
//!
//! Reading order: `request` (what is sent), `process` (one child), this file (all of them), `child` (what runs in it), `memory` (its limit).
//!
//! Nothing of a SELECT is read in the process of the server, and no child has keys, states or files beside those of its sets.

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
use parquote_engine::own_select::{OwnSelect, SelectLimits, SelectRefusal};
use parquote_engine::{Deadline, Encoded, Snapshot};

/// The program that runs SELECTs.
#[derive(Debug, Clone)]
pub struct SelectProgram {
    /// Its file.
    pub program: PathBuf,
    /// Its command-line arguments.
    pub arguments: Vec<String>,
    /// True where it gets the environment of this process: reading an object store takes credentials.
    pub inherits_environment: bool,
}

/// Processes that wait for SELECTs, and how they are started.
#[derive(Debug)]
pub struct SelectProcesses {
    program: SelectProgram,
    idle: Mutex<VecDeque<SelectProcess>>,
    started: AtomicU64,
    killed: AtomicU64,
}

/// The number of processes that were started so far, and of those that were killed or ended by a SELECT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFigures {
    /// Started.
    pub started: u64,
    /// Killed or ended by a SELECT.
    pub killed: u64,
}

/// A sum of processor time.
pub trait TimeSpent: Send + Sync {
    /// Adds so much.
    fn add(&self, time: Duration);
}

impl SelectProcesses {
    /// Processes of this program, started when the first SELECT comes.
    pub fn new(program: SelectProgram) -> Arc<Self> {
        let (started, killed) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { program, idle: Mutex::default(), started, killed })
    }

    /// Runs a SELECT on the sets of a snapshot and answers its encoded rows.
    ///
    /// # Errors
    /// The refusal of the SELECT; 503 at its deadline or where no process can be started.
    pub async fn rows(
        &self,
        (snapshot, select): (&Snapshot, &OwnSelect<'_>),
        limits: &SelectLimits,
        deadline: Deadline,
        (owner, spent): (&str, &dyn TimeSpent),
    ) -> Result<Encoded, ClientError> {
        let mut request = SelectRequest::new(snapshot, select, limits);
        let mut process = match self.taken(&request, owner) {
            Some(idle) => idle,
            None => self.start()?,
        };
        owner.clone_into(&mut process.owner);
        let mut run = ProcessRun { processes: self, process: Some(process) };
        let mut ended = run.ask(&mut request, limits, deadline, spent).await;
        if let Err(RunEnd::Broken(_)) = ended {
            // It ended while nothing was asked of it.
            run.process = Some(self.start()?);
            ended = run.ask(&mut request, limits, deadline, spent).await;
        }
        match ended {
            Ok(answer) => {
                run.put_back();
                answer
            }
            Err(RunEnd::Overrun(deadline)) => Err(deadline.overrun().into()),
            Err(RunEnd::Dead) => Err(SelectRefusal::Ended { most: limits.memory }.into()),
            Err(RunEnd::Broken(error)) => Err(ClientError::caused(
                ErrorKind::Unavailable,
                "the SELECT was broken off; ask again",
                error,
            )),
        }
    }

    /// The number of processes that were started and killed.
    pub fn figures(&self) -> ProcessFigures {
        let [started, killed] = [&self.started, &self.killed].map(|count| count.load(Ordering::Relaxed));
        ProcessFigures { started, killed }
    }

    /// An idle process: one that has run a SELECT of the owner over the same sets, else one that nobody has used, else one of another owner
    /// while others are left. So whoever ends processes takes none that others have warmed.
    fn taken(&self, request: &SelectRequest, owner: &str) -> Option<SelectProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let own = idle.iter().rposition(|process| process.owner == owner && process.has_sets(request));
        let fresh = || idle.iter().position(|process| process.owner.is_empty());
        let same = || idle.iter().rposition(|process| process.has_sets(request));
        let others = || if idle.len() > 1 { same().or(Some(0)) } else { None };
        let at = own.or_else(fresh).or_else(others)?;
        idle.remove(at)
    }

    fn start(&self) -> Result<SelectProcess, ClientError> {
        let started = SelectProcess::start(&self.program).map_err(|error| {
            ClientError::caused(ErrorKind::Unavailable, "no process can be started for a SELECT now", error)
        })?;
        self.started.fetch_add(1, Ordering::Relaxed);
        Ok(started)
    }

    /// Keeps a process for the next SELECT.
    fn keep(&self, process: SelectProcess) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push_back(process);
    }

    /// Starts a process for the next SELECT.
    fn replace(&self) {
        if let Ok(fresh) = self.start() {
            self.keep(fresh);
        }
    }
}

/// A run and its process. One that ends before its process answered kills it; the next SELECT finds a fresh one.
struct ProcessRun<'a> {
    processes: &'a SelectProcesses,
    /// None once it was put back.
    process: Option<SelectProcess>,
}

impl ProcessRun<'_> {
    async fn ask(
        &mut self,
        request: &mut SelectRequest,
        limits: &SelectLimits,
        deadline: Deadline,
        spent: &dyn TimeSpent,
    ) -> Result<Result<Encoded, ClientError>, RunEnd> {
        match &mut self.process {
            Some(process) => process.ask(request, limits, deadline, spent).await,
            None => Err(RunEnd::Dead),
        }
    }

    /// Keeps the process for the next SELECT, or ends one that grew and starts another in its place.
    fn put_back(mut self) {
        match self.process.take() {
            Some(process) if !process.is_grown() => self.processes.keep(process),
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
        // It ends before another is started, so that there are never more than may be.
        drop(process);
        self.processes.killed.fetch_add(1, Ordering::Relaxed);
        self.processes.replace();
    }
}

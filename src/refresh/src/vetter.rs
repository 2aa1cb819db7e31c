//! Reads new files completely in a child process with bounded memory: a file that exhausts memory or triggers a decoder bug ends
//! that process, not the server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::RefreshError;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_catalogue::thread_priority;
use parquote_engine::{Problem, VettingResult, vet};
use parquote_set::StoredFile;

/// The reader of new files: this process, or a child process.
#[derive(Debug, Clone)]
pub enum Vetter {
    /// This process: for single-purpose commands and for tests.
    Here,
    /// A child process of this program.
    Child {
        /// Path of the program to start.
        program: PathBuf,
        /// Arguments that start the program as a reader, which writes one line for each task.
        arguments: Vec<String>,
        /// Memory limit in bytes.
        memory: u64,
        /// Time limit for one file.
        timeout: Duration,
    },
}

/// A file to read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    /// The market of the table.
    pub market: Market,
    /// Name of the table.
    pub table: String,
    /// True if a server holds the table in memory, because an operation reads it.
    pub held: bool,
    /// Path of the file to read.
    pub path: PathBuf,
    /// The path at which a repaired copy is written if the file can be repaired without loss.
    pub mended: PathBuf,
}

impl Task {
    /// Reads and checks the file in this process.
    pub fn run(&self, catalogue: &Catalogue) -> VettingResult {
        match catalogue.table(self.market, &self.table) {
            Some(table) => vet(table, self.market, &StoredFile::plain(&self.path), self.held, &self.mended),
            None => VettingResult::default(),
        }
    }

    fn failed_result(&self, message: String) -> VettingResult {
        let problem = Problem::unreadable_file(self.market, &self.table, &self.path, message);
        VettingResult { problems: vec![problem], ..VettingResult::default() }
    }
}

impl Vetter {
    /// Reads files one after the other, and calls `on_read` after each. The results have the order of the tasks.
    ///
    /// # Errors
    /// A process that cannot be started. A file that ends the process is a problem in its result.
    pub fn vet(
        &self,
        catalogue: &Catalogue,
        tasks: &[Task],
        on_read: impl Fn(),
    ) -> Result<Vec<VettingResult>, RefreshError> {
        let Self::Child { .. } = self else {
            return Ok(tasks.iter().map(|task| task.run(catalogue)).inspect(|_| on_read()).collect());
        };
        let mut vetted = Vec::new();
        while let Some(rest) = tasks.get(vetted.len()..).filter(|rest| !rest.is_empty()) {
            let mut reader = VetterProcess::start(self).map_err(RefreshError::Vetter)?;
            // If a process ended, another one is started for the files after the one at which it ended.
            for task in rest {
                let answer = reader.send_task(task);
                let ended = answer.is_err();
                vetted.push(answer.unwrap_or_else(|message| task.failed_result(message)));
                on_read();
                if ended {
                    break;
                }
            }
        }
        Ok(vetted)
    }
}

/// A reader process; it is killed on drop.
struct VetterProcess {
    child: Child,
    tasks: Option<ChildStdin>,
    answers: Receiver<String>,
    memory: u64,
    timeout: Duration,
}

impl VetterProcess {
    fn start(vetter: &Vetter) -> std::io::Result<Self> {
        let Vetter::Child { program, arguments, memory, timeout } = vetter else {
            return Err(std::io::ErrorKind::Unsupported.into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .arg(memory.to_string())
            // Memory that the allocator commits in advance would count against the limit.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let tasks = child.stdin.take();
        let (send, answers) = sync_channel(1);
        if let Some(output) = child.stdout.take() {
            std::thread::Builder::new().name("vetting".to_owned()).spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        break;
                    }
                }
            })?;
        }
        Ok(Self { child, tasks, answers, memory: *memory, timeout: *timeout })
    }

    /// Sends a file to the process; an error describes why the process gave no result.
    fn send_task(&mut self, task: &Task) -> Result<VettingResult, String> {
        let line = serde_json::to_string(task).map_err(|error| error.to_string())?;
        let sent = self.tasks.as_mut().map(|tasks| writeln!(tasks, "{line}").and_then(|()| tasks.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.wait_for_end());
        }
        match self.answers.recv_timeout(self.timeout) {
            Ok(answer) => serde_json::from_str(&answer).map_err(|error| error.to_string()),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("reading it takes longer than {} s", self.timeout.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.wait_for_end()),
        }
    }

    /// Waits for the process and describes how it ended.
    fn wait_for_end(&mut self) -> String {
        const MIB: u64 = 1 << 20;
        let end_status =
            self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        format!(
            "reading it ended the process that does so ({end_status}): it needs more than {} MiB (`--admission-mib` of `serve`), or is made to do harm",
            self.memory / MIB
        )
    }
}

impl Drop for VetterProcess {
    fn drop(&mut self) {
        self.tasks = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Limits the memory of this process, makes it the first candidate of the out-of-memory killer, and lowers its priority. Systems other than
/// Linux only lower the priority.
pub fn limit_memory(bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        let _ = setrlimit(Resource::Data, limit);
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = std::fs::write(Path::new("/proc/self/oom_score_adj"), "1000");
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (bytes, Path::new(""));
    }
    thread_priority::lower(thread_priority::BACKGROUND);
}

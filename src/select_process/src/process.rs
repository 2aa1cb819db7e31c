//! One child process, which runs one SELECT at a time.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::request::{ReplyHead, SelectReply, SelectRequest, SelectedSet};
use super::{SelectProgram, TimeSpent};
use parquote_catalogue::error::ClientError;
use parquote_engine::caller_select::SelectLimits;
use parquote_engine::{Deadline, EncodedAnswer};

/// Time after the deadline in which a process may report the timeout itself, before it is killed.
const GRACE: Duration = Duration::from_millis(300);
/// Variables that keep the allocator from reserving memory in advance, and the number of loading threads small.
const ENVIRONMENT: [(&str, &str); 2] = [("MIMALLOC_ARENA_EAGER_COMMIT", "0"), ("RAYON_NUM_THREADS", "1")];

/// A child process; dropping it kills it.
#[derive(Debug)]
pub(super) struct SelectProcess {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Sets of the last request.
    sets: Option<Vec<SelectedSet>>,
    is_grown: bool,
    /// Owner of the last SELECT; empty before the first one.
    pub(super) owner: String,
}

/// Reason why a run ended without an answer.
pub(super) enum RunEnd {
    /// The deadline passed.
    Overrun(Deadline),
    /// The process ended: it exceeded its memory, or nesting overflowed its stack.
    Dead,
    /// The process could not be reached.
    Broken(io::Error),
}

/// Time charged for a run: its processor time, or the whole elapsed time if it is aborted.
struct PaidRun<'a> {
    spent: &'a dyn TimeSpent,
    began: Instant,
    is_billed: bool,
}

impl SelectProcess {
    /// Starts a process; an error if the system cannot.
    pub(super) fn start(program: &SelectProgram) -> io::Result<Self> {
        let mut command = Command::new(&program.program);
        if !program.inherits_environment {
            command.env_clear();
        }
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        #[cfg(unix)]
        command.arg0("parquote");
        let mut child = command
            .args(&program.arguments)
            .envs(ENVIRONMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self {
            child,
            requests,
            replies: BufReader::new(replies),
            sets: None,
            is_grown: false,
            owner: String::new(),
        })
    }

    /// Returns true if the process has loaded the sets of a request.
    pub(super) fn has_sets(&self, request: &SelectRequest) -> bool {
        self.sets == request.sets
    }

    /// Returns true if the process retains much more memory than before its last SELECT.
    pub(super) const fn is_grown(&self) -> bool {
        self.is_grown
    }

    /// Runs a SELECT. An error means that the process ended or did not answer in time, and must not be used again.
    pub(super) async fn run_select(
        &mut self,
        request: &mut SelectRequest,
        limits: &SelectLimits,
        deadline: Deadline,
        spent: &dyn TimeSpent,
    ) -> Result<Result<EncodedAnswer, ClientError>, RunEnd> {
        let sets = request.sets.take();
        if self.sets != sets {
            request.sets.clone_from(&sets);
        }
        let mut paid = PaidRun { spent, began: Instant::now(), is_billed: false };
        let ready = tokio::time::timeout_at(deadline.at(), self.send_request(request)).await;
        request.sets.clone_from(&sets);
        self.sets = sets;
        match ready.map_err(|_| RunEnd::Overrun(deadline))? {
            Ok(true) => {}
            Ok(false) => return Err(self.log_end().await),
            Err(error) => return Err(RunEnd::Broken(error)),
        }
        paid.began = Instant::now();
        // The tables are loaded: the time limit of the SELECT begins here.
        let within = deadline.within(limits.time);
        let answered = tokio::time::timeout_at(within.at() + GRACE, self.read_reply()).await;
        let Ok(answered) = answered else {
            tracing::warn!(
                ms = limits.time.as_millis() as u64,
                "a SELECT went on after its deadline; its process is killed"
            );
            return Err(RunEnd::Overrun(within));
        };
        let Ok(Some((head, body))) = answered else { return Err(self.log_end().await) };
        paid.is_billed = true;
        spent.add(Duration::from_micros(head.processor_us));
        self.is_grown = head.is_grown;
        Ok(to_answer(head.reply, body))
    }

    /// Sends a request and waits until its tables are loaded. Returns `false` if the process ended.
    async fn send_request(&mut self, request: &SelectRequest) -> io::Result<bool> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.requests.write_all(&line).await?;
        self.requests.flush().await?;
        let mut ready = String::new();
        Ok(self.replies.read_line(&mut ready).await? > 0)
    }

    /// Reads the reply; `None` if the process ended.
    async fn read_reply(&mut self) -> io::Result<Option<(ReplyHead, Vec<u8>)>> {
        let mut line = String::new();
        if self.replies.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let head: ReplyHead = serde_json::from_str(&line)?;
        let bytes = if let SelectReply::Rows { bytes, .. } = &head.reply { *bytes } else { 0 };
        let mut body = vec![0; bytes];
        self.replies.read_exact(&mut body).await?;
        Ok(Some((head, body)))
    }

    /// Logs how the process ended.
    async fn log_end(&mut self) -> RunEnd {
        let status = tokio::time::timeout(GRACE, self.child.wait()).await;
        let how = match status {
            Ok(Ok(status)) => status.to_string(),
            _ => "it closed its output".to_owned(),
        };
        tracing::warn!(how, "a SELECT ended the process that ran it");
        RunEnd::Dead
    }
}

fn to_answer(reply: SelectReply, body: Vec<u8>) -> Result<EncodedAnswer, ClientError> {
    match reply {
        SelectReply::Rows { extent, .. } => {
            Ok(EncodedAnswer { body: body.into(), wrapper: Bytes::new(), extent })
        }
        SelectReply::Refused { kind, message, retry_after_s, cause } => Err(ClientError {
            retry_after_s,
            source: cause.map(Into::into),
            ..ClientError::new(kind, message)
        }),
    }
}

impl Drop for PaidRun<'_> {
    fn drop(&mut self) {
        if !self.is_billed {
            self.spent.add(self.began.elapsed());
        }
    }
}

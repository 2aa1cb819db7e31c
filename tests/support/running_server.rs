//! `parquote serve` as a child process: its address is read from its output, and it is killed when the test ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Timeout for events that should come soon.
const TIMEOUT: Duration = Duration::from_mins(5);

/// A server in a separate process. It is killed when this value is dropped.
pub(crate) struct RunningServer {
    child: Child,
    output: PathBuf,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl RunningServer {
    /// Starts a command; its standard output goes to one file and its log is appended to another.
    pub(crate) fn start(mut command: Command, output: PathBuf, log: &Path) -> Self {
        // Such a server answers a few requests; planning all other operations ahead would be wasted. `--plan-ahead` overrules this.
        command.env("PARQUOTE_PLAN_AHEAD", "false");
        command.stdin(Stdio::null()).stdout(File::create(&output).unwrap());
        command.stderr(File::options().create(true).append(true).open(log).unwrap());
        Self { child: command.spawn().unwrap(), output }
    }

    /// Waits until the server reports that it serves; returns its URL with the version.
    pub(crate) fn url(&mut self) -> String {
        wait_for("the server", || {
            let said = self.said();
            let serves = said.contains("try:");
            assert!(serves || self.lives(), "the server ended: {said}");
            serves
        });
        self.said().split(" at ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
    }

    /// Returns its standard output so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    /// Returns true if the process still runs.
    pub(crate) fn lives(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Returns a memory figure of the process, such as `VmRSS`, in bytes; `None` if the system does not report it.
    pub(crate) fn memory(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with(name))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().unwrap() << 10)
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the number of open descriptors; 0 if the system does not report it.
    pub(crate) fn descriptors(&self) -> u64 {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).map_or(0, |open| open.count() as u64)
    }

    /// Kills it at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends it a signal, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let told = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
    }

    /// Waits until it has exited with success; returns the time that this took.
    pub(crate) fn ended(&mut self) -> Duration {
        let began = Instant::now();
        assert!(self.child.wait().unwrap().success());
        began.elapsed()
    }

    /// Sends `TERM` and waits until it has exited.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        self.ended();
    }
}

/// Waits until a condition holds, polling at growing intervals: requests to a server are counted.
pub(crate) fn wait_for(what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    let mut pause = Duration::from_millis(10);
    while !so() {
        assert!(began.elapsed() < TIMEOUT, "{what} did not come");
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(200));
    }
}

/// Issues a key of the highest tier with a command of the program that uses the right state; returns the key's text.
pub(crate) fn issue_key(mut program: Command, owner: &str, more: &[&str]) -> String {
    let issued =
        program.args(["keys", "issue", "--tier", "api_max", "--owner", owner]).args(more).output().unwrap();
    assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
    String::from_utf8(issued.stdout).unwrap().trim().to_owned()
}

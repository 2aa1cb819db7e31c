//! The real binary over a plain folder, with an operators' address, killed or stopped by a test.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reqwest::Client;
use serde_json::Value as Json;

use crate::refreshed_server::reply;
use crate::running_server::{RunningServer, issue_key};
use crate::server::Reply;

/// The folder in which the program runs: its data, its state, and its output.
pub(super) struct RefreshFolder {
    folder: tempfile::TempDir,
}

/// A running server.
pub(super) struct Program {
    server: RunningServer,
    url: String,
    admin: String,
    key: String,
    client: Client,
}

impl RefreshFolder {
    /// Makes a folder whose data are written by `fill` first.
    pub(super) fn over(fill: impl FnOnce(&Path)) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.data()).unwrap();
        fill(&place.data());
        place
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a path below the folder of the Indian market.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.data().join("india").join(path)
    }

    /// Returns a command of the program in this folder.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Starts a server that loads files on request or after `quiet_ms` at rest; it may not be listening
    /// yet.
    pub(super) fn start(&self, quiet_ms: u64, more: &[&str]) -> Program {
        let (output, log) = (self.folder.path().join("out"), self.folder.path().join("log"));
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let admin = free.local_addr().unwrap().to_string();
        drop(free);
        let mut command = self.command(&["serve", "--log", "warn", "--data", "data", "--admin", &admin]);
        command.args(["--listen", "127.0.0.1:0", "--poll-ms", "50", "--quiet-ms", &quiet_ms.to_string()]);
        command.args(more);
        let server = RunningServer::start(command, output, &log);
        let client = Client::builder().no_proxy().build().unwrap();
        Program { server, url: String::new(), admin, key: String::new(), client }
    }

    /// Starts a server and waits until it serves.
    pub(super) fn serve(&self, quiet_ms: u64, more: &[&str]) -> Program {
        let mut program = self.start(quiet_ms, more);
        program.url = program.server.url();
        // Issued once, and saved for the next start.
        let key = self.folder.path().join("key");
        if !key.exists() {
            fs::write(&key, issue_key(self.command(&[]), "local", &[])).unwrap();
        }
        program.key = fs::read_to_string(key).unwrap();
        program
    }

    /// Returns the log of all servers here.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Returns the remaining staging folders. One without an owner is left alone for a minute.
    #[cfg(unix)]
    pub(super) fn staging(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.file("")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_staging = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(".staging");
        paths.filter(is_staging).filter(|path| path.join(".owner").exists()).collect()
    }
}

impl Program {
    /// Returns true if the process still runs.
    pub(super) fn lives(&mut self) -> bool {
        self.server.lives()
    }

    /// Sends a GET for a path below `/v1/`.
    pub(super) fn get(&self, path: &str) -> Reply {
        reply(self.client.get(format!("{}/{path}", self.url)).header("x-api-key", &self.key))
    }

    /// Triggers a refresh and returns the Indian market's status after it.
    pub(super) fn refresh(&self) -> Json {
        // A refresh has the lowest priority; after a minute the reply says that it is still running.
        let mut looks = (0..5).map(|_| reply(self.client.post(format!("http://{}/refresh", self.admin))));
        looks.find(|look| look.status != 504).unwrap().json()["markets"]["india"].take()
    }

    /// Returns its memory in bytes, if the system reports it.
    pub(super) fn memory(&self) -> Option<u64> {
        self.server.memory("VmRSS")
    }

    /// Returns its peak memory in bytes.
    pub(super) fn most_memory(&self) -> Option<u64> {
        self.server.memory("VmHWM")
    }

    /// Kills it at once.
    #[cfg(unix)]
    pub(super) fn kill(self) {
        self.server.kill();
    }
}

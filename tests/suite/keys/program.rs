//! The real binary as a child process, in a separate folder, with all its output captured.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::fixture::Reply;
use crate::demo_market::{RUNTIME, SHIPPED};
pub(super) use crate::running_server::wait_for;
use crate::running_server::{RunningServer, issue_key};

/// The folder in which the program runs: its state and its output.
pub(super) struct KeysFolder {
    folder: tempfile::TempDir,
}

/// A running server.
pub(super) struct Program {
    server: RunningServer,
    url: String,
    pub client: reqwest::Client,
}

impl KeysFolder {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a command of the program in this folder.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Runs a command to its end; returns true if it succeeded, its output and its errors.
    pub(super) fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout).trim().to_owned(), text(output.stderr))
    }

    /// Issues a key of the highest tier, as `keys issue` does, in the default state file.
    pub(super) fn issue(&self) -> String {
        issue_key(self.command(&[]), "local", &[])
    }

    /// Starts a server on a free port, and waits until it serves.
    pub(super) fn serve(&self, name: &str, more: &[&str]) -> Program {
        let mut command = self.command(&["serve"]);
        command.env("PARQUOTE_LISTEN", "127.0.0.1:0").env("PARQUOTE_GUEST", "false");
        command.args(["--data", &SHIPPED.sets.to_string_lossy()]).args(more);
        self.started(name, command)
    }

    /// Starts the same with a terminal as standard output. Only `stop` ends it.
    #[cfg(target_os = "linux")]
    pub(super) fn serve_on_a_terminal(&self, name: &str) -> Program {
        let mut command = Command::new("script");
        let program = format!(
            "exec {} serve --log warn --listen 127.0.0.1:0 --data {}",
            env!("CARGO_BIN_EXE_parquote"),
            SHIPPED.sets.display()
        );
        command.args(["-q", "-e", "-f", "-c", &program, "/dev/null"]).current_dir(self.path());
        self.started(name, command)
    }

    fn started(&self, name: &str, command: Command) -> Program {
        let (output, log) =
            (self.path().join(format!("{name}.out")), self.path().join(format!("{name}.log")));
        let mut server = RunningServer::start(command, output, &log);
        let client = client().build().unwrap();
        let url = server.url();
        Program { server, url, client }
    }

    /// Returns everything that servers wrote into the folder and into the state.
    pub(super) fn written(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for folder in [self.path().to_owned(), self.path().join("state")] {
            for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
                files.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
            }
        }
        files
    }
}

impl Program {
    /// Returns its standard output so far.
    pub(super) fn said(&self) -> String {
        self.server.said()
    }

    /// Returns its URL with the version.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Sends a GET for a path below `/v1/`.
    pub(super) fn get(&self, key: &str, path: &str) -> Reply {
        self.fetch(&format!("{}/{path}", self.url), key)
    }

    /// Sends a POST of a message to the MCP endpoint; `behind` is appended to its path.
    pub(super) fn post(&self, behind: &str, headers: &[(&str, &str)], message: &serde_json::Value) -> Reply {
        let root = self.url.trim_end_matches("/v1");
        let mut request =
            self.client.post(format!("{root}/mcp{behind}")).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(message.to_string());
        RUNTIME.block_on(async { Reply::read(request.send().await.unwrap()).await })
    }

    /// Sends a GET for any URL.
    pub(super) fn fetch(&self, url: &str, key: &str) -> Reply {
        RUNTIME.block_on(async {
            Reply::read(self.client.get(url).header("x-api-key", key).send().await.unwrap()).await
        })
    }

    /// Sends a GET for `/v1/status` under another host name, as a proxy forwards it.
    pub(super) fn status_under(&self, host: &str) -> Reply {
        // In HTTP/2 the host is in the URL, and a header may only repeat it.
        let client = client().http1_only().build().unwrap();
        let request = client.get(format!("{}/status", self.url)).header("host", host);
        RUNTIME.block_on(async { Reply::read(request.send().await.unwrap()).await })
    }

    /// Kills it at once.
    pub(super) fn kill(self) {
        self.server.kill();
    }

    /// Stops it, and waits until it has ended.
    pub(super) fn stop(self) {
        self.server.stop();
    }
}

/// Returns a client that trusts the certificate of the tests.
fn client() -> reqwest::ClientBuilder {
    let certificate = reqwest::Certificate::from_pem(include_bytes!("tls/cert.pem")).unwrap();
    reqwest::Client::builder().no_proxy().add_root_certificate(certificate)
}

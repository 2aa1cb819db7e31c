//! The real binary as a child process, with a folder of its own, and everything it writes kept.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::fixture::Reply;
use crate::demo_market::{RUNTIME, SHIPPED};
pub(super) use crate::running_server::wait_for;
use crate::running_server::{RunningServer, issue_key};

/// A folder in which the program runs: its state, and what it writes.
pub(super) struct KeysFolder {
    folder: tempfile::TempDir,
}

/// A server that runs.
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

    /// A command of the program in this place.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Runs a command to its end: whether it succeeded, and what it said.
    pub(super) fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout).trim().to_owned(), text(output.stderr))
    }

    /// Issues a key for everything, as `keys issue` does, in the state file that is used without a flag.
    pub(super) fn issue(&self) -> String {
        issue_key(self.command(&[]), "local", &[])
    }

    /// Starts a server on a port of its own, and waits until it says that it is up.
    pub(super) fn serve(&self, name: &str, more: &[&str]) -> Program {
        let mut command = self.command(&["serve"]);
        command.env("PARQUOTE_LISTEN", "127.0.0.1:0").env("PARQUOTE_GUEST", "false");
        command.args(["--data", &SHIPPED.sets.to_string_lossy()]).args(more);
        self.started(name, command)
    }

    /// The same for a person who looks at it: its standard output is a terminal. It ends by `stop` alone.
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

    /// Everything that was written here by the servers and into the state.
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
    /// What it wrote to standard output so far.
    pub(super) fn said(&self) -> String {
        self.server.said()
    }

    /// Where it answers, with the version.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// GET of a path below `/v1/`.
    pub(super) fn get(&self, key: &str, path: &str) -> Reply {
        self.fetch(&format!("{}/{path}", self.url), key)
    }

    /// POST of a message to the MCP endpoint, with whatever stands behind its path.
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

    /// GET of any address.
    pub(super) fn fetch(&self, url: &str, key: &str) -> Reply {
        RUNTIME.block_on(async {
            Reply::read(self.client.get(url).header("x-api-key", key).send().await.unwrap()).await
        })
    }

    /// GET of `/v1/status` under another host name, as a proxy hands it on.
    pub(super) fn status_under(&self, host: &str) -> Reply {
        // HTTP/2 has the host in the address, and a header may only repeat it.
        let client = client().http1_only().build().unwrap();
        let request = client.get(format!("{}/status", self.url)).header("host", host);
        RUNTIME.block_on(async { Reply::read(request.send().await.unwrap()).await })
    }

    /// Ends it in the middle of whatever it does.
    pub(super) fn kill(self) {
        self.server.kill();
    }

    /// Tells it to stop, and waits until it has.
    pub(super) fn stop(self) {
        self.server.stop();
    }
}

/// A client that trusts the certificate of the tests.
fn client() -> reqwest::ClientBuilder {
    let certificate = reqwest::Certificate::from_pem(include_bytes!("tls/cert.pem")).unwrap();
    reqwest::Client::builder().no_proxy().add_root_certificate(certificate)
}

//! The real binary in a separate folder, with a scripted model as all six providers and all its output captured.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::demo_market::{RUNTIME, SHIPPED};
use crate::protocol_server::{ProtocolServer, Spoken};
use crate::running_server::{RunningServer, issue_key};
use crate::server::Reply;

/// The folder in which the program runs: its state and its output.
pub(super) struct RunsFolder {
    folder: tempfile::TempDir,
    urls: String,
}

/// A running server.
pub(super) struct Program {
    server: RunningServer,
    url: String,
    key: String,
    client: reqwest::Client,
}

impl RunsFolder {
    pub(super) fn with(model: &ProtocolServer) -> Self {
        let urls = Spoken::ALL.map(|spoken| format!("{}={}", spoken.name(), model.url(spoken)));
        Self { folder: tempfile::tempdir().unwrap(), urls: urls.join(",") }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a server with the finest log, and waits until it serves.
    pub(super) fn serve(&self, name: &str) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(["serve", "--log", "trace", "--data"]).arg(&SHIPPED.sets);
        command.env("PARQUOTE_PROVIDER_URLS", &self.urls);
        Program::start(command, self.path(), name)
    }

    /// Returns all files with their content.
    pub(super) fn written(&self) -> Vec<(String, Vec<u8>)> {
        let (mut files, mut folders) = (Vec::new(), vec![self.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    files.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
                }
            }
        }
        files
    }
}

impl Program {
    /// Starts a server in a folder, and waits until it serves.
    pub(super) fn start(mut command: Command, folder: &Path, name: &str) -> Self {
        let output = folder.join(format!("{name}.out"));
        command.args(["--listen", "127.0.0.1:0"]).current_dir(folder);
        let mut server = RunningServer::start(command, output, &folder.join(format!("{name}.log")));
        let url = server.url();
        // Issued once, and reused at the next start.
        let kept = folder.join("key");
        if !kept.exists() {
            fs::write(&kept, new_key(folder, "local", &["--admin"])).unwrap();
        }
        let key = fs::read_to_string(kept).unwrap();
        Self { server, url, key, client: reqwest::Client::builder().no_proxy().build().unwrap() }
    }

    /// Sends a GET for a path below `/v1/`.
    pub(super) fn get(&self, path: &str) -> Reply {
        self.get_as(&self.key, path)
    }

    /// Sends a GET for a path below `/v1/` with a key.
    pub(super) fn get_as(&self, key: &str, path: &str) -> Reply {
        let request = self.client.get(format!("{}/{path}", self.url));
        RUNTIME.block_on(Reply::to(request.header("x-api-key", key))).unwrap()
    }

    /// Calls a tool and returns the reply.
    pub(super) fn tool(&self, tool: &str, arguments: &Json) -> Reply {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let url = format!("{}/mcp", self.url.trim_end_matches("/v1"));
        let request = self.client.post(url).header("content-type", "application/json");
        self.read(request.body(message.to_string()))
    }

    fn read(&self, request: reqwest::RequestBuilder) -> Reply {
        RUNTIME.block_on(Reply::to(request.header("x-api-key", &self.key))).unwrap()
    }

    /// Kills it at once.
    pub(super) fn kill(self) {
        self.server.kill();
    }
}

/// Issues a key of an owner of the server in a folder, with further arguments.
pub(super) fn new_key(folder: &Path, owner: &str, more: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_parquote"));
    program.current_dir(folder);
    issue_key(program, owner, more)
}

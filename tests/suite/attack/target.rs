//! The server that is attacked, and the honest caller.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;

use crate::demo_market::{RUNTIME, SHIPPED};

const MIB: u64 = 1 << 20;
/// How often an honest caller asks to know how long it takes.
const ASKED: usize = 200;
/// How much longer it may take while somebody attacks.
const SLOWER: f64 = 5.0;
/// A machine that does other things at the same time slows a turn down, but hardly all of them.
const TURNS: usize = 5;

/// A server that runs.
pub(super) struct Target {
    child: Child,
    folder: tempfile::TempDir,
    pub address: String,
    pub honest: String,
    pub hostile: String,
    client: Client,
}

impl Target {
    /// Starts a server on a port of its own, with a key for an honest caller and one for a hostile one.
    pub(super) fn start(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
            command.current_dir(folder.path());
            command
        };
        let key = |more: &[&str]| {
            let issue = program()
                .args(["keys", "issue", "--tier", "api_max", "--owner", "Caller"])
                .args(more)
                .output();
            let issued = issue.unwrap();
            assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
            String::from_utf8(issued.stdout).unwrap().trim().to_owned()
        };
        // The honest caller asks more often than a day's allowance, only to be measured.
        let (honest, hostile) = (key(&["--unmetered"]), key(&[]));
        let output = folder.path().join("server.out");
        let mut command = program();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data", &SHIPPED.data.to_string_lossy()])
            .args(more);
        command.stdout(File::create(&output).unwrap()).stdin(Stdio::null());
        command.stderr(File::create(folder.path().join("server.log")).unwrap());
        let child = command.spawn().unwrap();
        let client = client(false);
        let mut target = Self { child, folder, address: String::new(), honest, hostile, client };
        target.address = said_address(&output);
        target
    }

    /// GET of a path by a caller with a connection of its own, with the status.
    pub(super) fn get(&self, key: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        RUNTIME.block_on(ask(&self.client, &self.url(path), key, headers))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A connection without a word said.
    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// A connection with some words said.
    pub(super) fn say(&self, words: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        let _ = stream.write_all(words);
        stream
    }

    /// What the server wrote to its log.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("server.log")).unwrap()
    }

    /// Runs an attack and holds the honest caller and the memory against their bounds while it goes on. The attack hands back what
    /// keeps it going.
    pub(super) fn withstands<A>(&self, more_mib: u64, attack: impl FnOnce() -> A) -> A {
        let (idle, before) = (self.fastest_p99(), self.memory());
        let going_on = attack();
        let (attacked, after) = (self.fastest_p99(), self.memory());
        let ratio = attacked / idle;
        assert!(ratio <= SLOWER, "an honest caller takes {ratio:.1} times as long ({idle} s, {attacked} s)");
        let more = after.saturating_sub(before) / MIB;
        assert!(more <= more_mib, "the server holds {more} MiB more");
        going_on
    }

    /// Seconds that an honest caller waits at most for 99 of 100 answers, each over a connection of its own.
    fn fastest_p99(&self) -> f64 {
        let url = self.url("/v1/market/sectors");
        let turn = || {
            let mut took: Vec<f64> = (0..ASKED)
                .map(|_| {
                    let began = Instant::now();
                    let status = RUNTIME.block_on(ask(&self.client, &url, &self.honest, &[]));
                    assert_eq!(status, 200);
                    began.elapsed().as_secs_f64()
                })
                .collect();
            took.sort_unstable_by(f64::total_cmp);
            took[ASKED * 99 / 100 - 1]
        };
        (0..TURNS).map(|_| turn()).fold(f64::INFINITY, f64::min)
    }

    /// The memory that the server holds, in bytes.
    #[cfg(target_os = "linux")]
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    #[cfg(not(target_os = "linux"))]
    fn memory(&self) -> u64 {
        0
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client whose requests have a connection each, or share one of HTTP/2.
pub(super) fn client(http2: bool) -> Client {
    let client = Client::builder().no_proxy().timeout(Duration::from_secs(30));
    let client = if http2 { client.http2_prior_knowledge() } else { client.pool_max_idle_per_host(0) };
    client.build().unwrap()
}

async fn ask(client: &Client, url: &str, key: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = client.get(url).header("x-api-key", key);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let reply = request.send().await.unwrap();
    let status = reply.status().as_u16();
    reply.bytes().await.unwrap();
    status
}

/// How many connections an attack opens.
pub(super) fn many() -> usize {
    let asked = std::env::var("PARQUOTE_ATTACK_CONNECTIONS").ok();
    asked.map_or(600, |number| number.parse().unwrap())
}

fn said_address(output: &PathBuf) -> String {
    let began = Instant::now();
    loop {
        let said = fs::read_to_string(output).unwrap();
        if let Some(url) = said.split(" at http://").nth(1).filter(|_| said.contains("try:")) {
            return url.split("/v1").next().unwrap().to_owned();
        }
        assert!(began.elapsed() < Duration::from_mins(1), "the server did not come: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

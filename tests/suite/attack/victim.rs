//! A server with one heavy query, a key for an honest caller and one for a hostile one.

use std::fs::{self, File};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::{Value as Json, json};
use tokio::task::JoinSet;

use crate::demo_market::{RUNTIME, SHIPPED};

/// How often an honest caller asks to know how long it takes.
const ASKED: usize = 200;
/// How much longer it may take while somebody attacks.
const SLOWER: f64 = 5.0;
/// A machine that does other things at the same time slows a turn down, but hardly all of them.
const TURNS: usize = 4;

/// A sort of more than a million rows in one piece. Another number is another question, so that no answer is kept.
const HEAVY: &str = r#"-- Triples of stocks, sorted.
-- tool:   heavy
-- tier:   free
-- group:  Core
-- answer: list
-- param:  limit int = 1 in 1..10 "Rows to return."
-- param:  salt int = 0 in 0..1000000 "Another number is another question."
-- column: rank_sum number "A sum."
SELECT SUM(places.place % 7) * 1.0 AS rank_sum
FROM   (SELECT ROW_NUMBER() OVER (ORDER BY (a.volume * 7 + b.volume * ($salt + 3) + c.volume) % 1000003) AS place
        FROM   stocks a
        CROSS  JOIN stocks b
        CROSS  JOIN (SELECT symbol, volume FROM stocks ORDER BY symbol LIMIT 40) c) places
LIMIT  $limit
"#;

/// A server that runs.
pub(super) struct Victim {
    child: Child,
    _folder: tempfile::TempDir,
    address: String,
    admin: String,
    honest: String,
    hostile: String,
    client: Client,
    salt: Arc<AtomicU64>,
}

/// An attack, until it is dropped.
pub(super) struct Attack(#[expect(dead_code, reason = "its tasks end with it")] JoinSet<()>);

impl Victim {
    pub(super) fn start(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
            command.current_dir(folder.path()).stdin(Stdio::null());
            command
        };
        let queries = folder.path().join("queries/api");
        fs::create_dir_all(&queries).unwrap();
        fs::write(queries.join("heavy.sql"), HEAVY).unwrap();
        let key = |owner: &str| {
            let issued = ["keys", "issue", "--tier", "api_max", "--unmetered", "--owner", owner];
            let issued = program().args(issued).output().unwrap();
            assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
            String::from_utf8(issued.stdout).unwrap().trim().to_owned()
        };
        let (honest, hostile) = (key("Honest"), key("Hostile"));
        // A port that was free a moment ago.
        let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let output = folder.path().join("out");
        let mut command = program();
        command.args(["--queries", "queries", "serve", "--listen", "127.0.0.1:0", "--admin", &admin]);
        command.arg("--data").arg(&SHIPPED.data).args(more);
        command.stdout(File::create(&output).unwrap());
        command.stderr(File::create(folder.path().join("log")).unwrap());
        let child = command.spawn().unwrap();
        let began = Instant::now();
        let said = loop {
            let said = fs::read_to_string(&output).unwrap();
            if said.contains("try:") {
                break said;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "the server did not come up");
            std::thread::sleep(Duration::from_millis(20));
        };
        let address = said.split(" at http://").nth(1).unwrap().split("/v1").next().unwrap().to_owned();
        let client = Client::builder().no_proxy().timeout(Duration::from_mins(2)).build().unwrap();
        let salt = Arc::default();
        Self { child, _folder: folder, address, admin, honest, hostile, client, salt }
    }

    /// The path of a heavy query that was not asked before.
    pub(super) fn heavy(&self) -> String {
        format!("/v1/heavy?salt={}", self.salt.fetch_add(1, Ordering::Relaxed))
    }

    /// GET of a path by the honest caller.
    pub(super) async fn honest(&self, path: &str) -> Response {
        let request = self.client.get(format!("http://{}{path}", self.address));
        request.header("x-api-key", &self.honest).send().await.unwrap()
    }

    /// GET of a path by the hostile one.
    pub(super) async fn hostile(&self, path: &str) -> Response {
        let request = self.client.get(format!("http://{}{path}", self.address));
        request.header("x-api-key", &self.hostile).send().await.unwrap()
    }

    /// Asks for heavy queries, so many at a time, until it is dropped.
    pub(super) fn heavy_queries(&self, at_once: usize) -> Attack {
        self.attack(at_once, |client, address, salt| {
            let salt = salt.fetch_add(1, Ordering::Relaxed);
            client.get(format!("http://{address}/v1/heavy?salt={salt}"))
        })
    }

    /// Calls a method of the tools' endpoint, so many times at once, until it is dropped.
    pub(super) fn messages(
        &self,
        at_once: usize,
        behind: &'static str,
        method: &'static str,
        params: &Json,
    ) -> Attack {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        assert!(message.len() < 256 * 1024, "what is too long is not even read");
        self.attack(at_once, move |client, address, _| {
            let request = client.post(format!("http://{address}/mcp{behind}"));
            let request = request.header("content-type", "application/json");
            request.header("accept", "application/json, text/event-stream").body(message.clone())
        })
    }

    fn attack(
        &self,
        at_once: usize,
        request: impl Fn(&Client, &str, &AtomicU64) -> reqwest::RequestBuilder + Clone + Send + 'static,
    ) -> Attack {
        let mut tasks = JoinSet::new();
        for _ in 0..at_once {
            let (client, address, salt) = (self.client.clone(), self.address.clone(), Arc::clone(&self.salt));
            let (key, request) = (self.hostile.clone(), request.clone());
            let task = async move {
                loop {
                    let sent = request(&client, &address, &salt).header("x-api-key", &key).send().await;
                    if let Ok(reply) = sent {
                        let _ = reply.bytes().await;
                    }
                }
            };
            tasks.spawn_on(task, RUNTIME.handle());
        }
        Attack(tasks)
    }

    /// Holds the honest caller's waits for some paths, and the operators', against those of an idle server while an attack goes
    /// on.
    pub(super) fn withstands(&self, paths: &[&str], attack: impl FnOnce() -> Attack) {
        let urls: Vec<String> = paths
            .iter()
            .map(|path| format!("http://{}{path}", self.address))
            .chain(["healthz", "readyz"].map(|path| format!("http://{}/{path}", self.admin)))
            .collect();
        let idle: Vec<f64> = urls.iter().map(|url| self.fastest_p99(url)).collect();
        let going_on = attack();
        std::thread::sleep(Duration::from_millis(500));
        for (url, idle) in urls.iter().zip(idle) {
            let attacked = self.fastest_p99(url);
            let ratio = attacked / idle;
            eprintln!(
                "{url}: {:.0} us idle, {:.0} us attacked, {ratio:.1} times",
                idle * 1e6,
                attacked * 1e6
            );
            assert!(ratio <= SLOWER, "{url} takes {ratio:.1} times as long ({idle} s, {attacked} s)");
        }
        drop(going_on);
    }

    /// Seconds that a caller waits at most for 99 of 100 answers.
    fn fastest_p99(&self, url: &str) -> f64 {
        let turn = || {
            let mut took: Vec<f64> = (0..ASKED)
                .map(|_| {
                    let began = Instant::now();
                    RUNTIME.block_on(async {
                        let request = self.client.get(url).header("x-api-key", &self.honest);
                        let reply = request.send().await.unwrap();
                        assert_eq!(reply.status(), 200, "{url}");
                        reply.bytes().await.unwrap();
                    });
                    began.elapsed().as_secs_f64()
                })
                .collect();
            took.sort_unstable_by(f64::total_cmp);
            took[ASKED * 99 / 100 - 1]
        };
        (0..TURNS).map(|_| turn()).fold(f64::INFINITY, f64::min)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

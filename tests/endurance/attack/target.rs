//! The attacked server, with one heavy query in addition to its usual ones; the honest caller; and the bounds during attacks.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use tokio::sync::{Mutex, MutexGuard};

use crate::demo_market::{RUNTIME, SHIPPED};
use crate::running_server::{RunningServer, issue_key};

const MIB: u64 = 1 << 20;
/// Number of an honest caller's requests in one measurement.
const ASKED: usize = 100;
/// Largest ratio of its latency during an attack to that on an idle server.
const SLOWER: f64 = 5.0;
/// Most measurements; a machine with other work disturbs some, but hardly all of them.
const TURNS: usize = 25;
/// Idle latencies below this, in seconds, count as this: concurrent tests and the attackers share the cores, which costs an honest caller
/// a few scheduler slices. An attack without limits would cost it seconds.
const SLICE: f64 = 0.01;

/// A sort of more than a million rows in one piece. Another `salt` is another request, so that no answer is cached.
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

/// A running server.
pub(crate) struct Target {
    pub server: RunningServer,
    folder: tempfile::TempDir,
    pub address: String,
    /// The operators' address.
    pub admin: String,
    pub honest: String,
    pub hostile: String,
    client: Client,
    /// Latencies of the honest caller and of operators before the first attack.
    idle: OnceLock<[f64; 3]>,
}

/// Locks out other attacks while latencies are measured or bounded, so that they are not measured together.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.blocking_lock()
}

impl Target {
    /// Starts a server on free ports, with a key for an honest caller and one for a hostile caller. Neither is metered, because
    /// limits other than the allowance are tested.
    pub(super) fn start(more: &[&str]) -> Self {
        Self::over(&SHIPPED.sets, more)
    }

    /// Starts the same over other tables.
    pub(crate) fn over(data: &Path, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
            command.current_dir(folder.path());
            command
        };
        let queries = folder.path().join("queries/api");
        fs::create_dir_all(&queries).unwrap();
        fs::write(queries.join("heavy.sql"), HEAVY).unwrap();
        let key = |owner: &str| issue_key(program(), owner, &["--unmetered"]);
        let (honest, hostile) = (key("Honest"), key("Hostile"));
        // This port was free a moment ago.
        let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let output = folder.path().join("server.out");
        let mut command = program();
        command.args(["--queries", "queries", "serve", "--listen", "127.0.0.1:0", "--admin", &admin]);
        command.arg("--data").arg(data).args(more);
        let mut server = RunningServer::start(command, output, &folder.path().join("server.log"));
        let url = server.url();
        let address = url.strip_prefix("http://").unwrap().trim_end_matches("/v1").to_owned();
        let client = client(false);
        let idle = OnceLock::new();
        Self { server, folder, address, admin, honest, hostile, client, idle }
    }

    /// Sends a GET as a caller on a new connection and returns the status.
    pub(super) fn get(&self, key: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let asked = headers
            .iter()
            .fold(self.client.get(self.url(path)), |request, (name, value)| request.header(*name, *value));
        RUNTIME.block_on(status(asked.header("x-api-key", key)))
    }

    /// Sends a GET as a caller until its deadline does not end it, a few times, as a busy machine needs it after an attack; returns the
    /// last status.
    pub(super) fn get_in_time(&self, key: &str, path: &str) -> u16 {
        const TRIES: usize = 3;
        let mut statuses = std::iter::repeat_with(|| self.get(key, path, &[])).take(TRIES);
        statuses.find(|status| *status != 503).unwrap_or(503)
    }

    /// Returns a request for a new heavy query.
    pub(super) fn heavy(&self, key: &str) -> RequestBuilder {
        static SALT: AtomicU64 = AtomicU64::new(0);
        let salt = SALT.fetch_add(1, Ordering::Relaxed);
        // It is meant to take long.
        let timeout = Duration::from_mins(2);
        self.client.get(self.url(&format!("/v1/heavy?salt={salt}"))).timeout(timeout).header("x-api-key", key)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Opens a connection and sends bytes.
    pub(super) fn say(&self, words: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(words);
        stream
    }

    /// Returns the server's log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("server.log")).unwrap()
    }

    /// Runs an attack and compares the latencies of the honest caller and of operators, and the memory, with their bounds during the
    /// attack. Returns the value that keeps the attack running.
    pub(super) fn withstands<A>(&self, more_mib: u64, attack: impl FnOnce() -> A) -> A {
        let _alone = alone();
        let urls =
            [self.url("/v1/market/sectors"), self.of_operators("healthz"), self.of_operators("readyz")];
        let before = self.memory();
        let idle = *self.idle.get_or_init(|| urls.each_ref().map(|url| self.p99(url)));
        let going_on = attack();
        let begun = self.memory();
        for (url, idle) in urls.iter().zip(idle) {
            let most = SLOWER * idle.max(SLICE);
            let mut attacked = Vec::new();
            while attacked.last().is_none_or(|took| *took > most) {
                assert!(attacked.len() < TURNS, "{url} takes {attacked:?} s instead of {idle} s");
                attacked.push(self.p99(url));
            }
            eprintln!("{url}: {idle:.6} s idle, {attacked:.6?} s attacked");
        }
        let more = begun.max(self.memory()).saturating_sub(before) / MIB;
        eprintln!("{more} MiB more");
        assert!(more <= more_mib, "the server holds {more} MiB more");
        going_on
    }

    fn of_operators(&self, path: &str) -> String {
        format!("http://{}/{path}", self.admin)
    }

    /// Returns the seconds within which 99 of 100 answers arrive, each over a new connection.
    fn p99(&self, url: &str) -> f64 {
        let mut took: Vec<f64> = (0..ASKED)
            .map(|_| {
                let began = Instant::now();
                let request = self.client.get(url).header("x-api-key", &self.honest);
                assert_eq!(RUNTIME.block_on(status(request)), 200, "{url}");
                began.elapsed().as_secs_f64()
            })
            .collect();
        took.sort_unstable_by(f64::total_cmp);
        took[ASKED * 99 / 100 - 1]
    }

    /// Returns the server's memory in bytes; 0 if the system does not report it.
    pub(crate) fn memory(&self) -> u64 {
        self.server.memory("VmRSS").unwrap_or(0)
    }

    /// Returns the server's number of open descriptors; 0 if the system does not report it.
    pub(crate) fn descriptors(&self) -> u64 {
        self.server.descriptors()
    }
}

/// Returns a client whose requests have a connection each, or share one HTTP/2 connection.
pub(super) fn client(http2: bool) -> Client {
    let client = Client::builder().no_proxy().timeout(Duration::from_secs(30));
    let client = if http2 { client.http2_prior_knowledge() } else { client.pool_max_idle_per_host(0) };
    client.build().unwrap()
}

/// Sends a request and reads its reply to the end.
async fn status(request: RequestBuilder) -> u16 {
    let reply = request.send().await.unwrap();
    let status = reply.status().as_u16();
    reply.bytes().await.unwrap();
    status
}

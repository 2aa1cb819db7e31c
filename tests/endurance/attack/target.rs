//! The server that is attacked, with one heavy query beside its usual ones; the honest caller; and the bounds that hold meanwhile.

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
/// How often an honest caller asks to know how long it takes.
const ASKED: usize = 100;
/// How much longer it may take while somebody attacks.
const SLOWER: f64 = 5.0;
/// A machine that does other things at the same time slows a turn down, but hardly all of so many.
const TURNS: usize = 25;
/// Idle waits below this, in seconds, count as this: the tests beside this one and the attackers themselves take turns on the same cores,
/// which costs an honest caller some slices of the scheduler's. Without a bound an attack costs it seconds.
const SLICE: f64 = 0.01;

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
pub(crate) struct Target {
    pub server: RunningServer,
    folder: tempfile::TempDir,
    pub address: String,
    /// Where operators ask.
    pub admin: String,
    pub honest: String,
    pub hostile: String,
    client: Client,
    /// What the honest caller and operators wait for before the first attack.
    idle: OnceLock<[f64; 3]>,
}

/// Held while waits are measured or bounded: what one attack takes of the machine is not to be measured as the cost of another.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.blocking_lock()
}

impl Target {
    /// Starts a server on ports of its own, with a key for an honest caller and one for a hostile one. Neither is metered: the honest
    /// caller is to be measured, and of the hostile one all that is not its allowance is to be bounded.
    pub(super) fn start(more: &[&str]) -> Self {
        Self::over(&SHIPPED.sets, more)
    }

    /// The same over tables of one's own.
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
        // A port that was free a moment ago.
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

    /// GET of a path by a caller with a connection of its own, with the status.
    pub(super) fn get(&self, key: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let asked = headers
            .iter()
            .fold(self.client.get(self.url(path)), |request, (name, value)| request.header(*name, *value));
        RUNTIME.block_on(status(asked.header("x-api-key", key)))
    }

    /// A request for a heavy query that was not asked before.
    pub(super) fn heavy(&self, key: &str) -> RequestBuilder {
        static SALT: AtomicU64 = AtomicU64::new(0);
        let salt = SALT.fetch_add(1, Ordering::Relaxed);
        // One that is not heard for long is the point of it.
        let timeout = Duration::from_mins(2);
        self.client.get(self.url(&format!("/v1/heavy?salt={salt}"))).timeout(timeout).header("x-api-key", key)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A connection with some words said.
    pub(super) fn say(&self, words: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(words);
        stream
    }

    /// What the server wrote to its log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("server.log")).unwrap()
    }

    /// Runs an attack and holds the waits of the honest caller and of operators, and the memory, against their bounds while it goes
    /// on. The attack hands back what keeps it going.
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

    /// Seconds that a caller waits at most for 99 of 100 answers, each over a connection of its own.
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

    /// The memory that the server holds, in bytes; 0 where the system does not tell.
    pub(crate) fn memory(&self) -> u64 {
        self.server.memory("VmRSS").unwrap_or(0)
    }

    /// The descriptors that the server has open; 0 where the system does not tell.
    pub(crate) fn descriptors(&self) -> u64 {
        self.server.descriptors()
    }
}

/// A client whose requests have a connection each, or share one of HTTP/2.
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

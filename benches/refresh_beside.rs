//! Latency of a server that derives a new day's tables in a child process, as `parquote serve --refresh` does.
//!
//! `cargo bench --profile dev --bench refresh_beside`, in seconds with `-- --small`
//!
//! The program itself serves an invented market to callers on real connections, who request an answer that is computed each time
//! and one that is cached. The phases take turns: a server alone; a server that finds one more session's file at its
//! start, derives it in a child process, admits it and serves it, until a second later. Nothing is fetched, because that
//! only waits. The callers use cores too, so a machine with two of them shows the worst case.

#[path = "measure/connection.rs"]
mod connection;
#[path = "measure/folder.rs"]
mod folder;
mod measure;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use chrono::NaiveDate;
use connection::{Connection, request};
use futures::future::join_all;
use measure::Times;
use measure::scale::Scale;
use parquote_demo::{DemoOptions, MarketSize, write};
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number and length of measurements.
struct Load {
    /// Fewer sessions than are archived by year, so that each is a file.
    market: MarketSize,
    /// Turns of each phase.
    turns: usize,
    /// Time during which the server is alone.
    alone: Duration,
    /// Callers, each on a separate connection.
    callers: usize,
}

const FULL: Load = Load {
    market: MarketSize { companies: 600, sessions: 500 },
    turns: 3,
    alone: Duration::from_secs(10),
    callers: 2,
};
const SMALL: Load = Load {
    market: MarketSize { companies: 24, sessions: 80 },
    turns: 1,
    alone: Duration::from_millis(500),
    callers: 1,
};

/// A market without its last session, and a key for its server.
struct Bench {
    folder: tempfile::TempDir,
    /// The last session.
    last: NaiveDate,
    key: String,
    asked: AtomicUsize,
}

/// A server that ends, with its child process, when this value is dropped.
struct Server {
    process: Child,
    address: SocketAddr,
}

/// The result of a phase with a refresh.
struct Refreshed {
    /// Time from the start of the server until the new day was served.
    took: Duration,
    /// Peak memory of the child process in MiB; 0 if the system does not report it.
    most_mib: u64,
}

/// Times of answers.
#[derive(Default)]
struct Answers {
    computed: Times,
    kept: Times,
}

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let load = scale.pick(FULL, SMALL);
    let bench = Bench::open(&load)?;
    let (mut alone, mut beside) = (Answers::default(), Answers::default());
    for turn in 1..=load.turns {
        bench.alone(&load, &mut alone)?;
        let Refreshed { took, most_mib } = bench.beside(&load, &mut beside)?;
        let seconds = took.as_secs_f64();
        println!(
            "turn {turn}: the new day is served after {seconds:.1} s; the process beside the server held {most_mib} MiB"
        );
    }
    println!("{:16} {:>20} {:>20} {:>20}", "", "p50 us", "p99 us", "max us");
    print("computed", alone.computed, beside.computed);
    print("kept", alone.kept, beside.kept);
    Ok(())
}

/// Prints the times of answers alone and during a refresh, and their ratios.
fn print(what: &str, mut alone: Times, mut beside: Times) {
    let times = [0.5, 0.99, 1.0].map(|share| (alone.quantile(share), beside.quantile(share)));
    let [p50, p99, max] = times.map(|(alone, _)| format!("{alone:.0}"));
    println!("{:16} {p50:>20} {p99:>20} {max:>20}", format!("{what} alone"));
    let [p50, p99, max] = times.map(|(alone, beside)| format!("{beside:.0} ({:.2}x)", beside / alone));
    println!("{:16} {p50:>20} {p99:>20} {max:>20}", format!("{what} beside"));
}

impl Bench {
    fn open(load: &Load) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        let options = DemoOptions { india: Some(load.market), us: None, ..DemoOptions::small() };
        write(&path("raw"), &options, &mut |_, _, _| {})?;
        let last = options.last_session;
        fs::rename(price_file(&path("raw"), last), path("last.csv"))?;
        let mut derive = program();
        derive
            .args(["derive", "--market", "india", "--raw"])
            .arg(path("raw"))
            .arg("--data")
            .arg(path("data"));
        let derived = derive.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(derived.success(), "the tables cannot be derived: {derived}");
        let mut issue = program();
        issue.arg("keys").arg("--state").arg(path("keys.db"));
        issue.args(["issue", "--tier", "api_max", "--owner", "bench", "--unmetered"]);
        let key = String::from_utf8(issue.stderr(Stdio::null()).output()?.stdout)?.trim().to_owned();
        ensure!(!key.is_empty(), "no key is issued");
        let bench = Self { folder, last, key, asked: AtomicUsize::new(0) };
        // An admitted set is served at once at the next start.
        drop(Server::start(bench.server())?);
        fs::rename(bench.path("data"), bench.path("published"))?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Calls a server without a refresh.
    fn alone(&self, load: &Load, answers: &mut Answers) -> anyhow::Result<()> {
        self.start_over()?;
        let server = Server::start(self.server())?;
        let began = Instant::now();
        self.call(&server, load.callers, answers, |_| began.elapsed() >= load.alone)
    }

    /// Calls a server during a refresh, until a second after the new day is served.
    fn beside(&self, load: &Load, answers: &mut Answers) -> anyhow::Result<Refreshed> {
        const LONGEST: Duration = Duration::from_mins(10);
        const AFTER: Duration = Duration::from_secs(1);
        self.start_over()?;
        fs::copy(self.path("last.csv"), price_file(&self.path("raw"), self.last))?;
        let mut command = self.server();
        command.arg("--refresh");
        let server = Server::start(command)?;
        let began = Instant::now();
        let (last, arrived) = (self.last.to_string(), OnceLock::new());
        self.call(&server, load.callers, answers, |session| {
            if session == last {
                arrived.get_or_init(Instant::now);
            }
            arrived.get().is_some_and(|at| at.elapsed() >= AFTER) || began.elapsed() >= LONGEST
        })?;
        let arrived = arrived.get().with_context(|| format!("no new day after {} s", LONGEST.as_secs()))?;
        Ok(Refreshed { took: arrived.duration_since(began), most_mib: server.most_mib_beside() })
    }

    /// Restores the first published state, without the file of the last session.
    fn start_over(&self) -> anyhow::Result<()> {
        for folder in ["data", "raw/.fetch"] {
            drop(fs::remove_dir_all(self.path(folder)));
        }
        drop(fs::remove_file(price_file(&self.path("raw"), self.last)));
        folder::copy(&self.path("published"), &self.path("data"))
    }

    /// Returns the command line of a server.
    fn server(&self) -> Command {
        let mut command = program();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        let folders =
            [("--data", "data"), ("--cache", "cache"), ("--raw", "raw"), ("--fetch-state", "fetch")];
        for (flag, name) in folders.into_iter().chain([("--state", "keys.db")]) {
            command.arg(flag).arg(self.path(name));
        }
        command
    }

    /// Requests, in turns, a new answer and a cached one, until `is_over` is true for the session of
    /// an answer.
    fn call(
        &self,
        server: &Server,
        callers: usize,
        answers: &mut Answers,
        is_over: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let asked = runtime.block_on(join_all((0..callers).map(|_| self.caller(server.address, &is_over))));
        for of_caller in asked {
            let Answers { computed, kept } = of_caller?;
            answers.computed += computed;
            answers.kept += kept;
        }
        Ok(())
    }

    async fn caller(&self, address: SocketAddr, is_over: impl Fn(&str) -> bool) -> anyhow::Result<Answers> {
        /// Calls that are not counted, because the first ones make plans.
        const FIRST: usize = 50;
        let key = format!("x-api-key: {}\r\n", self.key);
        let known = request("market/momentum?limit=5", &key);
        let mut connection = Connection::open(address).await?;
        let mut answers = Answers::default();
        for call in 0_usize.. {
            let number = self.asked.fetch_add(1, Ordering::Relaxed);
            let new = request(&format!("screener?max_mcap={}", 1e9 + number as f64), &key);
            let head = answers.computed.call(connection.exchange(&new)).await?;
            let session = head.lines().find_map(|line| line.strip_prefix("x-as-of: "));
            if is_over(session.context("an answer says its session")?) {
                break;
            }
            answers.kept.call(connection.exchange(&known)).await?;
            if call == FIRST {
                answers = Answers::default();
            }
        }
        Ok(answers)
    }
}

impl Server {
    /// Starts a server and waits until it answers.
    fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(process.stdout.take().context("an output")?).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, behind) = line.split_once(" at http://")?;
            behind.split_once("/v1")?.0.parse().ok()
        });
        // The example that it prints last is a request that works.
        drop(lines.by_ref().map_while(Result::ok).find(|line| line.contains("try:")));
        // Its further output is read, so that it never blocks on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let server = |address| Self { process, address };
        address.map(server).context("the server ended before it served")
    }

    /// Returns the peak memory of the child process so far.
    fn most_mib_beside(&self) -> u64 {
        let threads =
            fs::read_dir(format!("/proc/{}/task", self.process.id())).into_iter().flatten().flatten();
        let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let most = |pid: &str| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let kib =
            children.flat_map(|pids| pids.split_whitespace().filter_map(most).collect::<Vec<_>>()).max();
        kib.unwrap_or_default() / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The child process ends with it.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Returns the path of a session's prices among raw files.
fn price_file(raw: &Path, session: NaiveDate) -> PathBuf {
    raw.join(session.format("india/prices/sec_bhavdata_full_%d%m%Y.csv").to_string())
}

/// Returns a command of the program with an empty environment, so that no consent, key or contact of the user is used.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    command.env_clear().args(["--log", "warn"]);
    command
}

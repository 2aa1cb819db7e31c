//! Latency of other callers during runs with slow, silent or faulty providers: the time of an answer that is computed each time, with
//! ten running jobs and without them, in turns.
//!
//! `cargo bench --profile dev --bench runs`, in seconds with `-- --small`. The target is a ratio of at most 1.10.
//!
//! The server is assembled as in `parquote serve`, on one thread, so that answers wait for everything that a run costs.
//! The providers are servers of this process on another thread. Some never reply, some send one byte at a time, some reply at once
//! with garbage; runs that fail because of it are started again. Those are more than ten runs a second, although a key may start
//! only ten a day: the p99 belongs to the few calls during a start.

#[path = "measure/demo_data.rs"]
mod demo_data;
mod measure;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use measure::Times;
use measure::scale::Scale;
use parquote::access::unix_seconds;
use parquote::agents::job::{Budget, IdForm, JobStatus, Jobs, NewJob, Settings, StateJobStore, Workers};
use parquote::agents::presets::Presets;
use parquote::agents::provider::retry::RetryPolicy;
use parquote::agents::provider::{Client, ClientSettings, MasterKey, ProviderKeys, Providers};
use parquote::call::{Service, ToolRunners};
use parquote::engine::{LoadScope, QueryLimits, Snapshot};
use parquote::handlers::Runners;
use parquote::handlers::{PRESET, SavedItemStore, StatefulHandlers, StatefulParts};
use parquote::http::{HttpSettings, router, serve};
use parquote::operation::{Catalogue, Market, Tier};
use parquote::refresh::Snapshots;
use parquote::set::Root;
use parquote::state::Store;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// Concurrent jobs, one for each owner.
const JOBS: usize = 10;
/// The team of each job: four analysts call at once.
const TEAM: &str = "technical_analysis_panel";
/// The provider that is replaced by a faulty one.
const LIAR: &str = "deepseek";
/// Time between checks for ended jobs, which are started again.
const LOOK: Duration = Duration::from_millis(200);
/// Time between two bytes of a provider that sends one at a time.
const DRIP: Duration = Duration::from_millis(10);
/// The longest time until all jobs are at work.
const BEGIN: Duration = Duration::from_secs(30);
/// Bytes of an invalid reply.
const GARBAGE: usize = 64 * 1024;

/// Number and length of measurements.
struct Load {
    /// Rounds of one turn alone and one with the jobs.
    rounds: usize,
    turn: Duration,
}

const FULL: Load = Load { rounds: 16, turn: Duration::from_secs(2) };
const SMALL: Load = Load { rounds: 1, turn: Duration::from_millis(300) };

/// The times of one side, one value per turn, in microseconds.
#[derive(Debug, Default)]
struct Turns {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// The fault of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fails {
    Silent,
    Dripping,
    Lying,
}

impl Fails {
    /// Each with the provider that it replaces; all of them speak Chat Completions.
    const ALL: [(Self, &str); 3] = [(Self::Silent, "openai"), (Self::Dripping, "groq"), (Self::Lying, LIAR)];
}

/// The server, the providers and the callers.
struct Bench {
    callers: Runtime,
    providers: Runtime,
    server: Runtime,
    address: SocketAddr,
    jobs: Jobs,
    /// The specification of each job, with its owner.
    specs: Vec<(String, Json)>,
    /// Requests that reached providers, in all turns.
    asked: Arc<AtomicUsize>,
    /// Jobs that were started, in all turns.
    begun: AtomicUsize,
    /// Number of requested answers, all different.
    questions: AtomicUsize,
    _workers: Workers,
    _folder: tempfile::TempDir,
}

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let load = scale.pick(FULL, SMALL);
    let bench = Bench::open()?;
    // Connections, plans and pages of the first calls belong to no turn.
    let expected = bench.turn(load.turn / 4, None)?.1;
    let mut sides: [Turns; 2] = Default::default();
    for round in 0..load.rounds {
        for beside in if round % 2 == 0 { [false, true] } else { [true, false] } {
            let turn = || bench.turn(load.turn, Some(&expected));
            let (mut times, _) = if beside { bench.beside(turn)? } else { turn()? };
            let [alone, with] = &mut sides;
            let side = if beside { with } else { alone };
            side.p50.push(times.quantile(0.5));
            side.p99.push(times.quantile(0.99));
        }
    }
    bench.print(&load, sides)
}

impl Bench {
    fn open() -> anyhow::Result<Self> {
        let one_thread = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let (server, callers, providers) = (one_thread()?, one_thread()?, one_thread()?);
        let folder = tempfile::tempdir()?;
        let state = folder.path().join("state.db");
        let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
        let root = Root::folder(demo_data::FOLDER);
        let limits = QueryLimits::default();
        let snapshot =
            server.block_on(Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &limits))?;
        let snapshots = Arc::new(Snapshots::from_snapshot(snapshot));
        let asked = Arc::new(AtomicUsize::new(0));
        let mut urls = Vec::new();
        for (fails, name) in Fails::ALL {
            let address = providers.block_on(provider(fails, Arc::clone(&asked)))?;
            urls.push((name.to_owned(), format!("http://{address}/v1")));
        }
        let declared = Providers::parse(catalogue.declarations("providers/"))?;
        let declared = Arc::new(declared.with_overrides(&urls, &[])?);
        let master = MasterKey::from_text(&"5a".repeat(32))?;
        let keys =
            ProviderKeys::new(Store::open(&state)?, master, Arc::clone(&declared), Arc::new(unix_seconds));
        let runners = Arc::new(ToolRunners::new(Arc::clone(&catalogue), Arc::clone(&snapshots), None));
        let specs = server.block_on(specs(&*runners, &keys, &declared))?;
        let jobs = jobs(&state)?;
        let StatefulHandlers { handlers, works } = StatefulHandlers::new(StatefulParts {
            catalogue: Arc::clone(&catalogue),
            providers: declared,
            keys,
            client: Client::new(ClientSettings::default())?,
            prober: Client::new(ClientSettings::default())?,
            presets: Arc::new(Presets::parse(catalogue.declarations("presets/"))?),
            jobs: jobs.clone(),
            ledgers: SavedItemStore::new(Store::open(&state)?, Arc::new(unix_seconds)),
            runners,
            retries: RetryPolicy::default(),
            service_model: None,
            rows: None,
        });
        let workers = {
            let _entered = server.enter();
            jobs.serve(works, JOBS)
        };
        let listener = server.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let service = Service::with_snapshots(catalogue, snapshots).with_handlers(Arc::new(handlers));
        let routes = router(Arc::new(service), HttpSettings::default());
        server.spawn(serve(listener, routes, std::future::pending()));
        Ok(Self {
            callers,
            providers,
            server,
            address,
            jobs,
            specs,
            asked,
            begun: AtomicUsize::new(0),
            questions: AtomicUsize::new(0),
            _workers: workers,
            _folder: folder,
        })
    }

    /// Runs one turn: calls one after another on one connection. Returns the rows, which every call must repeat; they must equal
    /// `expected`, if it is given.
    fn turn(&self, turn: Duration, expected: Option<&String>) -> anyhow::Result<(Times, String)> {
        self.callers.block_on(async {
            let mut stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            let (mut times, mut reply) = (Times::default(), vec![0_u8; 256 * 1024]);
            let (began, mut rows) = (Instant::now(), String::new());
            while began.elapsed() < turn || rows.is_empty() {
                // A bound that excludes nothing and was not requested before.
                let bound = 1e9 + self.questions.fetch_add(1, Ordering::Relaxed) as f64;
                let request = request(&format!("screener?format=ndjson&max_mcap={bound}"));
                let answered = times.call(exchange(&mut stream, &request, &mut reply)).await?;
                rows = String::from_utf8_lossy(reply.get(answered).unwrap_or_default()).into_owned();
                ensure!(expected.is_none_or(|expected| *expected == rows), "other rows are answered: {rows}");
            }
            Ok((times, rows))
        })
    }

    /// Runs a measurement while all jobs run, and cancels them afterwards.
    fn beside<T>(&self, measure: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let over = AtomicBool::new(false);
        let waiting = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let ran = self.providers.block_on(self.keep_running(&over, &waiting));
                over.store(true, Ordering::Relaxed);
                ran
            });
            // Silent and dripping providers hold a request until the end.
            let stuck = self.specs.iter().filter(|(_, spec)| spec["provider"] != LIAR).count();
            let began = Instant::now();
            let all_wait = || waiting.load(Ordering::Relaxed) >= stuck;
            while !all_wait() && !over.load(Ordering::Relaxed) && began.elapsed() < BEGIN {
                std::thread::sleep(Duration::from_millis(10));
            }
            let measured = if all_wait() { measure() } else { Err(anyhow::anyhow!("the jobs do not begin")) };
            over.store(true, Ordering::Relaxed);
            running.join().map_err(|_| anyhow::anyhow!("the jobs ended early"))??;
            measured
        })
    }

    /// Starts each job, and restarts those that ended, until it is over. `waiting` is the number of jobs whose
    /// agents are at work.
    async fn keep_running(&self, over: &AtomicBool, waiting: &AtomicUsize) -> anyhow::Result<()> {
        let mut ids = Vec::new();
        for (owner, spec) in &self.specs {
            ids.push(self.start(owner, spec).await?);
        }
        while !over.load(Ordering::Relaxed) {
            let mut at_work = 0;
            for ((owner, spec), id) in self.specs.iter().zip(&mut ids) {
                let job = self.jobs.get(owner, PRESET, id).await?;
                if job.status != JobStatus::Running {
                    ensure!(spec["provider"] == LIAR, "a run ended: {:?}", job.error);
                    *id = self.start(owner, spec).await?;
                }
                at_work += usize::from(spec["provider"] != LIAR && job.progress.agents > 0);
            }
            waiting.store(at_work, Ordering::Relaxed);
            tokio::time::sleep(LOOK).await;
        }
        for ((owner, _), id) in self.specs.iter().zip(&ids) {
            self.jobs.cancel(owner, PRESET, id).await?;
        }
        Ok(())
    }

    async fn start(&self, owner: &str, spec: &Json) -> anyhow::Result<String> {
        let new = NewJob {
            kind: PRESET.to_owned(),
            id_form: IdForm::Hex,
            owner: owner.to_owned(),
            key_id: None,
            spec: spec.clone(),
            budget: Budget::default(),
        };
        self.begun.fetch_add(1, Ordering::Relaxed);
        Ok(self.jobs.start(new, None).await?.id)
    }

    /// Prints the better half of each side's turns, and the ratio.
    fn print(self, load: &Load, sides: [Turns; 2]) -> anyhow::Result<()> {
        let (asked, begun) = (self.asked.load(Ordering::Relaxed), self.begun.load(Ordering::Relaxed));
        ensure!(asked >= JOBS, "only {asked} requests reached the providers");
        println!(
            "{} rounds of {} ms a side; {begun} runs were begun, {asked} requests reached their providers",
            load.rounds,
            load.turn.as_millis()
        );
        let [mut alone, mut beside] = sides;
        let mut ratios: Vec<f64> =
            alone.p50.iter().zip(&beside.p50).map(|(alone, beside)| beside / alone).collect();
        ratios.sort_by(f64::total_cmp);
        let [alone, beside] =
            [&mut alone, &mut beside].map(|turns| [best_half(&mut turns.p50), best_half(&mut turns.p99)]);
        println!("screener alone          p50 {:6.0} us  p99 {:6.0} us", alone[0], alone[1]);
        println!("screener beside {JOBS} jobs p50 {:6.0} us  p99 {:6.0} us", beside[0], beside[1]);
        let at = |share: usize| ratios.get(ratios.len() * share / 4).copied().unwrap_or(f64::NAN);
        println!(
            "ratio of p50 {:.3}, target at most 1.10; of single rounds {:.3} to {:.3} (quartiles); ratio of p99 {:.3}",
            beside[0] / alone[0],
            at(1),
            at(3),
            beside[1] / alone[1]
        );
        // Without waiting for requests that would never be answered.
        self.server.shutdown_background();
        self.providers.shutdown_background();
        Ok(())
    }
}

/// Opens the jobs in the state file, with the default settings.
fn jobs(state: &Path) -> anyhow::Result<Jobs> {
    Ok(Jobs::new(Arc::new(StateJobStore::open(state)?), Arc::new(unix_seconds), Settings::default()))
}

/// Returns the specification of each job, as `presets/start` stores it; each owner has a key of the provider.
async fn specs(
    runners: &dyn Runners,
    keys: &ProviderKeys,
    providers: &Providers,
) -> anyhow::Result<Vec<(String, Json)>> {
    let pinned = runners.runner(Market::India, None, Tier::ApiMax).await.map_err(anyhow::Error::msg)?;
    let mut specs = Vec::new();
    for n in 0..JOBS {
        // Four are silent, three drip, three lie.
        let (_, name) = Fails::ALL.get(n % Fails::ALL.len()).context("there are providers")?;
        let provider = providers.get(name).context("a declared provider")?;
        let owner = format!("owner {n}");
        keys.save(&owner, name, &"sk-bench-0123456789abcdef".parse()?).await?;
        let spec = json!({
            "market": Market::India.word(), "preset": TEAM, "goal": "Is the trend of BAXIPAPOWR intact?",
            "owner": owner, "tier": Tier::ApiMax.word(), "provider": name, "model": provider.model, "set": pinned.set,
        });
        specs.push((owner, spec));
    }
    Ok(specs)
}

/// Starts a provider with a fault, which runs until its runtime ends.
async fn provider(fails: Fails, asked: Arc<AtomicUsize>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            // A cancelled run closes its connection, so a reply can end in an error.
            tokio::spawn(async move { drop(reply(fails, number, stream).await) });
        }
    });
    Ok(address)
}

/// Reads a request and fails to reply.
async fn reply(fails: Fails, number: usize, mut stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    read_request(&mut stream).await?;
    match fails {
        Fails::Silent => {
            // Until the caller closes the connection.
            let _ = stream.read(&mut [0]).await?;
        }
        Fails::Dripping => {
            stream.write_all(head("200 OK", 4 * 1024 * 1024 - 1).as_bytes()).await?;
            loop {
                stream.write_all(b" ").await?;
                tokio::time::sleep(DRIP).await;
            }
        }
        Fails::Lying => {
            let (status, body) = lie(number);
            stream.write_all((head(status, body.len()) + &body).as_bytes()).await?;
        }
    }
    Ok(())
}

/// Returns a faulty reply: an error, a call of a missing tool, an answer to another request, or
/// invalid JSON.
fn lie(number: usize) -> (&'static str, String) {
    let said = |message: Json| {
        let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
        json!({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
            .to_string()
    };
    let long = "<p>9</p>".repeat(GARBAGE / 8);
    let call = json!({"id": "c", "type": "function", "function": {"name": "drop_tables", "arguments": "{}"}});
    match number % 4 {
        0 => ("503 Service Unavailable", long),
        1 => ("200 OK", said(json!({"role": "assistant", "content": null, "tool_calls": [call]}))),
        2 => ("200 OK", said(json!({"role": "assistant", "content": long}))),
        _ => ("200 OK", long),
    }
}

fn head(status: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

/// Reads a request to its end.
async fn read_request(stream: &mut TcpStream) -> anyhow::Result<()> {
    let mut read = Vec::new();
    loop {
        ensure!(stream.read_buf(&mut read).await? > 0, "the caller hung up");
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(read.get(..end).unwrap_or_default())?;
        if read.len() >= end + 4 + length(text)? {
            return Ok(());
        }
    }
}

/// Returns the bytes of a request.
fn request(path: &str) -> Vec<u8> {
    format!("GET /v1/{path} HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n\r\n").into_bytes()
}

/// Sends a request and reads the reply up to the length in its head; returns the range of its body.
async fn exchange(
    stream: &mut TcpStream,
    request: &[u8],
    reply: &mut [u8],
) -> anyhow::Result<std::ops::Range<usize>> {
    stream.write_all(request).await?;
    let mut read = 0;
    loop {
        let more = stream.read(reply.get_mut(read..).unwrap_or_default()).await?;
        ensure!(more > 0, "the server hung up, or its reply is longer than {} bytes", reply.len());
        read += more;
        let so_far = reply.get(..read).unwrap_or_default();
        let Some(end) = so_far.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(so_far.get(..end).unwrap_or_default())?;
        ensure!(text.starts_with("HTTP/1.1 200"), "{}", String::from_utf8_lossy(so_far));
        if read >= end + 4 + length(text)? {
            return Ok(end + 4..read);
        }
    }
}

/// Returns the length of a body from its head.
fn length(head: &str) -> anyhow::Result<usize> {
    let of = |line: &str| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned);
    Ok(head.lines().find_map(of).context("a message says how long it is")?.parse()?)
}

/// Returns the mean of the better (smaller) half.
fn best_half(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let best = times.get(..times.len().div_ceil(2)).unwrap_or_default();
    best.iter().sum::<f64>() / best.len() as f64
}

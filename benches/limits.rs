//! A table of ratios between answers and the machine's limits.
//!
//! `cargo bench --profile dev --bench limits`, in seconds with `-- --small`
//!
//! Over HTTP, the screener is requested with a key, its quota and its log line (formatted on the log's thread and discarded):
//! cached and computed. It is compared with an axum handler that returns the same body, and with a TCP server that writes the whole reply
//! to any request. Each has one thread and the same callers; the bench also prints the server's processor time per request.
//! The other operations are compared with `company/profile` without HTTP or cached answers: the same
//! number of calls of each, in turns. Their times are printed as a Markdown table; `PARQUOTE_BENCH_DATA=DIR` also measures
//! them over the tables of that folder.

#[path = "measure/connection.rs"]
mod connection;
#[path = "measure/demo_data.rs"]
mod demo_data;
#[path = "measure/load.rs"]
mod load;
mod measure;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use connection::request;
use load::{Load, best_half, new_key};
use measure::Times;
use measure::scale::Scale;
use parquote::access::{AccessControl, StateSync, unix_seconds};
use parquote::call::{CallOptions, Caller, STATUS, Service};
use parquote::cli::LogWriter;
use parquote::engine::{LoadScope, QueryLimits, Snapshot};
use parquote::error::ClientError;
use parquote::http::HttpSettings;
use parquote::operation::{Catalogue, Effect, Market, Offer, Operation};
use parquote::set::Root;
use parquote::state::Store;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number and length of measurements.
struct Sizes {
    /// Turns of each server; the best half counts.
    turns: usize,
    turn: Duration,
    /// Calls of each operation.
    calls: usize,
    /// Starts of the program; the fastest counts.
    starts: usize,
}

const FULL: Sizes = Sizes { turns: 12, turn: Duration::from_millis(500), calls: 200, starts: 5 };
const SMALL: Sizes = Sizes { turns: 2, turn: Duration::from_millis(50), calls: 2, starts: 1 };

/// Per market: the operation that others are compared with, and the one that is called with new conditions in every turn.
const INDIA: [&str; 2] = ["company/profile", "screener"];
const US: [&str; 2] = ["us/company/profile", "us/screener"];

/// The target of a ratio.
enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// A line of the table.
struct Row {
    what: String,
    /// One ratio, or those of p50 and p99: all must reach the goal.
    measured: Vec<f64>,
    goal: Goal,
}

/// Times of an operation: p50 and p99 in microseconds, and their ratios to the profile's.
struct OperationTimes {
    name: String,
    times: [f64; 2],
    ratios: [f64; 2],
}

/// The settings and the results.
struct Bench {
    sizes: Sizes,
    catalogue: Arc<Catalogue>,
    rows: Vec<Row>,
}

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let sizes = scale.pick(FULL, SMALL);
    let mut bench = Bench { sizes, catalogue: Arc::new(Catalogue::with_overlay(&[])?), rows: Vec::new() };
    bench.start()?;
    bench.operations()?;
    bench.over_http()?;
    bench.print();
    Ok(())
}

impl Bench {
    /// Prints the table.
    fn print(&self) {
        let folder = Path::new(env!("CARGO_BIN_EXE_parquote")).parent();
        let is_release = folder.is_some_and(|folder| folder.ends_with("release"));
        let profile = if is_release { "release" } else { "development" };
        println!("{profile} profile; ratios of another profile or machine are others");
        println!("{:<72} {:>15} {:>7}", "", "measured", "goal");
        let mut reached = 0;
        for Row { what, measured, goal } in &self.rows {
            let (is_reached, goal) = match goal {
                Goal::AtLeast(goal) => (measured.iter().all(|ratio| ratio >= goal), format!(">= {goal}")),
                Goal::AtMost(goal) => (measured.iter().all(|ratio| ratio <= goal), format!("<= {goal}")),
            };
            reached += usize::from(is_reached);
            let mark = if is_reached { "reached" } else { "not reached" };
            let measured: Vec<String> = measured.iter().map(|ratio| format!("{ratio:.2}")).collect();
            println!("{what:<72} {:>15} {goal:>7}  {mark}", measured.join(" / "));
        }
        println!("{reached} of {} reached", self.rows.len());
    }

    fn row(&mut self, what: impl Into<String>, measured: &[f64], goal: Goal) {
        self.rows.push(Row { what: what.into(), measured: measured.to_vec(), goal });
    }

    /// Measures the seconds from the start of the program on the built-in demo until it can answer.
    fn start(&mut self) -> anyhow::Result<()> {
        const GOAL_S: f64 = 1.0;
        let mut quickest = f64::INFINITY;
        for _ in 0..self.sizes.starts {
            let folder = tempfile::tempdir()?;
            let began = Instant::now();
            let mut program = Command::new(env!("CARGO_BIN_EXE_parquote"));
            program.env_clear().args(["--log", "warn", "serve", "--listen", "127.0.0.1:0"]);
            program.args(["--data", demo_data::FOLDER, "--cache"]).arg(folder.path().join("cache"));
            program.arg("--state").arg(folder.path().join("state.db"));
            let mut process = program.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
            let mut lines =
                BufReader::new(process.stdout.take().context("an output")?).lines().map_while(Result::ok);
            // The example that it prints last is a request that works.
            let answers = lines.any(|line| line.contains("try:"));
            quickest = quickest.min(began.elapsed().as_secs_f64());
            process.kill()?;
            process.wait()?;
            ensure!(answers, "the server ended before it served");
        }
        self.row("start on the built-in demo, in seconds", &[quickest], Goal::AtMost(GOAL_S));
        Ok(())
    }

    async fn service(&self, data: &Path, cache_bytes: u64) -> anyhow::Result<Service> {
        let limits = QueryLimits { cache_bytes, ..QueryLimits::default() };
        let root = Root::folder(data);
        let snapshot = Snapshot::open(Arc::clone(&self.catalogue), &root, LoadScope::Served, &limits).await?;
        Ok(Service::new(Arc::clone(&self.catalogue), snapshot))
    }

    /// Measures every operation that reads tables, over the demo and over `PARQUOTE_BENCH_DATA`, and prints their times; ratios to the
    /// profile are from the folder measured last.
    fn operations(&mut self) -> anyhow::Result<()> {
        let mut folders = vec![PathBuf::from(demo_data::FOLDER)];
        folders.extend(std::env::var_os("PARQUOTE_BENCH_DATA").map(PathBuf::from));
        let mut measured = Vec::new();
        for folder in &folders {
            measured.push(self.times(folder)?);
        }
        let names = folders.iter().filter_map(|folder| Some(folder.file_name()?.to_string_lossy()));
        let names = names.map(|name| format!("{name}: p50 us | p99 us"));
        println!("\n| operation | {} |", names.collect::<Vec<_>>().join(" | "));
        println!("|---|{}", "---:|---:|".repeat(folders.len()));
        for operation in self.catalogue.operations() {
            let times = measured.iter().map(|times| {
                let of = times.iter().find(|of| of.name == operation.name);
                of.map_or_else(|| "|".to_owned(), |of| of.times.map(|time| format!("{time:.0}")).join(" | "))
            });
            let times: Vec<String> = times.collect();
            if times.iter().any(|times| times != "|") {
                println!("| `{}` | {} |", operation.name, times.join(" | "));
            }
        }
        println!();
        let mut last = measured.pop().unwrap_or_default();
        last.retain(|of| ![INDIA[0], US[0]].contains(&of.name.as_str()));
        last.sort_by(|first, second| second.ratios[0].total_cmp(&first.ratios[0]));
        for OperationTimes { name, ratios, .. } in last {
            let goal = if name.ends_with("company/daily-prices") { 5.0 } else { 6.0 };
            self.row(format!("{name} beside company/profile, p50 / p99"), &ratios, Goal::AtMost(goal));
        }
        Ok(())
    }

    /// Measures every operation that these tables can answer.
    fn times(&self, data: &Path) -> anyhow::Result<Vec<OperationTimes>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let service = runtime.block_on(self.service(data, 0))?;
        let (mut measured, mut not_asked) = (Vec::new(), Vec::new());
        for market in Market::ALL.into_iter().filter(|market| data.join(market.word()).is_dir()) {
            let [profile, screener] = if market == Market::Us { US } else { INDIA };
            let named = |name| self.catalogue.operation(name).context("there is such an operation");
            let (profile, screener) = (named(profile)?, named(screener)?);
            for operation in self.catalogue.operations() {
                let is_asked = operation.market == market
                    && operation.has_route
                    && operation.effect == Effect::Reads
                    && operation.name != STATUS;
                if !is_asked {
                    continue;
                }
                let bare = |_| operation.example_pairs(false);
                match runtime.block_on(answer(&service, operation, bare(0))) {
                    Ok(()) => {
                        let named = (operation.name.clone(), operation);
                        measured.push(runtime.block_on(self.in_turns(&service, profile, named, bare))?);
                    }
                    // Operations on stored user data need a state file.
                    Err(_) if operation.run.is_some() => not_asked.push(operation.name.as_str()),
                    Err(refused) => bail!("{}: {}", operation.name, refused.message),
                }
            }
            // The bits of the turn choose a new combination of conditions.
            let chosen = |turn: usize| {
                let whole = screener.example_pairs(true).into_iter().enumerate();
                whole.filter(|(at, _)| (turn + 1) >> at & 1 == 1).map(|(_, pair)| pair).collect()
            };
            let named = (format!("{} of new conditions", screener.name), screener);
            measured.push(runtime.block_on(self.in_turns(&service, profile, named, chosen))?);
        }
        println!("{}: not asked, as they need a state file: {}", data.display(), not_asked.join(", "));
        Ok(measured)
    }

    /// Measures an operation with the arguments of each turn, alternating with the profile.
    async fn in_turns<'a>(
        &self,
        service: &Service,
        profile: &Arc<Operation>,
        (name, operation): (String, &'a Arc<Operation>),
        arguments: impl Fn(usize) -> Vec<(&'a str, String)>,
    ) -> anyhow::Result<OperationTimes> {
        let (mut of_profile, mut own) = (Times::default(), Times::default());
        for turn in 0..self.sizes.calls {
            let bare = profile.example_pairs(false);
            of_profile.call(async { Ok(answer(service, profile, bare).await?) }).await?;
            let arguments = arguments(turn);
            own.call(async { Ok(answer(service, operation, arguments).await?) }).await?;
        }
        let times = [0.5, 0.99].map(|share| own.quantile(share));
        let ratios = [0.5, 0.99].map(|share| own.quantile(share) / of_profile.quantile(share));
        Ok(OperationTimes { name, times, ratios })
    }

    /// Measures the screener, cached and computed, and servers that only send the same bytes.
    fn over_http(&mut self) -> anyhow::Result<()> {
        let (log, _last_lines) = LogWriter::start(std::io::sink())?;
        tracing_subscriber::fmt().with_ansi(false).with_target(false).with_writer(log.clone()).init();
        let load = Load::open()?;
        let folder = tempfile::tempdir()?;
        let mut store = Store::open(&folder.path().join("state.db"))?;
        let key = format!("x-api-key: {}\r\n", new_key(&mut store)?.reveal());
        let access = Arc::new(AccessControl::open(&store, 600, Arc::new(unix_seconds))?);
        let _sync = StateSync::start(Arc::clone(&access), store, Arc::default())?;
        let listen = |cache_bytes| {
            let service = load.server.block_on(self.service(Path::new(demo_data::FOLDER), cache_bytes))?;
            let settings = HttpSettings { log: log.requests(), ..HttpSettings::default() };
            load.listen(service.with_access_control(Arc::clone(&access)), settings)
        };
        let (kept, computed) = (listen(64 << 20)?, listen(0)?);
        let request: Arc<[u8]> = request("screener", &key).into();
        let reply = load.reply(kept, &request)?;
        let body = body(&reply)?;
        ensure!((10_000..40_000).contains(&body.len()), "{} bytes are not about 20,000", body.len());
        let again = load.reply(computed, &request)?;
        let [kept_data, computed_data] =
            [body, self::body(&again)?].map(|body| body.split("\"meta\":").next());
        ensure!(kept_data == computed_data, "the kept answer is another than the computed one");
        let axum = load.server.block_on(axum_server(Bytes::from(body.to_owned())))?;
        let bare = load.server.block_on(bare_server(Bytes::from(reply.clone())))?;
        println!("screener: {} bytes", body.len());
        for connections in [8, 32] {
            let mut turns = [const { (Vec::new(), Vec::new()) }; 4];
            for _ in 0..self.sizes.turns {
                for (address, (rates, costs)) in [kept, axum, bare, computed].into_iter().zip(&mut turns) {
                    let turn = load.turn(address, &request, (connections, self.sizes.turn))?;
                    rates.push(turn.rate);
                    costs.push(-turn.cost_us);
                }
            }
            let turns = turns.map(|(rates, costs)| (best_half(rates), -best_half(costs)));
            for ((rate, cost_us), of) in turns.iter().zip(["kept", "axum", "bare", "computed"]) {
                println!(
                    "{connections} connections, {of:<8} {rate:>8.0} requests/s, {cost_us:>6.1} us of the server's processor"
                );
            }
            let [kept, axum, bare, computed] = turns.map(|(rate, _)| rate);
            let at = format!("at {connections} connections");
            self.row(
                format!("kept answer beside a static axum handler, {at}"),
                &[kept / axum],
                Goal::AtLeast(0.75),
            );
            self.row(
                format!("kept answer beside a bare TCP server, {at}"),
                &[kept / bare],
                Goal::AtLeast(0.6),
            );
            self.row(
                format!("kept answers for one computed screener, {at}"),
                &[kept / computed],
                Goal::AtMost(2.0),
            );
        }
        Ok(())
    }
}

async fn answer(
    service: &Service,
    operation: &Arc<Operation>,
    arguments: Vec<(&str, String)>,
) -> Result<(), ClientError> {
    let metered = service.enter(operation, &Caller::unmetered()).await?;
    let pairs = arguments.iter().map(|(name, value)| (*name, value.as_str()));
    let call = service.admit(&metered, pairs, CallOptions::new(Offer::ENVELOPED)).await?;
    service.run(&call).await.map(drop)
}

fn body(reply: &str) -> anyhow::Result<&str> {
    Ok(reply.split_once("\r\n\r\n").context("a reply has a body")?.1)
}

/// Starts a server whose only handler has its answer ready.
async fn axum_server(body: Bytes) -> anyhow::Result<SocketAddr> {
    let handler = get(move || std::future::ready(body.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let served = axum::serve(listener, Router::new().route("/v1/screener", handler));
    tokio::spawn(served.into_future());
    Ok(address)
}

/// Starts a server that writes the same bytes after every request head.
async fn bare_server(reply: Bytes) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let reply = reply.clone();
            tokio::spawn(async move {
                let mut head = [0_u8; 4096];
                stream.set_nodelay(true)?;
                loop {
                    let read = stream.read(&mut head).await?;
                    match head.get(..read) {
                        Some([]) | None => return std::io::Result::Ok(()),
                        Some(read) if read.ends_with(b"\r\n\r\n") => stream.write_all(&reply).await?,
                        Some(_) => {}
                    }
                }
            });
        }
    });
    Ok(address)
}

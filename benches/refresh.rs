//! Latency of callers while data changes, and the cost of loading it.
//!
//! `cargo bench --profile dev --bench refresh`, in seconds with `-- --small`
//!
//! One server over a copy of the built-in demo market, called over real connections for an answer that is computed each time and for one
//! that is cached. The phases take turns: no changes; a swap of sets every second; a plain file that is
//! overwritten every second and admitted as a new set. The bench also prints the memory before and after many swaps, and the load
//! time of a set with few changed tables and of one without any loaded tables.

#[path = "measure/connection.rs"]
mod connection;
#[path = "measure/demo_data.rs"]
mod demo_data;
#[path = "measure/folder.rs"]
mod folder;
mod measure;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use connection::{Connection, request};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterProperties;
use measure::Times;
use measure::scale::Scale;
use parquote::call::Service;
use parquote::engine::{Engine, LoadScope, MarketSnapshot, QueryLimits, SetName};
use parquote::http::{HttpSettings, router, serve};
use parquote::operation::{Catalogue, Market};
use parquote::refresh::{RefreshSettings, RefreshStatus, Refresher, Vetter};
use parquote::set::{Home, Retention, Root, Set, hash_of};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MARKET: Market = Market::India;
/// The tables that a day's set changes here; all others are reused.
const CHANGED: [&str; 3] = ["stocks", "screen", "breadth"];

/// Number and length of measurements.
struct Load {
    /// Turns of each phase.
    turns: usize,
    turn: Duration,
    /// Time between two changes.
    every: Duration,
    /// Swaps over which memory is measured.
    swaps: usize,
    /// Number of loads of sets.
    loads: usize,
}

const FULL: Load =
    Load { turns: 4, turn: Duration::from_secs(6), every: Duration::from_secs(1), swaps: 200, loads: 7 };
const SMALL: Load = Load {
    turns: 1,
    turn: Duration::from_millis(1_200),
    every: Duration::from_millis(500),
    swaps: 3,
    loads: 1,
};

/// The changes while callers call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    Still,
    Swaps,
    Admissions,
}

/// The server and the means to change its data.
struct Bench {
    folder: tempfile::TempDir,
    home: Home,
    status: RefreshStatus,
    address: SocketAddr,
    callers: Runtime,
    _server: Runtime,
    _refresher: Refresher,
    asked: AtomicUsize,
    plain: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let load = scale.pick(FULL, SMALL);
    let bench = Bench::open()?;
    let stretches = [Stretch::Still, Stretch::Swaps, Stretch::Admissions];
    let mut times: [[Times; 2]; 3] = Default::default();
    let mut changes = [0; 3];
    for _ in 0..load.turns {
        for ((stretch, times), changes) in stretches.iter().zip(&mut times).zip(&mut changes) {
            *changes += bench.stretch(*stretch, &load, times)?;
        }
    }
    println!("{} turns of {} s each", load.turns, load.turn.as_secs_f64());
    println!("{:12} {:>8} {:>26} {:>26}", "", "changes", "computed p50, p99 us", "kept p50, p99 us");
    let mut still = [0.0; 2];
    for ((stretch, times), changes) in stretches.iter().zip(&mut times).zip(changes) {
        let [computed, kept] = times;
        let p99 = [computed.quantile(0.99), kept.quantile(0.99)];
        if *stretch == Stretch::Still {
            still = p99;
        }
        println!(
            "{:12} {changes:8} {:9.0} {:9.0} ({:.2}x) {:9.0} {:9.0} ({:.2}x)",
            format!("{stretch:?}").to_lowercase(),
            computed.quantile(0.5),
            p99[0],
            p99[0] / still[0],
            kept.quantile(0.5),
            p99[1],
            p99[1] / still[1],
        );
    }
    bench.memory(load.swaps)?;
    bench.loads(load.loads)
}

impl Bench {
    fn open() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        folder::copy(Path::new(demo_data::FOLDER), folder.path())?;
        let (home, plain) =
            (Home::new(folder.path()), folder.path().join(MARKET.word()).join("stocks.parquet"));
        // The demo market consists of sets: one table is also made a plain file, to be overwritten.
        let set = home.newest(MARKET)?.context("a set")?;
        let of_stocks = set.files().find(|(table, _)| *table == "stocks").context("stocks")?;
        fs::copy(home.file_path(MARKET, "stocks", &of_stocks.1.hash), &plain)?;
        let server = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let callers = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
        let engine = Engine::new(Arc::clone(&catalogue), &QueryLimits::default());
        let settings = RefreshSettings {
            quiet: Duration::from_millis(50),
            poll: Duration::from_millis(20),
            keep: Retention { sets: 4, ..Retention::default() },
            vetter: Vetter::Here,
            open_earlier_sets: 1,
            plans_ahead: false,
        };
        let status = RefreshStatus::default();
        let root = Root::folder(folder.path());
        let cache = folder.path().join("cache");
        let (refresher, first) = Refresher::start(root, cache, engine, settings, status.clone())?;
        let snapshots = server.block_on(first).context("the refresher ended early")?;
        server.block_on(refresher.wait_for_first_scan());
        let listener = server.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let routes = router(Arc::new(Service::with_snapshots(catalogue, snapshots)), HttpSettings::default());
        server.spawn(serve(listener, routes, std::future::pending()));
        let asked = AtomicUsize::new(0);
        let bench = Self {
            folder,
            home,
            status,
            address,
            callers,
            _server: server,
            _refresher: refresher,
            asked,
            plain,
        };
        // Two different sets, for swaps in both directions. One market may be served before the other.
        bench.await_set(1)?;
        bench.overwrite(1)?;
        Ok(bench)
    }

    /// Runs one phase: calls one by one while data changes. Returns the number of changes.
    fn stretch(&self, what: Stretch, load: &Load, times: &mut [Times; 2]) -> anyhow::Result<usize> {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| {
                let mut changes = 0;
                let mut next = Instant::now();
                while what != Stretch::Still && !over.load(Ordering::Relaxed) {
                    match what {
                        Stretch::Still => {}
                        Stretch::Swaps => self.swap()?,
                        Stretch::Admissions => self.overwrite(changes)?,
                    }
                    changes += 1;
                    next += load.every;
                    while Instant::now() < next && !over.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                anyhow::Ok(changes)
            });
            let asked = self.callers.block_on(self.ask(load.turn, times));
            over.store(true, Ordering::Relaxed);
            asked?;
            changing.join().map_err(|_| anyhow::anyhow!("the changes ended early"))?
        })
    }

    /// Requests a new answer and a cached one, in turns, on one connection.
    async fn ask(&self, turn: Duration, [computed, kept]: &mut [Times; 2]) -> anyhow::Result<()> {
        let mut connection = Connection::open(self.address).await?;
        let known = request("market/momentum?limit=5", "");
        let began = Instant::now();
        while began.elapsed() < turn {
            let number = self.asked.fetch_add(1, Ordering::Relaxed);
            let new = request(&format!("screener?max_mcap={}", 1e9 + number as f64), "");
            computed.call(connection.exchange(&new)).await?;
            kept.call(connection.exchange(&known)).await?;
        }
        Ok(())
    }

    /// Publishes the content of the previous set again, and waits until it is served.
    fn swap(&self) -> anyhow::Result<()> {
        let newest = self.home.newest(MARKET)?.context("a set")?.number;
        let set = self.home.roll_back(MARKET, newest - 1, false)?;
        self.await_set(set.number)?;
        Ok(self.home.sweep(MARKET, &Retention { sets: 4, ..Retention::default() })?)
    }

    /// Overwrites a plain file in place with other bytes of the same rows, and waits until it is served.
    fn overwrite(&self, turn: usize) -> anyhow::Result<()> {
        let newest = self.home.newest(MARKET)?.context("a set")?.number;
        rewrite(&self.plain, turn)?;
        self.await_set(newest + 1)
    }

    fn await_set(&self, number: u64) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let status = self.status.by_market().remove(&MARKET).unwrap_or_default();
            if status.set >= Some(number) {
                return Ok(());
            }
            ensure!(began.elapsed() < Duration::from_mins(1), "set {number} is not served: {status:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Prints the process's memory before and after many swaps.
    fn memory(&self, swaps: usize) -> anyhow::Result<()> {
        // The first swaps allocate memory for good: plans of both sets, pages of the allocator.
        for _ in 0..swaps.min(20) {
            self.swap()?;
        }
        let (before, began) = (memory_mib(), Instant::now());
        for _ in 0..swaps {
            self.swap()?;
        }
        let each = began.elapsed().as_secs_f64() * 1e3 / swaps as f64;
        println!("memory {before} MiB, after {swaps} swaps of {each:.0} ms each {} MiB", memory_mib());
        Ok(())
    }

    /// Prints the load time of a set with few changed tables, and of one without any loaded tables.
    fn loads(&self, times: usize) -> anyhow::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
        let set = self.home.newest(MARKET)?.context("a set")?;
        let (mut whole, mut day, mut nothing) = (Times::default(), Times::default(), Times::default());
        for turn in 0..times {
            let engine = Engine::new(Arc::clone(&catalogue), &QueryLimits::default());
            let load = |set: &Set| {
                let (files, name) = (self.home.files(MARKET, set), SetName::from_set(set));
                let engine = Arc::clone(&engine);
                async move { Ok(MarketSnapshot::load(&engine, MARKET, name, &files, LoadScope::Served).await?) }
            };
            let first = runtime.block_on(whole.call(load(&set)))?;
            let next = self.a_day_later(&set, turn)?;
            let second = runtime.block_on(day.call(load(&next)))?;
            // All tables are loaded, so that only the planning of the operations is measured.
            runtime.block_on(nothing.call(load(&next)))?;
            drop((first, second));
        }
        let [whole, day, nothing] = [whole, day, nothing].map(|mut times| times.quantile(0.5) / 1e3);
        println!(
            "loading all tables {whole:.0} ms; a set in which {} of {} changed {day:.0} ms ({:.2}x); planning alone {nothing:.0} ms",
            CHANGED.len(),
            set.tables.len(),
            day / whole,
        );
        Ok(())
    }

    /// Returns the set with other files for some tables; it is not published.
    fn a_day_later(&self, set: &Set, turn: usize) -> anyhow::Result<Set> {
        let mut next = set.clone();
        for table in CHANGED {
            let file = next.tables.get_mut(table).and_then(|table| table.files.first_mut()).context(table)?;
            let from = self.home.file_path(MARKET, table, &file.hash);
            let beside = self.folder.path().join("beside.parquet");
            fs::copy(&from, &beside)?;
            rewrite(&beside, 1_000 + turn)?;
            file.hash = hash_of(&beside)?;
            fs::rename(&beside, self.home.file_path(MARKET, table, &file.hash))?;
        }
        next.id = Set::id_of(&next.tables);
        Ok(next)
    }
}

/// Rewrites a file in place: the same rows and metadata, with the turn as further metadata, so that the bytes differ.
fn rewrite(path: &Path, turn: usize) -> anyhow::Result<()> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path)?)?;
    let schema = Arc::clone(reader.schema());
    let notes = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let mut notes: Vec<KeyValue> =
        notes.into_iter().filter(|note| note.key != "turn" && note.key != "ARROW:schema").collect();
    notes.push(KeyValue::new("turn".to_owned(), format!("{turn} {:?}", Instant::now())));
    let batches: Vec<_> = reader.build()?.collect::<Result<_, _>>()?;
    let properties = WriterProperties::builder().set_key_value_metadata(Some(notes)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
    for batch in &batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(fs::write(path, bytes)?)
}

/// Returns the process's memory in MiB; 0 if the system does not report it.
fn memory_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
    kib.unwrap_or_default() / 1024
}

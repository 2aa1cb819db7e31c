//! The demo markets of the tests: raw files and the tables derived from them, made once per build of the program and shared by all
//! tests of all targets. No test writes into the shared folders; a test that breaks something works on a copy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{fs, io};

use chrono::NaiveDate;
use parquote::derive::{DeriveOptions, Publishing, derive};
use parquote::engine::{EngineError, LoadScope, QueryLimits, Snapshot};
use parquote::operation::{Catalogue, CatalogueError, Market, embedded_files};
use parquote::raw::{SilentProgress, UnpackBounds};
use parquote::refresh::Snapshots;
use parquote::select_process::{SelectProcesses, SelectProgram};
use parquote::set::{Home, Root, hash_of};
use parquote_demo::{DemoOptions, MarketSize};
use tokio::runtime::Runtime;

use crate::selected::first_column;

/// A market with its raw files.
pub(crate) struct DemoMarket {
    pub raw: PathBuf,
    /// The published sets.
    pub sets: PathBuf,
    /// The same tables as plain files.
    pub data: PathBuf,
}

/// The shipped market, to which the expected figures in the cases belong.
pub(crate) static SHIPPED: LazyLock<DemoMarket> = LazyLock::new(|| make("shipped", &DemoOptions::small()));

/// A market of few companies and few sessions, for tests that copy and break it.
pub(crate) static LITTLE: LazyLock<DemoMarket> = LazyLock::new(|| {
    let size = Some(MarketSize { companies: 24, sessions: 80 });
    make("little", &DemoOptions { india: size, us: size, ..DemoOptions::small() })
});

/// An Indian market of few companies over two calendar years, for tests that derive it several times.
pub(crate) static YEARS: LazyLock<DemoMarket> = LazyLock::new(|| {
    let india = Some(MarketSize { companies: 24, sessions: 420 });
    make("years", &DemoOptions { india, us: None, ..DemoOptions::small() })
});

/// The built-in query files.
pub(crate) static CATALOGUE: LazyLock<Arc<Catalogue>> =
    LazyLock::new(|| Arc::new(Catalogue::with_overlay(&[]).unwrap()));

/// A catalogue of these built-in operations and of user-written files (`own`): few operations are planned quickly, so a market can be
/// loaded often.
pub(crate) fn few_operations(names: &[&str], own: &[(&str, &str)]) -> Result<Arc<Catalogue>, CatalogueError> {
    let is_wanted = |path: &str| {
        path.strip_prefix("api/").is_none_or(|file| names.iter().any(|name| file == format!("{name}.sql")))
    };
    let built_in = embedded_files().iter().copied().filter(|(path, _)| is_wanted(path));
    Ok(Arc::new(Catalogue::parse(built_in.chain(own.iter().copied()))?))
}

/// The processes that run SELECTs for the servers of all tests.
pub(crate) static SELECTS: LazyLock<Arc<SelectProcesses>> = LazyLock::new(|| {
    let program = env!("CARGO_BIN_EXE_parquote").into();
    let arguments = vec!["select".to_owned()];
    SelectProcesses::new(SelectProgram { program, arguments, inherits_environment: false })
});

/// The tables of the shipped market, loaded and planned once for all servers that only read them.
pub(crate) static SNAPSHOTS: LazyLock<Arc<Snapshots>> =
    LazyLock::new(|| Arc::new(Snapshots::from_snapshot(open(&SHIPPED.data).unwrap())));

/// The runtime for asynchronous work of all tests.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The folder of this test run.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    hold_folders_in_memory();
    folder_among("runs", &std::process::id().to_string())
});

/// The folder of the markets made by this build, named by the program's hash and the version of the derivation code.
static MARKETS: LazyLock<PathBuf> = LazyLock::new(|| {
    let build = hash_of(Path::new(env!("CARGO_BIN_EXE_parquote"))).unwrap();
    folder_among("markets", &format!("{}-{}", &build[..16], parquote::derive::ROW_CODE_HASH))
});

/// Puts temporary folders of tests in memory if there is room for them and `TMPDIR` is not set: on a disk, their files take a fifth of
/// the time of all tests. Removes folders that killed runs left there.
fn hold_folders_in_memory() {
    const ROOM: u64 = 2 << 30;
    let all = Path::new("/dev/shm/parquote-tests");
    if !cfg!(target_os = "linux") || std::env::var_os("TMPDIR").is_some() || fs::create_dir_all(all).is_err()
    {
        return;
    }
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let (own, room) = (all.join(std::process::id().to_string()), available(all));
    if room >= ROOM && fs::create_dir(&own).is_ok() {
        let _ = tempfile::env::override_temp_dir(&own);
    }
}

/// Returns the free bytes of a folder's file system; 0 if the system does not report them.
fn available(folder: &Path) -> u64 {
    #[cfg(unix)]
    return rustix::fs::statvfs(folder).map_or(0, |stat| stat.f_bavail * stat.f_frsize);
    #[cfg(not(unix))]
    return 0;
}

/// Makes a folder of this name; removes others of its kind that are over an hour old.
fn folder_among(kind: &str, name: &str) -> PathBuf {
    const OLD: Duration = Duration::from_hours(1);
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join(kind);
    fs::create_dir_all(&all).unwrap();
    for entry in fs::read_dir(&all).unwrap().flatten().filter(|entry| entry.file_name() != name) {
        let age = entry.metadata().and_then(|stat| stat.modified()).map(|at| at.elapsed());
        if matches!(age, Ok(Ok(age)) if age > OLD) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    all.join(name)
}

impl DemoMarket {
    /// Copies the tables into a temporary folder, where a test may break them.
    pub(crate) fn copy(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(&self.data, copy.path());
        copy
    }
}

/// Derives the markets again into a folder.
pub(crate) fn derive_into(raw: &Path, data: &Path, as_of: Option<NaiveDate>) {
    derive_under(&CATALOGUE, raw, data, as_of);
}

/// Derives the markets again under this catalogue.
pub(crate) fn derive_under(catalogue: &Arc<Catalogue>, raw: &Path, data: &Path, as_of: Option<NaiveDate>) {
    std::thread::scope(|scope| {
        for market in Market::ALL.into_iter().filter(|market| raw.join(market.word()).is_dir()) {
            scope.spawn(move || derive_market(catalogue, market, (raw, data), as_of));
        }
    });
}

/// Derives one of the markets of a folder of raw files into another.
pub(crate) fn derive_market(
    catalogue: &Arc<Catalogue>,
    market: Market,
    (raw, data): (&Path, &Path),
    as_of: Option<NaiveDate>,
) {
    let options = DeriveOptions {
        raw: raw.to_owned(),
        data: data.to_owned(),
        as_of,
        lists_as_of: None,
        full: false,
        use_parse_cache: false,
        bounds: UnpackBounds::default(),
        bars_memory_bytes: None,
        publishing: Publishing::default(),
        allow: parquote::derive::AllowedFaults::default(),
        units: None,
        kept_tables_source: None,
    };
    RUNTIME.block_on(derive(catalogue, market, &options, &SilentProgress)).unwrap();
}

/// Opens a snapshot as the server does.
pub(crate) fn open(data: &Path) -> Result<Snapshot, EngineError> {
    open_with(&CATALOGUE, data.to_str().unwrap(), &QueryLimits::default())
}

/// Opens all tables, including those that no operation reads, for tests that run SELECTs.
pub(crate) fn open_whole(data: &Path) -> Snapshot {
    let (root, limits) = (Root::folder(data), QueryLimits::default());
    let opened = Snapshot::open(Arc::clone(&CATALOGUE), &root, LoadScope::All, &limits);
    RUNTIME.block_on(opened).unwrap()
}

/// Returns the first value of the first row of a SELECT.
pub(crate) fn first_value(tables: &Snapshot, market: Market, sql: &str) -> Option<String> {
    let value = first_column(tables, market, &format!("{sql} LIMIT 1")).into_iter().next()?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Opens a snapshot of a root under this catalogue and these limits.
pub(crate) fn open_with(
    catalogue: &Arc<Catalogue>,
    root: &str,
    limits: &QueryLimits,
) -> Result<Snapshot, EngineError> {
    RUNTIME.block_on(async {
        let root = Root::open(root, &FOLDER.join("cache"), 1 << 30)?;
        Snapshot::open(Arc::clone(catalogue), &root, LoadScope::Served, limits).await
    })
}

/// Makes the market in a folder of this run. Its files are links to those that the first run of this build made.
fn make(name: &str, options: &DemoOptions) -> DemoMarket {
    let made = MARKETS.join(name);
    if !made.exists() {
        fs::create_dir_all(&*MARKETS).unwrap();
        let own = tempfile::tempdir_in(&*MARKETS).unwrap().keep();
        parquote_demo::write(&own.join("raw"), options, &mut |_, _, _| {}).unwrap();
        derive_into(&own.join("raw"), &own.join("sets"), None);
        plain(&own.join("sets"), &own.join("data"));
        // Another test target may have made it first.
        if fs::rename(&own, &made).is_err() {
            fs::remove_dir_all(own).unwrap();
        }
    }
    let folder = FOLDER.join(name);
    each_file(&made, &folder, &|from, to| fs::hard_link(from, to));
    let folder = |part: &str| folder.join(part);
    DemoMarket { raw: folder("raw"), sets: folder("sets"), data: folder("data") }
}

/// Copies the newest sets of a folder as plain files into another.
pub(crate) fn plain(sets: &Path, to: &Path) {
    let home = Home::new(sets);
    for market in Market::ALL {
        let Some(set) = home.newest(market).unwrap() else { continue };
        for (table, file) in set.files() {
            let path = match &file.part {
                None => format!("{table}.parquet"),
                Some(part) => format!("{table}/{part}.parquet"),
            };
            let to = to.join(market.word()).join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::hard_link(home.file_path(market, table, &file.hash), to).unwrap();
        }
    }
}

/// Returns the files of a market's tables, keyed by their names in a plain folder.
pub(crate) fn named(data: &Path, market: Market) -> BTreeMap<PathBuf, PathBuf> {
    let home = Home::new(data);
    if let Some(set) = home.newest(market).unwrap() {
        let named = |(table, file): (&str, &parquote::set::SetFile)| {
            let name = match &file.part {
                None => format!("{table}.parquet"),
                Some(part) => format!("{table}/{part}.parquet"),
            };
            (PathBuf::from(name), home.file_path(market, table, &file.hash))
        };
        return set.files().map(named).collect();
    }
    let mut found = BTreeMap::new();
    let market = data.join(market.word());
    let mut folders = vec![market.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "parquet") {
                found.insert(path.strip_prefix(&market).unwrap().to_owned(), path);
            }
        }
    }
    found
}

/// Returns the path of a table's file: `india/stocks.parquet` in a plain folder, or the file of that part in the newest set.
pub(crate) fn file(data: &Path, path: &str) -> PathBuf {
    let (market, part) = path.split_once('/').unwrap();
    let market: Market = market.parse().unwrap();
    named(data, market).remove(Path::new(part)).unwrap_or_else(|| data.join(path))
}

/// Copies a folder and everything below it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    each_file(from, to, &|from, to| fs::copy(from, to).map(drop));
}

/// Makes the subfolders of one folder in another and calls `put` with each file and its target path.
fn each_file(from: &Path, to: &Path, put: &dyn Fn(&Path, &Path) -> io::Result<()>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { each_file(&path, &target, put) } else { put(&path, &target).unwrap() }
    }
}

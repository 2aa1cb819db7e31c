//! A fetcher with a temporary folder, a simulated clock, and test sources.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use tempfile::TempDir;

use super::host::{Host, HostReaction, ReceivedRequest};
use crate::{
    FetchClock, FetchOutcome, FetchPlan, FetchProgress, FetchReport, FetchRequest, FetchSettings, Fetcher,
    Folders, Limits, ManifestLine, Proxy, SourceCatalogue, VendorKey, VendorKeys,
};

/// A clock that only advances by sleeping or by the test.
#[derive(Debug)]
pub(super) struct SimulatedClock {
    now: Mutex<DateTime<Utc>>,
    chance: AtomicU64,
}

impl SimulatedClock {
    pub(super) fn at(text: &str) -> Arc<Self> {
        Arc::new(Self { now: Mutex::new(text.parse().unwrap()), chance: AtomicU64::new(1) })
    }

    pub(super) fn set(&self, text: &str) {
        *self.now.lock().unwrap() = text.parse().unwrap();
    }

    pub(super) fn advance(&self, by: TimeDelta) {
        *self.now.lock().unwrap() += by;
    }
}

#[async_trait]
impl FetchClock for SimulatedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.now.lock().unwrap()
    }

    async fn sleep(&self, time: Duration) {
        self.advance(TimeDelta::from_std(time).unwrap());
        tokio::task::yield_now().await;
    }

    fn chance(&self) -> f64 {
        let next = self
            .chance
            .fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (next >> 11) as f64 / (1_u64 << 53) as f64
    }
}

pub(super) struct TestKeys(pub(super) &'static [(&'static str, &'static str)]);

impl VendorKeys for TestKeys {
    fn key(&self, name: &str) -> Option<VendorKey> {
        self.0.iter().find(|(other, _)| *other == name).and_then(|(_, key)| VendorKey::new(key))
    }
}

/// Confirms nothing, and records all calls.
#[derive(Debug, Default)]
pub(super) struct CallRecorder {
    pub(super) plan_items: AtomicU64,
    pub(super) agrees: bool,
    pub(super) waits: Mutex<Vec<Duration>>,
}

impl FetchProgress for CallRecorder {
    fn agree(&self, plan: &FetchPlan) -> bool {
        self.plan_items.store(plan.items.len() as u64, Ordering::SeqCst);
        self.agrees
    }

    fn wait(&self, _: &str, time: Duration) {
        self.waits.lock().unwrap().push(time);
    }
}

/// The hosts of tests: one group without conditions, one with all of them.
pub(super) const HOSTS: &str = r#"
[plain]
who = "A host"
hosts = ["files.test"]
spacing = "2 s"
pause = "5 min"
terms = "https://files.test/terms"
terms_say = "none"
by_hand = "https://files.test/by-hand"

[strict]
who = "A strict host"
hosts = ["strict.test"]
spacing = "2 s"
pause = "5 min"
consent = true
contact = true
terms = "https://strict.test/terms"
terms_say = "only with a contact"
by_hand = "https://strict.test/by-hand"
"#;

/// A daily source with a date inside.
pub(super) const DAY: &str = r#"
what = "days"
url = "https://files.test/day_{DDMMYYYY}.csv"
kind = "dated"
since = 2026-01-01
ready = "19:00 Asia/Kolkata"
retry = "5 days"
corrected = "8 days"
core = true
into = "india/day/{YYYY}/day_{DDMMYYYY}.csv"
bytes = 1000
seen = 2026-07-01
[expect]
magic = "text"
header = ["SYMBOL", "DATE1", "CLOSE"]
date = "DATE1"
rows = 3
"#;

/// A list that is replaced each evening.
pub(super) const ROLLING: &str = r#"
what = "a list"
url = "https://files.test/bulk.csv"
kind = "rolling"
every = "2 hours"
into = "india/deals/{YYYY}/bulk_{CAPTURE}_{TIME}.csv"
seen = 2026-07-01
[expect]
magic = "text"
header = ["DATE", "SYMBOL"]
date = "DATE"
none = "NO RECORDS"
rows = 1
"#;

/// Data sets that a page links to.
pub(super) const LINKED: &str = r#"
what = "data sets"
url = "https://files.test/sets"
kind = "linked"
links = "????q?_form345.zip"
since = 2006-01-01
corrected = "45 days"
into = "us/sec/insiders/{name}"
seen = 2026-07-01
[expect]
magic = "text"
rows = 1
"#;

/// Documents of the filings of companies.
pub(super) const FILED: &str = r#"
what = "documents"
url = "https://files.test/submissions/CIK{each}.json"
kind = "filed"
per = "cik"
every = "20 hours"
since = 2010-01-01
into = "us/documents/{name}"
bytes = 1000
seen = 2026-07-01
[filed]
url = "https://files.test/data/{each}/{name}"
forms = ["8-K", "10-Q"]
items = ["2.02"]
[expect]
magic = "page"
rows = 1
"#;

pub(super) struct Bench {
    pub(super) folder: TempDir,
    pub(super) clock: Arc<SimulatedClock>,
    pub(super) host: Host,
    pub(super) settings: FetchSettings,
    pub(super) catalogue: SourceCatalogue,
}

/// 2026-07-08 is a Wednesday; 15:00 UTC is 20:30 in India.
pub(super) const EVENING: &str = "2026-07-08T15:00:00Z";

impl Bench {
    /// Creates a fetcher with one source at this path.
    pub(super) async fn for_source(
        source: (&str, &str),
        script: impl Fn(&ReceivedRequest) -> HostReaction + Send + Sync + 'static,
    ) -> Self {
        let clock = SimulatedClock::at(EVENING);
        let host = Host::start(clock.clone(), script).await;
        Self::with(catalogue_of(&[source]), clock, host)
    }

    pub(super) fn with(catalogue: SourceCatalogue, clock: Arc<SimulatedClock>, host: Host) -> Self {
        let mut settings = FetchSettings { proxy: Proxy::Direct, ..FetchSettings::default() };
        settings.limits = Limits {
            connect: Duration::from_secs(5),
            reply: Duration::from_millis(700),
            idle: Duration::from_millis(700),
            grace: Duration::from_millis(300),
            slowest: 1_000,
            usual: 1 << 20,
            unpacked: 1 << 20,
        };
        for group in catalogue.groups() {
            for name in &group.hosts {
                settings.bases.insert(name.clone(), host.url.clone());
            }
        }
        Self { folder: tempfile::tempdir().unwrap(), clock, host, settings, catalogue }
    }

    pub(super) fn raw(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn fetcher(&self) -> Fetcher {
        let folders = Folders::new(self.raw());
        Fetcher::new(self.catalogue.clone(), folders, self.settings.clone(), self.clock.clone()).unwrap()
    }

    pub(super) async fn run(&self, request: &FetchRequest) -> FetchReport {
        self.fetcher().run(request, &CallRecorder::default()).await.unwrap()
    }

    /// Returns the line of the only request of a run for one day.
    pub(super) async fn run_day(&self, date: &str) -> ManifestLine {
        let report = self.run(&on_day(date)).await;
        assert_eq!(report.finished.len(), 1, "{report:?}");
        report.finished[0].line.clone()
    }

    /// Returns all files below the folders of the markets, with their bytes.
    pub(super) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for market in ["india", "us"] {
            collect(self.raw(), &self.raw().join(market), &mut files);
        }
        files.sort();
        files
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.files().into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the text of all state files.
    pub(super) fn state_text(&self) -> String {
        let mut files = Vec::new();
        collect(self.raw(), &self.raw().join(".fetch"), &mut files);
        let texts = files
            .into_iter()
            .map(|(name, bytes)| [name, String::from_utf8_lossy(&bytes).into_owned()].join("\n"));
        texts.collect::<Vec<_>>().join("\n")
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.push((name, fs::read(&path).unwrap()));
        }
    }
}

pub(super) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Requests a single day.
pub(super) fn on_day(date: &str) -> FetchRequest {
    between(date, date)
}

pub(super) fn between(since: &str, until: &str) -> FetchRequest {
    FetchRequest { since: Some(day(since)), until: Some(day(until)), ..FetchRequest::default() }
}

/// Returns a good file of a day.
pub(super) fn day_file(date: &str) -> String {
    let date = day(date).format("%d-%b-%Y");
    let rows = ["AAA", "BBB", "CCC", "DDD"].map(|symbol| format!("{symbol}, {date}, 10.5\n"));
    format!("SYMBOL, DATE1, CLOSE\n{}", rows.concat())
}

/// Returns the day in a path of [`DAY`].
pub(super) fn day_in_path(path: &str) -> Option<String> {
    let digits = path.split("day_").nth(1)?.get(..8)?;
    Some(NaiveDate::parse_from_str(digits, "%d%m%Y").ok()?.to_string())
}

pub(super) fn outcomes(report: &FetchReport) -> Vec<(String, FetchOutcome)> {
    report.finished.iter().map(|ended| (ended.line.item.clone(), ended.line.outcome)).collect()
}

/// Builds an archive with these members.
pub(super) fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Builds the catalogue of the test hosts and some sources, each with its path.
pub(super) fn catalogue_of(sources: &[(&str, &str)]) -> SourceCatalogue {
    let files = [("hosts.toml", HOSTS)].iter().chain(sources);
    let files: Vec<(String, String)> =
        files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    SourceCatalogue::from_files(&files, &[]).unwrap()
}

//! From an empty folder to a market that answers: fetch, derive, serve, against local hosts.
//!
//! The plain test fetches invented files. The other one is ignored by default: it offers the real files of a folder under
//! the addresses of their official hosts, `PARQUOTE_REAL=… cargo test --test suite -- --ignored --nocapture official`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use parquote::fetch::{
    FetchClock, FetchRequest, FetchSettings, Fetcher, Folders, SilentFetch, SourceCatalogue,
};
use parquote::operation::Market;
use serde_json::Value as Json;

use crate::demo_market::{LITTLE, RUNTIME, copy_folder, derive_into, first_value, open};
use crate::fetch_setup::FetchSetup;
use crate::program::{command, run};
use crate::raw_host::{RawHost, tree};
use crate::running_server::{RunningServer, issue_key, wait_for};
use crate::server::LITTLE_SERVER;

/// A server over a folder, and a key for it.
struct ServedFolder {
    server: RunningServer,
    url: String,
    key: String,
}

impl ServedFolder {
    fn start(folder: &Path, data: &str) -> Self {
        let program = |words: &[&str]| {
            let mut program = command(words);
            program.env("PARQUOTE_STATE", folder.join("keys.db"));
            program
        };
        let key = issue_key(program(&[]), "local", &[]);
        let serve = program(&["serve", "--data", data, "--listen", "127.0.0.1:0"]);
        let mut server = RunningServer::start(serve, folder.join("out"), &folder.join("log"));
        let url = server.url().trim_end_matches('/').to_owned();
        let own = Self { server, url, key };
        // The server reports that it serves as soon as one market is loaded.
        let has = |market: Market| Path::new(data).join(market.word()).is_dir();
        let answers = |path: &str| own.get(path).is_ok();
        wait_for("both markets", || {
            (!has(Market::India) || answers("/market/breadth"))
                && (!has(Market::Us) || answers("/us/market/breadth"))
        });
        own
    }

    /// Returns the data of an answer, or an error.
    fn get(&self, path: &str) -> Result<Json, String> {
        RUNTIME.block_on(async {
            let asked = reqwest::Client::new().get(format!("{}{path}", self.url));
            let reply =
                asked.header("x-api-key", &self.key).send().await.map_err(|error| error.to_string())?;
            let is_ok = reply.status().is_success();
            let body = reply.text().await.map_err(|error| error.to_string())?;
            let body: Json = serde_json::from_str(&body).map_err(|error| error.to_string())?;
            if is_ok { Ok(body["data"].clone()) } else { Err(body.to_string()) }
        })
    }
}

/// Returns true if an answer has a row.
fn has_rows(data: &Json) -> bool {
    match data {
        Json::Array(rows) => !rows.is_empty(),
        Json::Object(fields) => {
            let mut lists = fields.values().filter_map(Json::as_array).peekable();
            !fields.is_empty() && (lists.peek().is_none() || lists.any(|list| !list.is_empty()))
        }
        other => !other.is_null(),
    }
}

#[test]
fn three_commands_make_a_market_of_an_empty_folder() {
    let setup = FetchSetup::new();
    let (_, told, errors) = setup.says(&["fetch", "india", "--since", "2026-09-01", "--dry-run"], "raw");
    assert!(told.contains("\nstep ") && told.contains("the newest sessions and quarters"), "{told}{errors}");
    assert!(told.contains("can answer then") && told.contains("india: "), "{told}");
    let output = setup.fetch_all("raw").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let promised = told.lines().find_map(|line| line.strip_prefix("india: ")).unwrap_or_default();
    assert!(promised.contains(" operations can answer"), "{told}");
    assert!(told.trim_end().ends_with("--data data/mine makes tables of these files"), "{told}");
    let (raw, data) = (setup.path("raw"), setup.path("data"));
    let (code, told, errors) = run(&["derive", "--raw", &raw, "--data", &data]);
    assert_eq!(code, Some(0), "{told}{errors}");
    let (_, told, _) = run(&["check", "--contract-only", &data]);
    let count = promised.split(';').next().unwrap();
    assert!(told.contains(count), "what was promised is kept: {count}\n{told}");
    let served = ServedFolder::start(setup.folder.path(), &data);
    for path in ["/companies?q=a", "/market/sectors", "/market/top-movers", "/us/market/sectors"] {
        let data = served.get(path);
        assert!(data.as_ref().is_ok_and(has_rows), "{path}: {data:?}");
    }
}

/// A clock that stays at one moment, even while a task sleeps.
#[derive(Debug)]
struct Evening(DateTime<Utc>);

#[async_trait::async_trait]
impl FetchClock for Evening {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }

    async fn sleep(&self, _: Duration) {
        tokio::task::yield_now().await;
    }

    fn chance(&self) -> f64 {
        0.5
    }
}

#[test]
fn deals_of_two_evenings_are_two_files_and_both_are_derived() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, data) = (folder.path().join("raw"), folder.path().join("data"));
    copy_folder(&LITTLE.raw.join("india"), &raw.join("india"));
    let tables = LITTLE_SERVER.service().snapshot();
    let stock = first_value(&tables, Market::India, "SELECT symbol FROM stocks ORDER BY symbol").unwrap();
    let host = RawHost::over(BTreeMap::new());
    let days = ["2026-10-29", "2026-10-30"].map(|day| day.parse::<NaiveDate>().unwrap());
    for day in days {
        let header = "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Trade Price / Wght. Avg. Price,Remarks";
        let shown = day.format("%d-%b-%Y").to_string().to_uppercase();
        let row = format!("{shown},{stock},A Company,A BUYER OF {day},BUY,12345,101.50,-");
        let file = format!("{header}\n{row}\n").into_bytes();
        host.files.lock().unwrap().insert("/content/equities/bulk.csv".to_owned(), file);
        // 22:00 in India.
        let clock = Evening(day.and_hms_opt(16, 30, 0).unwrap().and_utc());
        let base = ("nsearchives.nseindia.com".to_owned(), host.address.parse().unwrap());
        let settings = FetchSettings { bases: BTreeMap::from([base]), ..FetchSettings::default() };
        let catalogue = SourceCatalogue::embedded().unwrap();
        let fetcher = Fetcher::new(catalogue, Folders::new(&raw), settings, Arc::new(clock)).unwrap();
        let nse = Arc::clone(fetcher.catalogue().groups().find(|group| group.name == "nse").unwrap());
        fetcher.consent(&nse).unwrap();
        let request = FetchRequest {
            sources: vec!["bulk_deals".to_owned()],
            market: Some(Market::India),
            ..FetchRequest::default()
        };
        let report = RUNTIME.block_on(fetcher.run(&request, &SilentFetch)).unwrap();
        assert!(report.finished.iter().any(|ended| ended.line.path.is_some()), "{report:?}");
    }
    let fetched: BTreeSet<String> = tree(&raw.join("india/deals")).into_keys().collect();
    assert!(fetched.contains("2026/bulk_20261029_220000.csv"), "{fetched:?}");
    assert!(fetched.contains("2026/bulk_20261030_220000.csv"), "{fetched:?}");
    derive_into(&raw, &data, None);
    let tables = open(&data).unwrap();
    for day in days {
        let sql = format!(
            "SELECT client FROM deals WHERE client = 'A BUYER OF {day}' AND deal_date = DATE '{day}'"
        );
        assert!(first_value(&tables, Market::India, &sql).is_some(), "{day}");
    }
}

/// Returns a zip archive of these members.
fn zipped(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Real files under the addresses of their hosts. Files that no host offers are on a user's host, one archive per folder, as users store
/// bought or manually downloaded files.
#[derive(Default)]
struct Official {
    offered: BTreeMap<String, Vec<u8>>,
    own: BTreeMap<String, Vec<(String, Vec<u8>)>>,
}

/// Returns the address of a raw file at its host, and true if it is inside an archive there.
fn address(path: &str, name: &str) -> Option<(String, bool)> {
    const LISTS: [&str; 6] =
        ["EQUITY_L.csv", "symbolchange.csv", "namechange.csv", "eq_etfseclist.csv", "bulk.csv", "block.csv"];
    let day = |form: &str| NaiveDate::parse_from_str(name, form).ok();
    if day("sec_bhavdata_full_%d%m%Y.csv").is_some() {
        return Some((format!("/products/content/{name}"), false));
    }
    if let Some(date) = day("cm%d%b%Ybhav.csv") {
        let folder = date.format("%Y/%b").to_string().to_uppercase();
        return Some((format!("/content/historical/EQUITIES/{folder}/{name}.zip"), true));
    }
    if day("BhavCopy_NSE_CM_0_0_0_%Y%m%d_F_0000.csv").is_some() {
        return Some((format!("/content/cm/{name}.zip"), true));
    }
    if let Some(date) = day("form.%Y%m%d.idx") {
        let folder = format!("{}/QTR{}", date.year(), date.month0() / 3 + 1);
        return Some((format!("/Archives/edgar/daily-index/{folder}/{name}"), false));
    }
    let plain = match name {
        _ if LISTS.contains(&name) => format!("/content/equities/{name}"),
        _ if path.contains("/index_2") && name.starts_with("ind_") => format!("/content/indices/{name}"),
        _ if path.contains("/sector_indices_") => format!("/IndexConstituent/{name}"),
        _ if name.starts_with("company_tickers_2") => "/files/company_tickers.json".to_owned(),
        _ => return None,
    };
    Some((plain, false))
}

impl Official {
    fn from_folder(raw: &Path) -> Self {
        let mut official = Self::default();
        let (mut facts, mut filings) = (Vec::new(), Vec::new());
        for (path, bytes) in tree(raw) {
            let name = path.rsplit('/').next().unwrap().to_owned();
            match address(&path, &name) {
                Some((address, true)) => official.offer(address, zipped(&[(name, bytes)])),
                Some((address, false)) => official.offer(address, bytes),
                None if path.contains("/companyfacts/") => facts.push((name, bytes)),
                None if path.contains("/submissions/") => filings.push((name, bytes)),
                None if path.contains("/daily_reports/") => {}
                None => {
                    let folder = path.rsplit_once('/').unwrap().0.replace(['/', '-'], "_");
                    official.own.entry(folder).or_default().push((name, bytes));
                }
            }
        }
        official.bundles(&raw.join("india/daily_reports/pr"));
        official.offer("/Archives/edgar/daily-index/xbrl/companyfacts.zip".to_owned(), zipped(&facts));
        official.offer("/Archives/edgar/daily-index/bulkdata/submissions.zip".to_owned(), zipped(&filings));
        official
    }

    /// Declares a source for each of the user's archives, and offers them.
    fn offer_own(&mut self, sources: &Path) {
        for (folder, files) in std::mem::take(&mut self.own) {
            let (market, name) = folder.split_once('_').unwrap();
            let source = format!(
                "what = \"own files\"\nurl = \"https://{OWN_HOST}/{folder}.zip\"\nkind = \"rolling\"\nevery = \"20 hours\"\nkeep = 1\n\
                 into = \"{market}/own/{name}_{{CAPTURE}}_{{TIME}}.zip\"\nmost = 1_000_000_000\nseen = 2026-10-05\n[expect]\nmagic = \"zip\"\n"
            );
            fs::create_dir_all(sources.join(market)).unwrap();
            fs::write(sources.join(market).join(format!("own_{name}.toml")), source).unwrap();
            self.offer(format!("/{folder}.zip"), zipped(&files));
        }
    }

    fn offer(&mut self, path: String, bytes: Vec<u8>) {
        self.offered.insert(path, bytes);
    }

    /// Offers the daily bundles; their members are in a folder per day.
    fn bundles(&mut self, folder: &Path) {
        for day in fs::read_dir(folder).into_iter().flatten() {
            let day = day.unwrap().path();
            let date: NaiveDate = day.file_name().unwrap().to_string_lossy().parse().unwrap();
            let members: Vec<_> = tree(&day).into_iter().collect();
            let name = date.format("PR%d%m%y.zip");
            self.offer(format!("/archives/equities/bhavcopy/pr/{name}"), zipped(&members));
        }
    }
}

/// The user's host.
const OWN_HOST: &str = "files.example.com";

/// Returns the groups of the official hosts, without their pauses, and the user's host.
fn quick_hosts() -> String {
    let (_, hosts) =
        *parquote::fetch::embedded_sources().iter().find(|(path, _)| *path == "hosts.toml").unwrap();
    let line = |line: &str| {
        if line.starts_with("spacing") { "spacing = \"1 ms\"".to_owned() } else { line.to_owned() }
    };
    let own = format!(
        "\n[own]\nwho = \"us\"\nhosts = [\"{OWN_HOST}\"]\nspacing = \"1 ms\"\npause = \"1 s\"\nterms = \"https://{OWN_HOST}/\"\n\
         terms_say = \"our own\"\nby_hand = \"https://{OWN_HOST}/\"\n"
    );
    hosts.lines().map(line).collect::<Vec<_>>().join("\n") + &own
}

/// Runs a command and prints its duration.
fn timed(words: &[&str], mut command: Command) {
    let began = Instant::now();
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{} {:.1} s, {}", words[0], began.elapsed().as_secs_f64(), output.status);
    for line in said.lines().filter(|line| line.contains("can answer") || line.contains(" ok")) {
        println!("  {line}");
    }
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default());
    }
}

/// Returns true if an operation reads market data, not the caller's runs and keys.
fn is_of_data(path: &str) -> bool {
    const OF_RUNS: [&str; 7] = ["start", "poll", "status", "report", "cancel", "list", "estimate"];
    let (group, end) = path.rsplit_once('/').unwrap();
    let is_of_account = path.contains("preset") || path.contains("byo") || ["usage", "status"].contains(&end);
    !(is_of_account || group == "/committee" && OF_RUNS.iter().any(|word| end.contains(word)))
}

/// Checks that an operation returns rows for one of a few companies; otherwise returns the reason.
fn answers(served: &ServedFolder, market: Market, operation: &Json) -> Result<(), String> {
    let symbols: &[&str] = match market {
        Market::India => &["HDFCBANK", "RELIANCE", "TCS", "INFY"],
        Market::Us => &["AAPL", "NVDA", "MSFT"],
    };
    let params = operation["params"].as_array().unwrap().iter().filter(|param| param["required"] == true);
    let mut required: BTreeSet<&str> = params.filter_map(|param| param["name"].as_str()).collect();
    let path = operation["path"].as_str().unwrap();
    if path.contains("risk-audit") {
        required.insert("symbols");
    }
    let mut why = String::new();
    for symbol in symbols {
        let pairs = required.iter().map(|name| match *name {
            "symbol" => format!("symbol={symbol}"),
            "symbols" => format!("symbols={}", symbols.join(",")),
            name => format!("{name}=stocks+with+rs+above+80"),
        });
        match served.get(&format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))) {
            Ok(data) if has_rows(&data) => return Ok(()),
            Ok(_) => "no row".clone_into(&mut why),
            Err(message) => why = message,
        }
    }
    Err(why)
}

/// Prints how many operations of the contract return rows, and why the others do not.
fn count(served: &ServedFolder) {
    let table: Json = serde_json::from_str(include_str!("../contract/operations.json")).unwrap();
    for market in Market::ALL {
        let operations = table["operations"].as_array().unwrap().iter();
        let of_market = operations.filter(|operation| operation["market"] == market.word());
        let of_data: Vec<&Json> =
            of_market.filter(|operation| operation["path"].as_str().is_some_and(is_of_data)).collect();
        let mut answering = 0;
        for operation in &of_data {
            match answers(served, market, operation) {
                Ok(()) => answering += 1,
                Err(why) => println!("  {}: {why}", operation["path"]),
            }
        }
        println!("{market}: {answering} of {} operations answer with rows", of_data.len());
    }
}

#[test]
#[ignore = "needs real raw files"]
fn the_official_files_become_a_market_that_answers() {
    let raw = std::env::var_os("PARQUOTE_REAL").map(PathBuf::from).unwrap();
    let mut official = Official::from_folder(&raw);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(path("sources")).unwrap();
    fs::write(path("sources/hosts.toml"), quick_hosts()).unwrap();
    println!("{} files are offered, {} folders are the owner's", official.offered.len(), official.own.len());
    official.offer_own(Path::new(&path("sources")));
    let host = RawHost::over(official.offered);
    let fetched = path("raw");
    let mut fetch =
        command(&["fetch", "--since", "2021-05-10", "--until", "2026-08-21", "--yes", "--raw", &fetched]);
    fetch.args(["--contact", "Asha Rao asha@firm.in", "--accept-terms", "nse,niftyindices,nasdaqtrader"]);
    fetch.args(["--fetch-state", &path("state"), "--sources", &path("sources")]);
    for name in
        ["nsearchives.nseindia.com", "niftyindices.com", "www.sec.gov", "www.nasdaqtrader.com", OWN_HOST]
    {
        fetch.args(["--mirror", &format!("{name}={}", host.address)]);
    }
    timed(&["fetch"], fetch);
    // Deals, insider trades and results are from different months: each day shows those available.
    for day in ["2026-08-21", "2025-12-17", "2025-06-30"] {
        let data = path(day);
        for market in Market::ALL.map(Market::word) {
            let mut derive = command(&["derive", "--raw", &fetched, "--data", &data, "--market", market]);
            derive.args(["--as-of", day, "--allow-unreadable"]);
            timed(&["derive", market, day], derive);
        }
        let began = Instant::now();
        let served = ServedFolder::start(folder.path(), &data);
        println!("serve {:.1} s", began.elapsed().as_secs_f64());
        count(&served);
        served.server.kill();
    }
}

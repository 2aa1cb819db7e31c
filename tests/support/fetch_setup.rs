//! The raw files of the demo on a local host, declared as sources, and the folders of a fetcher for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use parquote::operation::Market;

use crate::demo_market::LITTLE;
use crate::program::{command, run};
use crate::raw_host::{RawHost, tree};

/// The last session of the demo. Files that belong to no session are served under its date.
pub(crate) const LAST: &str = "2026-10-30";

/// Returns the raw files of the demo as the host offers them. In the demo, member lists are in a folder per month; here the month is in
/// the file name, as in fetched lists.
fn offered() -> BTreeMap<String, Vec<u8>> {
    let named = |name: String| match name.split_once("/lists_") {
        Some((market, list)) => {
            let (month, file) = list.split_once('/').unwrap();
            format!("/{market}/lists/{}_{month}.csv", file.strip_suffix(".csv").unwrap())
        }
        None => format!("/{name}"),
    };
    tree(&LITTLE.raw).into_iter().map(|(name, bytes)| (named(name), bytes)).collect()
}

const HOSTS: &str = r#"
[archive]
who = "An archive of invented files"
hosts = ["archive.test"]
spacing = "1 ms"
pause = "1 s"
consent = true
terms = "https://archive.test/terms"
terms_say = "nothing of it is real"
by_hand = "https://archive.test/by-hand"
"#;

const PRICES: &str = r#"
what = "full bhavcopy of the demo"
url = "https://archive.test/india/prices/sec_bhavdata_full_{DDMMYYYY}.csv"
kind = "dated"
since = 2026-01-01
until = 2026-10-30
ready = "19:00 Asia/Kolkata"
core = true
into = "india/30/prices/sec_bhavdata_full_{DDMMYYYY}.csv"
seen = 2026-10-30
[expect]
magic = "text"
header = ["SYMBOL", "SERIES", "DATE1", "CLOSE_PRICE", "TTL_TRD_QNTY", "DELIV_QTY"]
date = "DATE1"
rows = 5
"#;

/// Writes the declarations of all offered files: prices by session, every other file under the last day.
fn declare(folder: &Path, offered: &BTreeMap<String, Vec<u8>>) {
    fs::create_dir_all(folder.join("india")).unwrap();
    fs::create_dir_all(folder.join("us")).unwrap();
    fs::write(folder.join("hosts.toml"), HOSTS).unwrap();
    fs::write(folder.join("india/full_bhavcopy.toml"), PRICES).unwrap();
    for market in Market::ALL.map(Market::word) {
        for (kind, magic, endings) in [
            ("texts", "text", &["csv", "txt", "ndjson"][..]),
            ("archives", "zip", &["zip"]),
            ("lists", "json", &["json"]),
        ] {
            let of_market = offered.keys().filter_map(|path| path.strip_prefix(&format!("/{market}/")));
            let is_of_kind = |path: &&str| endings.iter().any(|ending| path.ends_with(&format!(".{ending}")));
            let files: Vec<&str> =
                of_market.filter(is_of_kind).filter(|path| !path.contains("sec_bhavdata_full")).collect();
            if files.is_empty() {
                continue;
            }
            let text = format!(
                "what = \"{kind} of the demo\"\nurl = \"https://archive.test/{market}/{{each}}?day={{DD}}\"\nkind = \"dated\"\n\
                 since = {LAST}\nuntil = {LAST}\nready = \"19:00 Asia/Kolkata\"\neach = {files:?}\n\
                 into = \"{market}/{{DD}}/{{each}}\"\nseen = {LAST}\n[expect]\nmagic = \"{magic}\"\n"
            );
            fs::write(folder.join(market).join(format!("demo_{market}_{kind}.toml")), text).unwrap();
        }
    }
}

/// The folders of a fetcher, and a host for it.
pub(crate) struct FetchSetup {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) host: RawHost,
}

impl FetchSetup {
    pub(crate) fn new() -> Self {
        let offered = offered();
        let folder = tempfile::tempdir().unwrap();
        declare(&folder.path().join("sources"), &offered);
        // The addresses of files under the last day contain the day.
        let day =
            |path: String| if path.contains("sec_bhavdata_full") { path } else { format!("{path}?day=30") };
        let host = RawHost::over(offered.into_iter().map(|(path, bytes)| (day(path), bytes)).collect());
        Self { folder, host }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Returns a command with the flags for this host and for a folder of raw files of this name.
    pub(crate) fn flags(&self, words: &[&str], raw: &str) -> Vec<String> {
        let mirror = format!("archive.test={}", self.host.address);
        let own = [
            ("--raw", self.path(raw)),
            ("--fetch-state", self.path(&format!("{raw}-state"))),
            ("--sources", self.path("sources")),
            ("--mirror", mirror),
        ];
        let own = own.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]);
        words.iter().map(|word| (*word).to_owned()).chain(own).collect()
    }

    pub(crate) fn says(&self, words: &[&str], raw: &str) -> (Option<i32>, String, String) {
        let flags = self.flags(words, raw);
        run(&flags.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(crate) fn fetch_all(&self, raw: &str) -> Command {
        let words = ["fetch", "--since", "2026-06-01", "--until", LAST, "--yes", "--accept-terms", "archive"];
        command(&self.flags(&words, raw).iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the raw files of the markets, without the fetcher's own files.
    pub(crate) fn fetched(&self, raw: &str) -> BTreeMap<String, Vec<u8>> {
        let files = tree(&self.folder.path().join(raw));
        files.into_iter().filter(|(name, _)| !name.starts_with(".fetch")).collect()
    }
}

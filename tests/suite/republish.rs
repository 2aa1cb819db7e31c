//! Tables that are replaced while they are served: a snapshot answers from the opened files, or refuses.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use parquote::derive::{AllowedFaults, DeriveError, DeriveOptions, Publishing, derive};
use parquote::engine::QueryLimits;
use parquote::operation::Market;
use parquote::raw::{SilentProgress, UnpackBounds};
use parquote::set::{Home, Set};

use crate::demo_market::{
    CATALOGUE, LITTLE, RUNTIME, derive_into, derive_market, few_operations, named, open, open_with,
};
use crate::refresh::earlier::EARLIER;
use crate::server::{LITTLE_SERVER, Server};

#[test]
fn an_open_snapshot_outlives_the_next_publication() {
    let (folder, day) = (EARLIER.sets(), EARLIER.as_of);
    let names = [
        "companies", "company/daily-prices", "company/profile", "market/breadth", "market/rs-changes",
        "market/top-movers",
    ];
    let operations = few_operations(&names, &[]).unwrap();
    let opened = || open_with(&operations, folder.path().to_str().unwrap(), &QueryLimits::default()).unwrap();
    let old = Server::start(&operations, opened());
    // The same set once more, without any request before it is replaced: it has no cached answers.
    let untouched = Server::start(&operations, opened());
    assert_eq!(old.service().snapshot().as_of(Market::India), Some(day));

    let symbol = old.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    let paths = [
        format!("company/daily-prices?symbol={symbol}&limit=40"),
        "market/top-movers?limit=25".to_owned(),
        "market/rs-changes?direction=all&min_delta=0".to_owned(),
        "market/breadth".to_owned(),
        format!("company/profile?symbol={symbol}"),
    ];
    let before: Vec<Vec<u8>> = paths.iter().map(|path| old.get(path).body).collect();

    derive_market(&CATALOGUE, Market::India, (&LITTLE.raw, folder.path()), None);

    for (path, before) in paths.iter().zip(&before) {
        assert_eq!(&old.get(path).body, before, "{path}");
        let late = untouched.get(path);
        assert_eq!(
            String::from_utf8_lossy(&late.body),
            String::from_utf8_lossy(before),
            "{path}, asked late"
        );
        assert_eq!(late.header("x-as-of"), day.to_string());
    }
    let new = opened();
    assert_eq!(new.id(), LITTLE_SERVER.service().snapshot().id());
    assert_ne!(new.id(), old.service().snapshot().id());
    let entries = |folder: &Path| {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    assert_eq!(entries(folder.path()), ["india", "us"]);
    let left = entries(&folder.path().join("india"));
    assert_eq!(left, ["files", "refused.csv.gz", "report.json", "sets"], "nothing else is left");
    // Both sets are there, and share their common files.
    let home = Home::new(folder.path());
    assert_eq!(home.numbers(Market::India).unwrap(), [1, 2]);
    let [one, two] = [1, 2].map(|number| home.read(Market::India, number).unwrap());
    let hashes = |set: &Set| set.files().map(|(_, file)| file.hash.clone()).collect::<BTreeSet<String>>();
    assert!(hashes(&one).intersection(&hashes(&two)).count() > 0);
    assert_eq!(one.as_of, Some(day));
}

#[test]
fn the_same_raw_files_make_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    derive_into(&LITTLE.raw, folder.path(), None);
    for market in Market::ALL {
        for (name, path) in named(folder.path(), market) {
            let other = LITTLE.data.join(market.word()).join(&name);
            assert_eq!(fs::read(&path).unwrap(), fs::read(other).unwrap(), "{}", name.display());
        }
    }
    // A second derivation has nothing to publish.
    derive_market(&CATALOGUE, Market::India, (&LITTLE.raw, folder.path()), None);
    assert_eq!(Home::new(folder.path()).numbers(Market::India).unwrap(), [1]);
}

#[test]
fn a_second_derivation_of_a_market_is_told_of_the_first() {
    let data = tempfile::tempdir().unwrap();
    let _first = Home::new(data.path()).lock_for_work(Market::India).unwrap();
    let refused = try_derive(&LITTLE.raw, data.path()).unwrap_err().to_string();
    assert!(refused.contains("another process works on") && refused.contains("process"), "{refused}");
}

/// Derives India and returns the error.
fn try_derive(raw: &Path, data: &Path) -> Result<(), DeriveError> {
    let options = DeriveOptions {
        raw: raw.to_owned(),
        data: data.to_owned(),
        as_of: None,
        lists_as_of: None,
        full: false,
        use_parse_cache: false,
        allow: AllowedFaults::default(),
        bounds: UnpackBounds::default(),
        bars_memory_bytes: None,
        publishing: Publishing::default(),
        units: None,
        kept_tables_source: None,
    };
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &SilentProgress)).map(drop)
}

#[test]
fn a_derivation_that_fails_leaves_the_old_set() {
    let copy = LITTLE.copy();
    let raw = tempfile::tempdir().unwrap();
    fs::create_dir_all(raw.path().join("india")).unwrap();
    fs::write(
        raw.path().join("india/sec_bhavdata_full_02012026.csv"),
        "SYMBOL, SERIES, DATE1\nA, EQ, 02-Jan-2026\n",
    )
    .unwrap();
    let derived = try_derive(raw.path(), copy.path());
    assert!(derived.is_err());
    assert_eq!(open(copy.path()).unwrap().id(), LITTLE_SERVER.service().snapshot().id());
    let hidden = fs::read_dir(copy.path().join("india")).unwrap().flatten();
    let hidden = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "the half-made set is gone");
}

#[test]
fn a_long_file_written_into_is_found_out() {
    let copy = LITTLE.copy();
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    let path = format!("company/daily-prices?symbol={symbol}");
    let kept = server.get(&path);
    assert_eq!(kept.status, 200);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let mut file =
        OpenOptions::new().write(true).open(copy.path().join("india/daily_prices/2026.parquet")).unwrap();
    file.seek(SeekFrom::Start(100)).unwrap();
    file.write_all(&[0; 64]).unwrap();
    drop(file);
    let other = server.get(&format!("{path}&limit=7"));
    assert!(matches!(other.status, 500 | 503), "{}", String::from_utf8_lossy(&other.body));
    assert!(!other.message().contains("panicked"));
    assert_eq!(server.get("market/breadth").status, 200);
}

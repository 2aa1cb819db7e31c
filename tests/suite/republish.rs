//! Tables that are replaced while they are served: a snapshot answers from what it opened, or says that it cannot.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};

use parquote::operation::Market;

use crate::demo_market::{CATALOGUE, LITTLE, derive_into, open};
use crate::server::Server;

#[test]
fn an_open_snapshot_outlives_the_next_publication() {
    let folder = tempfile::tempdir().unwrap();
    let day = chrono::NaiveDate::from_ymd_opt(2026, 10, 15).unwrap();
    derive_into(&LITTLE.raw, folder.path(), Some(day));
    let old = Server::start(&CATALOGUE, open(folder.path()).unwrap());
    // The same set once more, of which nothing is asked before the other takes its place: no answer is kept.
    let untouched = Server::start(&CATALOGUE, open(folder.path()).unwrap());
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

    derive_into(&LITTLE.raw, folder.path(), None);

    for (path, before) in paths.iter().zip(&before) {
        assert_eq!(&old.get(path).body, before, "{path}");
        let late = untouched.get(path);
        assert_eq!(
            String::from_utf8_lossy(&late.body),
            String::from_utf8_lossy(before),
            "{path}, asked late"
        );
        assert_eq!(late.header("x-as-of"), "2026-10-15");
    }
    let new = open(folder.path()).unwrap();
    assert_eq!(new.as_of(Market::India), open(&LITTLE.data).unwrap().as_of(Market::India));
    assert_ne!(new.id(), old.service().snapshot().id());
    let entries: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries.len(), 2, "nothing but the two markets is left: {entries:?}");
}

#[test]
fn the_same_raw_files_make_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    derive_into(&LITTLE.raw, folder.path(), None);
    assert_eq!(open(folder.path()).unwrap().id(), open(&LITTLE.data).unwrap().id());
    for entry in fs::read_dir(folder.path().join("india")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let other = LITTLE.data.join("india").join(path.file_name().unwrap());
            assert_eq!(fs::read(&path).unwrap(), fs::read(other).unwrap(), "{}", path.display());
        }
    }
}

#[test]
fn a_derivation_that_fails_leaves_the_old_set() {
    let copy = LITTLE.copy();
    let before = open(copy.path()).unwrap().id().to_owned();
    let raw = tempfile::tempdir().unwrap();
    fs::create_dir_all(raw.path().join("india")).unwrap();
    fs::write(
        raw.path().join("india/sec_bhavdata_full_02012026.csv"),
        "SYMBOL, SERIES, DATE1\nA, EQ, 02-Jan-2026\n",
    )
    .unwrap();
    let options = parquote::derive::DeriveOptions {
        raw: raw.path().to_owned(),
        data: copy.path().to_owned(),
        as_of: None,
        lists_as_of: None,
        anew: false,
        remember: false,
        allow: parquote::derive::Allowed::default(),
    };
    let derived = crate::demo_market::RUNTIME.block_on(parquote::derive::derive(
        &CATALOGUE,
        Market::India,
        &options,
        &parquote::derive::raw::Silent,
    ));
    assert!(derived.is_err());
    assert_eq!(open(copy.path()).unwrap().id(), before);
    let entries = fs::read_dir(copy.path()).unwrap().count();
    assert_eq!(entries, 2, "the half-made set is gone");
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

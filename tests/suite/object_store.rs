//! The same tables from an object store: a `file:///` URL, and a small S3 server in this process, which stores them
//! as sets and as plain files.

use std::process::Command;

use parquote::engine::QueryLimits;
use parquote::operation::Market;
use parquote::set::Home;

use crate::demo_market::{CATALOGUE, LITTLE, open_with};
use crate::fake_store::FakeStore;
use crate::server::{LITTLE_SERVER, Server};

#[test]
fn a_url_answers_as_the_folder_does() {
    let root = format!("file://{}", LITTLE.data.display());
    let store = open_with(&CATALOGUE, &root, &QueryLimits::default()).unwrap();
    let folder = &LITTLE_SERVER;
    assert_eq!(store.id(), folder.service().snapshot().id());
    let store = Server::start(&CATALOGUE, store);
    let symbol = folder.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    for path in
        ["companies", "market/breadth", "market/top-movers", &format!("company/daily-prices?symbol={symbol}")]
    {
        assert_eq!(store.get(path).body, folder.get(path).body, "{path}");
    }
}

#[test]
fn a_url_that_is_not_understood_is_refused() {
    for (root, words) in [
        ("nosuch://bucket/x", "nosuch://bucket/x"),
        ("http://[", "http://["),
        ("file:///nothing/at/all", "holds no tables"),
    ] {
        let Err(error) = open_with(&CATALOGUE, root, &QueryLimits::default()) else {
            panic!("{root} is served")
        };
        let text = crate::broken_data::chain(&error);
        assert!(text.contains(words), "{root}: {text}");
    }
}

#[test]
fn a_bucket_answers_as_the_folder_does() {
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    store.put_folder(&LITTLE.sets, "sets");
    put_plain(&store, "plain");
    let run = |data: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).args(["--data", data]).arg("--cache").arg(cache.path());
        command
            .env("AWS_ENDPOINT", store.endpoint())
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "secret").env("NO_PROXY", "*");
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let folder = LITTLE.data.to_str().unwrap();
    for data in ["s3://bucket/sets", "s3://bucket/plain"] {
        for arguments in [&["query", "market/breadth"][..], &["query", "companies", "limit=3"]] {
            let (ok, text, errors) = run(data, arguments);
            assert!(ok, "{errors}");
            assert_eq!(text, run(folder, arguments).1, "{data}");
        }
    }
    let (ok, _, errors) = run("s3://bucket/elsewhere", &["check"]);
    assert!(!ok && errors.contains("holds no tables"), "{errors}");
    let (ok, _, errors) = run("s3://other/demo", &["check"]);
    assert!(!ok && errors.contains("s3://other/demo") && !errors.contains("panicked"), "{errors}");
}

/// Puts the files of the little market's sets as a user would who copies plain files.
fn put_plain(store: &FakeStore, prefix: &str) {
    let home = Home::new(&LITTLE.sets);
    for market in Market::ALL {
        let set = home.newest(market).unwrap().unwrap();
        for (table, file) in set.files() {
            let bytes = std::fs::read(home.file_path(market, table, &file.hash)).unwrap();
            let part = file.part.as_ref().map_or_else(String::new, |part| format!("/{part}"));
            store.insert(&format!("{prefix}/{market}/{table}{part}.parquet"), bytes);
        }
    }
}

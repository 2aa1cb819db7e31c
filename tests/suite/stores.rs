//! Sets in an object store: published, served by ranges, swapped, rolled back and swept; and a store with faults.
//!
//! The store is the small S3 in this process. If `PARQUOTE_S3_ENDPOINT` names another one with the bucket `bucket`, tests without
//! faults also run against that one; `tests/stores/run` starts one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::Method;
use parquote::operation::Market;
use parquote::refresh::RefreshSettings;
use parquote::set::{Blocks, Bucket, Home, Retention, Root, Set, SetError};

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, derive_market};
use crate::fake_store::{BUCKET, FakeStore, FaultKind};
use crate::live_server::{Caller, LiveServer};
use crate::refresh::earlier::EARLIER;
use crate::server::Server;
use crate::tagged_sets::{self, MARKET, OPERATIONS, Tagged};

const MIB: u64 = 1 << 20;

/// Bodies by path.
type Answers = BTreeMap<String, Vec<u8>>;

/// Runs a test on the small S3 of this process, and on an external one if it is set.
fn on_each_store(test: &str, run: impl Fn(&str, &str)) {
    let fake = FakeStore::start();
    run(fake.endpoint(), &format!("s3://{BUCKET}/{test}"));
    match std::env::var("PARQUOTE_S3_ENDPOINT") {
        Ok(endpoint) => {
            // Each run has a separate prefix, because the store outlives it.
            run(&endpoint, &format!("s3://{BUCKET}/{test}-{}", std::process::id()));
            println!("{test}: ran against {endpoint} too");
        }
        Err(_) => println!("{test}: PARQUOTE_S3_ENDPOINT names no other store"),
    }
}

/// Opens a bucket with a block cache in a folder, of at most `most` bytes.
pub(crate) fn bucket((endpoint, url): (&str, &str), cache: &Path, most: u64) -> Bucket {
    let options = [
        ("aws_endpoint", endpoint),
        ("aws_allow_http", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "id"),
        ("aws_secret_access_key", "secret"),
    ];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let blocks = Arc::new(Blocks::open(&cache.join("blocks"), most).unwrap());
    let _runtime = RUNTIME.enter();
    Bucket::open_with(url, options, blocks).unwrap()
}

/// Publishes the newest sets of a folder into a bucket.
fn upload(bucket: &Bucket, home: &Home) {
    for market in Market::ALL {
        let set = home.newest(market).unwrap().unwrap();
        RUNTIME.block_on(bucket.upload(home, market, &set)).unwrap();
    }
}

fn settings() -> RefreshSettings {
    RefreshSettings { poll: Duration::from_millis(20), plans_ahead: false, ..RefreshSettings::default() }
}

/// Returns the answers of a set that is opened separately.
fn answers(home: &Home, set: &Set) -> Answers {
    let server =
        Server::start(&OPERATIONS, tagged_sets::opened(&OPERATIONS, &Root::folder(home.root()), set));
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    let answer = |path: String| {
        let reply = server.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        (path, reply.body)
    };
    tagged_sets::paths(&symbol).into_iter().map(answer).collect()
}

/// Checks that every answer of a server equals the set's.
fn assert_serves(server: &LiveServer, known: &Answers) {
    for (path, body) in known {
        assert_eq!(String::from_utf8_lossy(&server.get(path).body), String::from_utf8_lossy(body), "{path}");
    }
}

#[test]
fn sets_of_a_bucket_are_served_swapped_rolled_back_and_swept() {
    on_each_store("swapped", |endpoint, url| {
        let cache = tempfile::tempdir().unwrap();
        let (_folder, home, first) = tagged_sets::copied(&LITTLE.sets);
        let bucket = bucket((endpoint, url), cache.path(), 64 * MIB);
        upload(&bucket, &home);
        let server = LiveServer::start(&OPERATIONS, Root::Bucket(bucket.clone()), cache.path(), settings());
        let before = answers(&home, &first);
        assert_serves(&server, &before);

        let second = tagged_sets::publish(&home, &first, (Tagged::Names, 2));
        let after = answers(&home, &second);
        let over = Arc::new(AtomicBool::new(false));
        let known = Arc::new([(first.id.clone(), before.clone()), (second.id.clone(), after.clone())]);
        let clients: Vec<_> = (0..3)
            .map(|_| RUNTIME.spawn(ask(server.caller(), Arc::clone(&known), Arc::clone(&over))))
            .collect();
        let set = RUNTIME.block_on(bucket.upload(&home, MARKET, &second)).unwrap();
        assert_eq!((set.number, &set.id), (2, &second.id));
        server.await_set(2);
        assert_serves(&server, &after);
        // An existing set is not published again.
        assert_eq!(RUNTIME.block_on(bucket.upload(&home, MARKET, &second)).unwrap(), set);

        let back = RUNTIME.block_on(bucket.roll_back(MARKET, 1)).unwrap();
        assert_eq!((back.number, &back.id), (3, &first.id));
        server.await_set(3);
        assert_serves(&server, &before);
        over.store(true, Ordering::Relaxed);
        for client in clients {
            RUNTIME.block_on(client).unwrap();
        }

        let keep = Retention { sets: 2, ..Retention::default() };
        RUNTIME.block_on(bucket.sweep(MARKET, &keep)).unwrap();
        assert_eq!(RUNTIME.block_on(bucket.numbers(MARKET)).unwrap(), [2, 3]);
        let gone = RUNTIME.block_on(bucket.roll_back(MARKET, 1));
        assert!(matches!(gone, Err(SetError::NoSuchSet { number: 1, .. })), "{gone:?}");
        assert_serves(&server, &before);
        assert_eq!(server.status().refusals, 0);
    });
}

/// Requests all known paths until `over`: each answer must belong entirely to the set that it names.
async fn ask(caller: Caller, known: Arc<[(String, Answers); 2]>, over: Arc<AtomicBool>) {
    while !over.load(Ordering::Relaxed) {
        for path in known[0].1.keys() {
            let reply = caller.get(path, None).await.unwrap();
            let body = String::from_utf8_lossy(&reply.body);
            let named = reply.header("x-snapshot").split('-').next().unwrap();
            let of = known.iter().find(|(id, _)| id == named).map(|(_, answers)| &answers[path]);
            assert!(reply.status == 200 && of == Some(&reply.body), "{path} of {named}: {body}");
        }
    }
}

#[test]
fn of_two_who_publish_at_once_one_wins_and_the_other_is_told() {
    on_each_store("at-once", |endpoint, url| {
        const ROUNDS: usize = 20;
        let cache = tempfile::tempdir().unwrap();
        let bucket = bucket((endpoint, url), cache.path(), 64 * MIB);
        let (_one, one, first) = tagged_sets::copied(&LITTLE.sets);
        let (_other, other, _) = tagged_sets::copied(&LITTLE.sets);
        let mut newest = RUNTIME.block_on(bucket.upload(&one, MARKET, &first)).unwrap().number;
        let mut lost = 0;
        // The race needs both to read the newest number before either publishes, so it is tried several times.
        for round in 0..ROUNDS {
            let [one_set, other_set] = [(&one, 0), (&other, 1)].map(|(home, side)| {
                tagged_sets::publish(home, &first, (Tagged::Stocks, 2 + 2 * round + side))
            });
            let results = RUNTIME.block_on(async {
                tokio::join!(bucket.upload(&one, MARKET, &one_set), bucket.upload(&other, MARKET, &other_set))
            });
            let mut won = Vec::new();
            for (result, id) in [(results.0, &one_set.id), (results.1, &other_set.id)] {
                match result {
                    Ok(set) => won.push((set.number, id)),
                    Err(SetError::NumberTaken { number, by, .. }) => {
                        assert_eq!(number, newest + 1);
                        assert!(by.contains("process"), "{by}");
                        lost += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            won.sort();
            for (place, (number, id)) in won.iter().enumerate() {
                assert_eq!(*number, newest + 1 + place as u64, "no number was given twice or left out");
                let there = RUNTIME.block_on(bucket.find(MARKET, *number)).unwrap().unwrap();
                assert_eq!(there.id, **id);
            }
            newest += won.len() as u64;
            if lost > 0 {
                return;
            }
        }
        panic!("in {ROUNDS} rounds nobody lost: does the store create an object that is there?");
    });
}

#[test]
fn who_wins_and_does_not_hear_of_it_has_won() {
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let (_folder, home, first) = tagged_sets::copied(&LITTLE.sets);
    let bucket = bucket((store.endpoint(), "s3://bucket/x"), cache.path(), 64 * MIB);
    store.fail(Method::PUT, "sets/", FaultKind::LostReply, 1);
    let set = RUNTIME.block_on(bucket.upload(&home, MARKET, &first)).unwrap();
    assert_eq!((set.number, store.mend()[0].times), (1, 0));
    assert_eq!(RUNTIME.block_on(bucket.numbers(MARKET)).unwrap(), [1]);
}

#[test]
fn a_rollback_to_an_older_day_is_followed() {
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let (folder, day) = (EARLIER.sets(), EARLIER.as_of);
    let (home, url) = (Home::new(folder.path()), "s3://bucket/x");
    let bucket = bucket((store.endpoint(), url), cache.path(), 64 * MIB);
    upload(&bucket, &home);
    derive_market(&CATALOGUE, MARKET, (&LITTLE.raw, folder.path()), None);
    upload(&bucket, &home);
    let server = LiveServer::start(&OPERATIONS, Root::Bucket(bucket.clone()), cache.path(), settings());
    server.await_set(2);
    RUNTIME.block_on(bucket.roll_back(MARKET, 1)).unwrap();
    server.await_set(3);
    assert_eq!(server.status().as_of, Some(day));
    // Forward again, and back to a set that is itself a rollback.
    for (to, number) in [(2, 4), (3, 5)] {
        RUNTIME.block_on(bucket.roll_back(MARKET, to)).unwrap();
        server.await_set(number);
    }
    assert_eq!((server.status().as_of, server.status().refusals), (Some(day), 0));

    // The same in a folder, where a server may see a set before its admission is recorded.
    let local = LiveServer::start(&OPERATIONS, Root::folder(folder.path()), cache.path(), settings());
    local.await_set(2);
    home.roll_back(MARKET, 1, false).unwrap();
    let record = folder.path().join("india/sets/3.admission.json");
    let _ = std::fs::remove_file(&record);
    local.await_set(3);
    assert_eq!(local.status().as_of, Some(day));
}

#[test]
fn a_server_that_missed_many_sets_finds_the_newest() {
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let (_folder, home, _) = tagged_sets::copied(&LITTLE.sets);
    let bucket = bucket((store.endpoint(), "s3://bucket/x"), cache.path(), 64 * MIB);
    upload(&bucket, &home);
    for at in 0..5 {
        let newest = home.newest(MARKET).unwrap().unwrap();
        let next = tagged_sets::publish(&home, &newest, (Tagged::Names, at));
        RUNTIME.block_on(bucket.upload(&home, MARKET, &next)).unwrap();
        RUNTIME.block_on(bucket.sweep(MARKET, &Retention { sets: 2, ..Retention::default() })).unwrap();
    }
    let root = Root::Bucket(bucket);
    let after = |known| RUNTIME.block_on(root.newest_other_than(MARKET, known)).unwrap();
    // Sets 1 to 4 are swept: a server that has one of them must not wait for the next number forever.
    assert_eq!([0, 1, 3, 4, 5, 6].map(after), [Some(6), Some(6), Some(6), Some(6), Some(6), None]);
    // An up-to-date server requests two manifests by name, and no list.
    store.take_requests();
    assert_eq!(after(6), None);
    let asked: Vec<_> = store.take_requests().into_iter().map(|(method, key, _)| (method, key)).collect();
    let head = |number| (Method::HEAD, format!("x/india/sets/{number}.json"));
    assert_eq!(asked, [head(7), head(6)]);
}

#[test]
fn a_store_that_fails_leaves_the_old_set_served_and_refuses_nothing() {
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let (_folder, home, first) = tagged_sets::copied(&LITTLE.sets);
    let bucket = bucket((store.endpoint(), "s3://bucket/x"), cache.path(), 64 * MIB);
    upload(&bucket, &home);
    let server = LiveServer::start(&OPERATIONS, Root::Bucket(bucket.clone()), cache.path(), settings());
    let whole = store.take_requests().into_iter().find(|(method, key, is_range)| {
        *method == Method::GET && key.starts_with("x/") && key.contains("/files/") && !is_range
    });
    assert_eq!(whole, None, "files are read by ranges");
    let before = answers(&home, &first);

    let second = tagged_sets::publish(&home, &first, (Tagged::Stocks, 2));
    store.fail(Method::GET, "/files/stocks", FaultKind::Failing, usize::MAX);
    RUNTIME.block_on(bucket.upload(&home, MARKET, &second)).unwrap();
    let status = server.await_status("the store is in trouble", |status| status.trouble.is_some());
    assert_eq!((status.set, status.refusals), (Some(1), 0), "{status:?}");
    assert_serves(&server, &before);
    store.mend();
    server.await_set(2);
    assert_serves(&server, &answers(&home, &second));

    // Cut connections and late replies cause no refusal.
    let third = tagged_sets::publish(&home, &first, (Tagged::Stocks, 3));
    store.fail(Method::GET, "/files/stocks", FaultKind::Cut, 2);
    store.fail(Method::HEAD, "/sets/", FaultKind::Slow(Duration::from_millis(300)), 3);
    store.fail(Method::GET, "/sets/", FaultKind::Cut, 1);
    RUNTIME.block_on(bucket.upload(&home, MARKET, &third)).unwrap();
    server.await_set(3);
    assert_serves(&server, &answers(&home, &third));
    assert!(store.mend().iter().all(|fault| fault.times == 0), "every fault was met");
    let status = server.status();
    assert_eq!((status.refusals, status.swaps), (0, 2), "{status:?}");
}

#[test]
fn a_store_that_hangs_keeps_nobody_else_waiting() {
    const LATE: Duration = Duration::from_mins(1);
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let (_folder, home, first) = tagged_sets::copied(&LITTLE.sets);
    let bucket = bucket((store.endpoint(), "s3://bucket/x"), cache.path(), 64 * MIB);
    upload(&bucket, &home);
    let server = LiveServer::start(&OPERATIONS, Root::Bucket(bucket), cache.path(), settings());
    let known = answers(&home, &first);
    let long = known.keys().find(|path| path.contains("daily-prices")).unwrap().clone();
    for entry in std::fs::read_dir(cache.path().join("blocks")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    store.fail(Method::GET, "/files/daily_prices", FaultKind::Slow(LATE), usize::MAX);
    let caller = server.caller();
    let began = Instant::now();
    let waiting = RUNTIME.spawn(async move { caller.get(&long, None).await.unwrap() });
    // Tables in memory answer meanwhile.
    for (path, body) in known.iter().filter(|(path, _)| !path.contains("daily-prices")) {
        assert!(server.get(path).body == *body, "{path}");
    }
    assert!(began.elapsed() < Duration::from_secs(8), "others waited {:?}", began.elapsed());
    let reply = RUNTIME.block_on(waiting).unwrap();
    assert!(reply.status >= 500, "{}", reply.status);
    assert!(began.elapsed() < LATE / 2, "it was given up after {:?}", began.elapsed());
    store.mend();
    assert_serves(&server, &known);
}

#[test]
fn blocks_stay_within_their_bound_and_outlive_the_process() {
    const BLOCKS: usize = 12;
    let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
    let bytes: Vec<u8> = (0..BLOCKS as u64 * MIB / 8).flat_map(u64::to_le_bytes).collect();
    store.insert("x/india/stocks.parquet", bytes.clone());
    let url = "s3://bucket/x";
    let read = |most: u64| {
        let bucket = bucket((store.endpoint(), url), cache.path(), most);
        let tables = RUNTIME.block_on(bucket.plain_tables(MARKET)).unwrap();
        let file = tables["stocks"][0].open().unwrap();
        std::thread::scope(|scope| {
            for (number, part) in bytes.chunks(MIB as usize).enumerate() {
                let file = &file;
                scope.spawn(move || {
                    let mut read = vec![0; part.len()];
                    file.read_exact_at(&mut read, number as u64 * MIB).unwrap();
                    assert!(read == part, "block {number} holds other bytes");
                });
            }
        });
        let kept: u64 = std::fs::read_dir(cache.path().join("blocks"))
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        (store.take_requests().iter().filter(|(.., is_range)| *is_range).count(), kept)
    };
    assert_eq!(read(64 * MIB), (BLOCKS, BLOCKS as u64 * MIB));
    assert_eq!(read(64 * MIB), (0, BLOCKS as u64 * MIB), "another process finds the blocks");
    let (fetched, kept) = read(4 * MIB);
    assert!(fetched >= BLOCKS - 4 && kept <= 4 * MIB, "{fetched} fetched, {kept} bytes kept");
    let (fetched, kept) = read(4 * MIB);
    assert!(fetched >= BLOCKS - 4 && kept <= 4 * MIB, "{fetched} fetched, {kept} bytes kept");
}

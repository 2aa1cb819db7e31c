//! A server over an object store that hangs, loses or alters objects, or loses writes: the old set stays served,
//! `trouble` gives the reason, and a recovered set is served.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::http::Method;
use parquote::operation::Market;
use parquote::refresh::{MarketStatus, RefreshSettings};
use parquote::set::{Bucket, Home, Root, Set, SetError};

use crate::demo_market::{LITTLE, RUNTIME};
use crate::fake_store::{FakeStore, FaultKind};
use crate::live_server::LiveServer;
use crate::stores::bucket;
use crate::tagged_sets::{self, MARKET, OPERATIONS, Tagged};

const URL: &str = "s3://bucket/x";
const MIB: u64 = 1 << 20;
/// The store timeout of these tests' servers; publishing has the usual one.
const SHORT: Duration = Duration::from_millis(1_500);
const ALWAYS: usize = usize::MAX;

/// A store with the little market, a folder with the same market, and a server over the store.
struct Served {
    store: FakeStore,
    bucket: Bucket,
    home: Home,
    first: Set,
    server: LiveServer,
    _folders: [tempfile::TempDir; 2],
}

impl Served {
    fn start() -> Self {
        let (store, cache) = (FakeStore::start(), tempfile::tempdir().unwrap());
        let (folder, home, first) = tagged_sets::copied(&LITTLE.sets);
        let bucket = bucket((store.endpoint(), URL), cache.path(), 64 * MIB);
        for market in Market::ALL {
            let set = home.newest(market).unwrap().unwrap();
            RUNTIME.block_on(bucket.upload(&home, market, &set)).unwrap();
        }
        let server = serve(&bucket, cache.path());
        Self { store, bucket, home, first, server, _folders: [folder, cache] }
    }

    /// Publishes the next set in the folder.
    fn next(&self, tag: usize) -> Set {
        tagged_sets::publish(&self.home, &self.first, (Tagged::Stocks, tag))
    }

    fn upload(&self, set: &Set) -> Result<Set, SetError> {
        RUNTIME.block_on(self.bucket.upload(&self.home, MARKET, set))
    }

    /// Returns the name of the first company as served.
    fn name(&self) -> String {
        let reply = self.server.get("companies?limit=1");
        reply.data()[0]["company_name"].as_str().unwrap().to_owned()
    }

    /// Waits until `trouble` contains these words, while the first set is still served.
    fn in_trouble(&self, words: &str) {
        let what = format!("trouble: {words}");
        let says = |trouble: &String| trouble.contains(words);
        let status = self.server.await_status(&what, |status| status.trouble.as_ref().is_some_and(says));
        assert_eq!((status.set, status.refusals), (Some(1), 0), "{status:?}");
        assert!(!self.name().contains("of set"), "{}", self.name());
    }
}

fn serve(bucket: &Bucket, cache: &Path) -> LiveServer {
    let settings =
        RefreshSettings { poll: Duration::from_millis(20), plans_ahead: false, ..RefreshSettings::default() };
    LiveServer::start(&OPERATIONS, Root::Bucket(bucket.clone().with_timeout(SHORT)), cache, settings)
}

#[test]
fn a_store_that_hangs_or_asks_to_slow_down_is_told_of_and_asked_again() {
    let served = Served::start();
    let late = FaultKind::Slow(Duration::from_mins(1));
    let second = served.next(2);
    served.upload(&second).unwrap();
    served.server.await_set(2);
    for (number, fault) in [(3, late), (4, FaultKind::SlowDown), (5, FaultKind::Failing)] {
        served.store.fail(Method::HEAD, "/sets/", fault, ALWAYS);
        served.store.fail(Method::GET, "/sets/", fault, ALWAYS);
        served.server.await_status("trouble", |status| {
            status.trouble.as_ref().is_some_and(|trouble| trouble.contains("has not answered within 1.5 s"))
        });
        assert!(served.name().contains("of set"), "what is served stays");
        served.store.mend();
        let set = served.next(number);
        served.upload(&set).unwrap();
        served.server.await_set(number as u64);
        served.server.await_status("the end of the trouble", |status| status.trouble.is_none());
    }
    // A burst of requests would make the trouble worse.
    served.store.fail(Method::HEAD, "/sets/", FaultKind::Failing, ALWAYS);
    served.store.take_requests();
    served.server.await_status("trouble", |status| status.trouble.is_some());
    let began = Instant::now();
    served.server.await_status("the next look", |_| began.elapsed() > Duration::from_secs(2));
    let asked = served.store.take_requests().len();
    assert!(asked < 60, "{asked} requests in 2 s");
}

#[test]
fn bytes_that_are_not_those_that_were_published_are_refused() {
    for (fault, words) in [
        (FaultKind::Altered, "are not those that were published"),
        (FaultKind::Short, "stocks"),
        (FaultKind::Cut, "stocks"),
    ] {
        let served = Served::start();
        let second = served.next(2);
        served.store.fail(Method::GET, "/files/stocks", fault, ALWAYS);
        served.upload(&second).unwrap();
        served.in_trouble(words);
        served.store.mend();
        served.server.await_set(2);
        assert!(served.name().contains("of set 2"), "{}", served.name());
    }
}

#[test]
fn a_set_whose_files_are_missing_is_refused_and_can_be_published_again() {
    let served = Served::start();
    let second = served.next(2);
    served.store.fail(Method::GET, "/files/stocks", FaultKind::Forgotten, ALWAYS);
    served.upload(&second).unwrap();
    let status = served.server.await_status("the refusal", |status| status.refusals > 0);
    assert!(status.set == Some(1) && !status.refused.is_empty(), "{status:?}");
    let stocks = second.files().find(|(table, _)| *table == "stocks").unwrap().1.file_name();
    served.store.mend();
    served.store.lose(&stocks);
    // The content equals the newest set; its lost files are uploaded again, under a number that was never refused.
    assert_eq!(served.upload(&second).unwrap().number, 3);
    served.server.await_set(3);
    assert!(served.name().contains("of set 2"), "{}", served.name());
    assert_eq!(served.upload(&second).unwrap().number, 3, "nothing is lost any more");
}

#[test]
fn a_store_that_loses_what_it_confirmed_publishes_nothing() {
    let served = Served::start();
    let second = served.next(2);
    for part in ["/files/stocks", "/sets/2.json"] {
        served.store.fail(Method::PUT, part, FaultKind::LostWrite, 1);
        let error = served.upload(&second).unwrap_err();
        assert!(matches!(&error, SetError::LostWrite { object, .. } if object.contains(part)), "{error}");
        assert!(error.to_string().contains("publish again"), "{error}");
        assert_eq!(RUNTIME.block_on(served.bucket.numbers(MARKET)).unwrap(), [1], "{part}");
    }
    assert_eq!(served.upload(&second).unwrap().number, 2);
    served.server.await_set(2);
}

#[test]
fn manifests_that_go_backwards_are_told_of_and_change_nothing() {
    let served = Served::start();
    for tag in [2, 3] {
        served.upload(&served.next(tag)).unwrap();
        served.server.await_set(tag as u64);
    }
    served.store.lose("india/sets/3.json");
    served.store.lose("india/sets/2.json");
    let lost =
        |status: &MarketStatus| status.trouble.as_ref().is_some_and(|words| words.contains("sets were lost"));
    assert_eq!(served.server.await_status("trouble", lost).set, Some(3));
    assert!(served.name().contains("of set 3"), "{}", served.name());
    // Numbers are reused until they exceed the served one.
    for tag in [4, 5, 6] {
        served.upload(&served.next(tag)).unwrap();
    }
    served.server.await_set(4);
    assert!(served.name().contains("of set 6"), "{}", served.name());
    served.server.await_status("the end of the trouble", |status| status.trouble.is_none());
}

#[test]
fn a_store_that_fails_at_the_start_is_read_again() {
    let served = Served::start();
    let cache = tempfile::tempdir().unwrap();
    served.store.fail(Method::GET, "/sets/1.json", FaultKind::Slow(Duration::from_mins(1)), ALWAYS);
    let bucket = served.bucket.clone();
    let store = &served.store;
    std::thread::scope(|scope| {
        let started = scope.spawn(|| serve(&bucket, cache.path()));
        crate::running_server::wait_for("a manifest that hangs", || {
            store
                .take_requests()
                .iter()
                .any(|(method, key, _)| *method == Method::GET && key.ends_with("india/sets/1.json"))
        });
        std::thread::sleep(SHORT * 2);
        store.mend();
        started.join().unwrap().await_set(1);
    });
}

#[test]
fn files_that_hang_are_given_up_at_the_first() {
    let served = Served::start();
    let second = tagged_sets::publish(&served.home, &served.first, (Tagged::Names, 2));
    served.store.fail(Method::GET, ".parquet", FaultKind::Slow(Duration::from_mins(1)), ALWAYS);
    served.upload(&second).unwrap();
    let began = Instant::now();
    let status = served.server.await_status("trouble", |status| status.trouble.is_some());
    assert_eq!((status.set, status.refusals), (Some(1), 0), "{status:?}");
    assert!(began.elapsed() < Duration::from_secs(18), "it was given up after {:?}", began.elapsed());
    served.store.mend();
    served.server.await_set(2);
}

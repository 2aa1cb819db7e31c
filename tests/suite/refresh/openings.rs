//! Earlier sets that are opened for callers: a 304 opens none; an opening costs calls, runs within the deadline, and
//! has a limited number of waiting callers.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use datafusion::arrow::util::display::array_value_to_string;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use parquote::access::{AccessControl, Secret};
use parquote::engine::QueryLimits;
use parquote::operation::{Market, Tier};
use parquote::refresh::RefreshSettings;
use parquote::set::Home;
use parquote::state::{NewKey, Store};
use serde_json::json;

use super::swaps::{name, rename};
use crate::demo_market::{LITTLE, RUNTIME, copy_folder};
use crate::issued_key::{NOON, key};
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request, reply};
use crate::server::Reply;
use crate::tables::change;

/// The cost of opening a set, in addition to the call.
const OPENING: i64 = 5;
/// Allowance of a key, in requests an hour.
const HOURLY: u32 = 20_000;

/// Three sets; a free key sees all stocks in the first, and all but one in the others.
struct ThreeSets {
    data: PathBuf,
    unseen: String,
}

static SETS: LazyLock<ThreeSets> = LazyLock::new(|| {
    let fixture = Fixture::over(on_request(), plain_market);
    let mut unseen = String::new();
    change(&fixture.file("free_symbols.parquet"), |rows| {
        unseen = array_value_to_string(rows.column_by_name("symbol").unwrap(), 0).unwrap();
        rows.slice(1, rows.num_rows() - 1)
    });
    rename(&fixture, "Second");
    rename(&fixture, "Third");
    let data = LITTLE.raw.with_file_name("three_sets");
    copy_folder(&fixture.data(), &data);
    ThreeSets { data, unseen }
});

/// A server over three sets with callers; at most one earlier set stays open in addition to the last.
struct Openings {
    fixture: Fixture,
    keys: Vec<Secret>,
    _state: tempfile::TempDir,
}

impl Openings {
    fn new(deadline: Duration) -> Self {
        let state = tempfile::tempdir().unwrap();
        let mut store = Store::open(&state.path().join("state.db")).unwrap();
        let issued =
            [("Anu", Tier::ApiPro), ("Bo", Tier::ApiPro), ("Free", Tier::Free)].map(|(owner, tier)| {
                let (secret, row) = key(owner, tier);
                let hourly = if tier == Tier::Free { 20 } else { HOURLY };
                store
                    .insert_key(&NewKey { quota_hour: Some(hourly), quota_day: Some(HOURLY), ..row })
                    .unwrap();
                secret
            });
        let access = Arc::new(AccessControl::open(&store, 1_000, Arc::new(|| NOON)).unwrap());
        let settings = RefreshSettings { open_earlier_sets: 1, ..on_request() };
        let limits = QueryLimits { deadline, ..QueryLimits::default() };
        let fixture = Fixture::behind(
            settings,
            limits,
            |data| copy_folder(&SETS.data, data),
            |service| service.with_access_control(access),
        );
        Self { fixture, keys: issued.into(), _state: state }
    }

    /// Returns a caller's request, not yet sent.
    fn asking(&self, caller: usize, path: &str, tag: Option<&str>) -> reqwest::RequestBuilder {
        let tag = tag.map(|tag| ("if-none-match", tag));
        let headers: Vec<_> = [("x-api-key", self.keys[caller].reveal())].into_iter().chain(tag).collect();
        self.fixture.asking(path, &headers)
    }

    fn get(&self, caller: usize, path: &str) -> Reply {
        reply(self.asking(caller, path, None))
    }

    fn ask_again(&self, caller: usize, path: &str, tag: &str) -> Reply {
        reply(self.asking(caller, path, Some(tag)))
    }

    /// Returns the file of a table that only the first set has.
    fn only_of_the_first(&self) -> PathBuf {
        let home = Home::new(self.fixture.data());
        let set = home.read(Market::India, 1).unwrap();
        home.file_path(Market::India, "stocks", &set.tables["stocks"].files[0].hash)
    }
}

fn left(reply: &Reply) -> i64 {
    reply.header("x-ratelimit-remaining-hourly").parse().unwrap()
}

#[test]
fn an_answer_that_its_caller_has_opens_no_set_and_an_opening_is_paid_once() {
    let openings = Openings::new(QueryLimits::default().deadline);
    let hourly = i64::from(HOURLY);
    let first = openings.get(0, "companies?limit=1&snapshot=1");
    let tag = first.header("etag").to_owned();
    assert_eq!((first.status, left(&first)), (200, hourly - 1 - OPENING), "{}", first.message());
    assert_eq!(first.json()["meta"]["requests_remaining_hour"], hourly - 1 - OPENING);
    // It stays open for the next caller.
    assert_eq!(left(&openings.get(1, "companies?limit=2&snapshot=1")), hourly - 1);
    let second = openings.get(0, "companies?limit=1&snapshot=2");
    assert_eq!((name(&second).as_str(), left(&second)), ("Second", hourly - 2 - 2 * OPENING));

    // A set that can no longer be opened still answers 304, free of charge.
    let file = openings.only_of_the_first();
    fs::rename(&file, file.with_extension("away")).unwrap();
    let mut before = left(&second);
    for path in ["companies?limit=1&snapshot=1", "companies?snapshot=1&limit=1"] {
        let unchanged = openings.ask_again(0, path, &format!("\"other\", {tag}"));
        assert_eq!((unchanged.status, left(&unchanged)), (304, before), "{path}");
        for header in ["etag", "x-snapshot", "x-as-of", "vary", "x-sessions-behind"] {
            assert_eq!(unchanged.header(header), first.header(header), "{path}: {header}");
        }
        assert!(unchanged.body.is_empty());
    }
    // Another tag or another call is refused.
    for (path, tag) in [("companies?limit=1&snapshot=1", "\"other\""), ("companies?limit=2&snapshot=1", &tag)]
    {
        let refused = openings.ask_again(0, path, tag);
        assert_eq!(
            (refused.status, left(&refused)),
            (503, before - OPENING),
            "{path}: {}",
            refused.message()
        );
        before -= OPENING;
    }
    fs::rename(file.with_extension("away"), &file).unwrap();

    // A symbol that a free key does not see is not revealed, whatever tag is sent.
    let path = format!("company/momentum?symbol={}&snapshot=2", SETS.unseen);
    let momentum = openings.get(0, &path);
    let tag = momentum.header("etag");
    assert_eq!(openings.get(0, "companies?limit=1&snapshot=1").status, 200);
    assert_eq!(openings.ask_again(0, &path, tag).status, 304);
    assert_eq!(openings.ask_again(2, &path, tag).status, 403);

    // A caller who cannot pay gets the price in the message, over MCP as over REST, and pays nothing.
    let last =
        std::iter::repeat_with(|| openings.get(2, "companies?limit=1")).find(|reply| left(reply) < OPENING);
    let before = left(&last.unwrap());
    let refused = openings.get(2, "companies?limit=1&snapshot=1");
    assert_eq!((refused.status, left(&refused)), (429, before), "{}", refused.message());
    assert!(
        refused.message().contains("to open set 1 of india costs 5 requests more"),
        "{}",
        refused.message()
    );
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    let headers = [("x-api-key", openings.keys[2].reveal())];
    let refused =
        openings.fixture.tool_as(&headers, "search_companies", &json!({"limit": 1, "snapshot": "1"}));
    assert_eq!(refused["_meta"]["parquote/error"]["status"], 429, "{refused}");
    assert!(refused.to_string().contains("costs 5 requests more"), "{refused}");
}

/// A set whose opening hangs: one of its files is a pipe without a writer.
#[cfg(unix)]
#[test]
fn a_set_that_does_not_open_holds_up_its_callers_until_their_deadline_and_nobody_else() {
    let openings = Openings::new(Duration::from_secs(4));
    let file = openings.only_of_the_first();
    fs::rename(&file, file.with_extension("away")).unwrap();
    make_pipe(&file);
    let began = Instant::now();
    let path = "companies?limit=1&snapshot=1";
    let stuck = (0..40).map(|_| RUNTIME.spawn(Reply::to(openings.asking(0, path, None))));
    let mut stuck: FuturesUnordered<_> = stuck.collect();
    // The first reply is a refusal: all others wait. The hanging opening occupies its slot, so no other set is opened.
    let first = RUNTIME.block_on(stuck.next()).unwrap().unwrap().unwrap();
    let other = RUNTIME.spawn(Reply::to(openings.asking(1, "companies?limit=1&snapshot=2", None)));
    // Callers of the served set are answered meanwhile.
    assert_eq!(openings.get(1, "companies?limit=1").status, 200);
    let replies: Vec<_> = RUNTIME.block_on(stuck.collect());
    let replies = replies.into_iter().map(|reply| reply.unwrap().unwrap()).chain([first]);
    let (late, refused): (Vec<Reply>, Vec<Reply>) = replies.partition(|reply| reply.status == 503);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!((late.len(), refused.len()), (33, 7));
    assert!(late.iter().all(|reply| reply.message().contains("4000 ms")), "{}", late[0].message());
    for reply in &refused {
        assert_eq!((reply.status, reply.header("retry-after")), (429, "2"), "{}", reply.message());
        assert!(reply.message().starts_with("32 calls of this owner wait for"), "{}", reply.message());
    }
    assert_eq!(RUNTIME.block_on(other).unwrap().unwrap().status, 503);
    // After the pipe is closed, the opening ends, and the next caller opens the set.
    let pipe = file.with_extension("pipe");
    fs::rename(&file, &pipe).unwrap();
    fs::rename(file.with_extension("away"), &file).unwrap();
    drop(fs::OpenOptions::new().write(true).open(&pipe).unwrap());
    let opened = std::iter::repeat_with(|| openings.get(0, path)).take(5).find(|reply| reply.status == 200);
    assert_eq!(name(&opened.unwrap()), name(&openings.get(0, "companies?limit=1&snapshot=1")));
}

#[cfg(unix)]
fn make_pipe(path: &std::path::Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The set is open for the next caller, although its first caller has left.
#[test]
fn an_opening_ends_after_its_caller_has_left_and_is_paid_once() {
    // Arguments are checked against the set after it is open, and no query runs.
    let asked_of = |openings: &Openings| openings.get(0, "companies?fields=nonsense&snapshot=1");
    let opening = || {
        let openings = Openings::new(Duration::from_millis(1));
        let first = asked_of(&openings);
        (openings, first)
    };
    // On a busy machine the set may be open before the deadline is checked.
    let (openings, first) =
        std::iter::repeat_with(opening).take(5).find(|(_, first)| first.status == 503).unwrap();
    assert_eq!(left(&first), i64::from(HOURLY) - 1 - OPENING, "{}", first.message());
    let ask = || asked_of(&openings);
    let mut asked = 1;
    let refused =
        std::iter::repeat_with(ask).inspect(|_| asked += 1).find(|reply| reply.status != 503).unwrap();
    assert_eq!((refused.status, left(&refused)), (400, i64::from(HOURLY) - asked - OPENING));
}

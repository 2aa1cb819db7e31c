//! Back-tests of screens: the picks of a day are the first stocks that the screen lists with `snapshot` of that day. Expected figures are those
//! of the back-test of a SELECT that names the same picks.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use parquote::access::AccessControl;
use parquote::call::Service;
use parquote::engine::QueryLimits;
use parquote::handlers::{Handlers, SavedItemStore};
use parquote::operation::{Market, Tier};
use parquote::state::Store;
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, copy_folder, derive_market, first_value, open_whole};
use crate::issued_key::{NOON, key};
use crate::refreshed_server::{Fixture, on_request, reply};
use crate::server::{LITTLE_SERVER, Reply, query};

/// The first day of the tested picks: the market has three months from it on that ended.
const FROM: &str = "2026-07-01";
const AUGUST: &str = "2026-08-31";
const SEPTEMBER: &str = "2026-09-30";

const BY_SIZE: &str = "ROE above 5, by market cap";

/// The little market with past sets: of India at the ends of August and September, of the US at that of September.
pub(crate) struct PastMonths(PathBuf);

pub(crate) static PAST_MONTHS: LazyLock<PastMonths> = LazyLock::new(|| {
    let data = LITTLE.raw.with_file_name("past_months");
    std::thread::scope(|scope| {
        for (market, days) in [(Market::India, vec![AUGUST, SEPTEMBER]), (Market::Us, vec![SEPTEMBER])] {
            let data = &data;
            scope.spawn(move || {
                for (day, number) in days.iter().zip(1..) {
                    let as_of = Some(day.parse().unwrap());
                    derive_market(&CATALOGUE, market, (&LITTLE.raw, data), as_of);
                    record_check(data, market, number);
                }
            });
        }
    });
    PastMonths(data)
});

/// Records that a set was admitted, as the program that derives a past set does.
fn record_check(data: &Path, market: Market, number: u32) {
    let sets = data.join(market.word()).join("sets");
    let set: Json = serde_json::from_slice(&fs::read(sets.join(format!("{number}.json"))).unwrap()).unwrap();
    let record = json!({"id": set["id"], "admitted": true, "at": "2026-11-01T00:00:00Z", "findings": []});
    fs::write(sets.join(format!("{number}.admission.json")), record.to_string()).unwrap();
}

impl PastMonths {
    /// Copies the newest sets and the past ones into a folder.
    pub(crate) fn copy_to(&self, data: &Path) {
        copy_folder(&LITTLE.sets, data);
        copy_folder(&self.0, &data.join("past"));
    }
}

fn serving() -> Fixture {
    let fill = |data: &Path| PAST_MONTHS.copy_to(data);
    Fixture::with_operations(&CATALOGUE, on_request(), QueryLimits::default(), fill, |service| service)
}

/// Returns the path of a back-test in full detail.
fn path(prefix: &str, pairs: &[(&str, &str)]) -> String {
    let pairs = [&[("from", FROM), ("detail", "full")][..], pairs].concat();
    format!("{prefix}backtest?{}", query(&pairs))
}

/// Returns the symbols that the screener lists for these parameters on a day.
fn listed(fixture: &Fixture, prefix: &str, pairs: &[(&str, &str)], day: &str) -> Vec<String> {
    let pairs = [pairs, &[("snapshot", day)]].concat();
    let answer = fixture.get(&format!("{prefix}explore/screen-words?{}", query(&pairs)));
    let stocks = answer.data()["stocks"].as_array().unwrap().clone();
    stocks.iter().map(|stock| stock["symbol"].as_str().unwrap().to_owned()).collect()
}

/// Returns a SELECT of these picks by day.
fn select_of(picks: &[(&str, Vec<String>)]) -> String {
    let rows = picks.iter().flat_map(|(day, symbols)| {
        symbols.iter().map(move |symbol| format!("SELECT DATE '{day}' AS date, '{symbol}' AS symbol"))
    });
    rows.collect::<Vec<_>>().join(" UNION ALL ")
}

/// Returns an answer without its source and its warnings.
fn figures(answer: &Json) -> Json {
    let mut figures = answer.clone();
    for name in ["source", "warnings"] {
        assert!(figures.as_object_mut().unwrap().remove(name).is_some(), "{answer}");
    }
    figures
}

fn warns(answer: &Json, words: &str) -> bool {
    answer["warnings"].as_array().unwrap().iter().any(|warning| warning.as_str().unwrap().contains(words))
}

#[test]
fn picks_of_a_day_are_what_the_screen_lists_in_the_set_of_that_day() {
    let fixture = serving();
    let mut compared = 0;
    for (prefix, days, missing) in [
        ("", vec![AUGUST, SEPTEMBER], "1 of 3 months have no past set (2026-07-31 to 2026-07-31)"),
        ("us/", vec![SEPTEMBER], "2 of 3 months have no past set (2026-07-31 to 2026-08-31)"),
    ] {
        for (sentence, top) in [
            (BY_SIZE, 3),
            (BY_SIZE, 12),
            ("price above 20, largest market cap first", 2),
            // The sentence wants fewer.
            ("top 4 by P/E", 9),
        ] {
            let of_day = |day: &&'static str| {
                let mut symbols = listed(&fixture, prefix, &[("query", sentence)], day);
                symbols.truncate(top);
                (*day, symbols)
            };
            let picks: Vec<(&str, Vec<String>)> = days.iter().map(of_day).collect();
            assert!(picks.iter().all(|(_, symbols)| !symbols.is_empty()), "{sentence}: {picks:?}");
            let (sql, most) = (select_of(&picks), top.to_string());
            // The second answer is from cached lists.
            for rule in [("stop", "90"), ("stop", "5")] {
                let answer =
                    fixture.get(&path(prefix, &[("screen", sentence), ("top", most.as_str()), rule]));
                let answer = answer.data();
                let expected = fixture.get(&path(prefix, &[("sql", sql.as_str()), rule])).data();
                assert_eq!(figures(&answer), figures(&expected), "{prefix}{sentence}");
                assert_eq!((&answer["source"], &answer["decisions"]), (&json!("screen"), &json!(days.len())));
                for words in
                    [missing, "`parquote derive --past-months 2026-07-31 --market ", " --raw DIR --data DIR`"]
                {
                    assert!(warns(&answer, words), "{words}: {}", answer["warnings"]);
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 16);
    let by_size = |day| listed(&fixture, "", &[("query", BY_SIZE), ("limit", "3")], day);
    assert_ne!(by_size(AUGUST), by_size(SEPTEMBER), "the days have the same picks");
}

/// More calls at once than may run and wait.
#[test]
fn identical_back_tests_at_the_same_time_are_all_answered() {
    let fixture = serving();
    let path = path("", &[("screen", BY_SIZE), ("top", "7")]);
    let calls = (0..12).map(|_| Reply::to(fixture.asking(&path, &[])));
    let replies = RUNTIME.block_on(futures::future::try_join_all(calls)).unwrap();
    let answers: Vec<Json> = replies.iter().map(Reply::data).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn no_set_after_the_days_of_a_back_test_is_read() {
    let fixture = serving();
    let august = [(AUGUST, listed(&fixture, "", &[("query", BY_SIZE), ("limit", "3")], AUGUST))];
    let sql = select_of(&august);
    // September has not ended by these days, though its set is there.
    for (end, snapshot) in
        [(Some("2026-09-30"), None), (Some("2026-09-15"), None), (None, Some("2026-09-30"))]
    {
        let tested = |picks: &[(&str, &str)]| {
            let to = end.map(|end| ("to", end));
            let pairs: Vec<(&str, &str)> = picks.iter().copied().chain(to).collect();
            fixture.pinned(&path("", &pairs), snapshot).data()
        };
        let answer = tested(&[("screen", BY_SIZE), ("top", "3")]);
        let expected = tested(&[("sql", sql.as_str())]);
        assert_eq!(figures(&answer), figures(&expected), "{end:?} {snapshot:?}");
        assert_eq!(answer["decisions"], 1);
    }
    let quarterly = fixture.get(&path("", &[("screen", BY_SIZE), ("every", "quarterly")])).data();
    assert_eq!((&quarterly["decisions"], &quarterly["trades"][0]["decided"]), (&json!(1), &json!(SEPTEMBER)));
    // The set of 30 September is the last one of a week that ended on 1 October.
    let weekly =
        fixture.get(&path("", &[("screen", BY_SIZE), ("every", "weekly"), ("to", "2026-10-09")])).data();
    assert_eq!(weekly["decisions"], 2);
    assert!(warns(&weekly, " weeks have no past set (2026-0") && warns(&weekly, "--past 2026-0"), "{weekly}");
}

#[test]
fn a_screen_that_no_set_answers_is_refused_with_the_reason() {
    let fixture = serving();
    let refused = |prefix: &str, pairs: &[(&str, &str)]| {
        let reply = fixture.get(&path(prefix, pairs));
        assert_eq!(reply.status, 400, "{pairs:?}");
        reply.message()
    };
    // The market is too young for a rating, as the screener says with `snapshot`.
    let unknown = refused("", &[("screen", "RS above 50")]);
    for words in [
        "the `screen` on 2026-08-31",
        "`RS above 50` was not understood",
        "is known of no stock in this data",
        "give a `from` after this day",
    ] {
        assert!(unknown.contains(words), "{unknown}");
    }
    let none = refused("", &[("screen", "P/E above 1000000")]);
    assert!(none.contains("no stock was picked") && none.contains("relax"), "{none}");
    let before = refused("us/", &[("screen", BY_SIZE), ("to", "2026-08-31")]);
    assert!(before.contains("parquote derive --past-months 2026-07-31 --market us"), "{before}");
    let running = refused("", &[("screen", BY_SIZE), ("every", "quarterly"), ("to", "2026-09-15")]);
    assert!(running.contains("no picks are dated"), "{running}");
    assert!(refused("", &[("screen", BY_SIZE), ("weight", "given")]).contains("`weight=given`"));
    let without = LITTLE_SERVER.get(&path("", &[("screen", BY_SIZE)]));
    assert_eq!(without.status, 400);
    assert!(without.message().contains("3 of 3 months have no past set"), "{}", without.message());
}

/// Starts a server that stores lists and screens.
fn storing(store: Store, fill: impl FnOnce(&Path), before: impl FnOnce(Service) -> Service) -> Fixture {
    let handlers = Handlers::for_snapshot().with_lists(SavedItemStore::new(store, Arc::new(|| NOON)));
    Fixture::with_operations(&CATALOGUE, on_request(), QueryLimits::default(), fill, |service| {
        before(service.with_handlers(Arc::new(handlers)))
    })
}

#[test]
fn a_saved_screen_is_tested_by_its_name() {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(&state.path().join("state.db")).unwrap();
    let fixture = storing(store, |data| PAST_MONTHS.copy_to(data), |service| service);
    let saved = |name: &str, pair: (&str, &str)| {
        let reply = fixture.get(&format!("screens/save?{}", query(&[("name", name), pair])));
        assert_eq!(reply.status, 200, "{}", reply.message());
    };
    saved("Large", ("words", BY_SIZE));
    let tested = |pair: (&str, &str)| fixture.get(&path("", &[pair, ("top", "5")]));
    assert_eq!(tested(("saved", "large")).data(), tested(("screen", BY_SIZE)).data());
    // Limits, an order and a list are those of the screener.
    let symbols = listed(&fixture, "", &[("query", BY_SIZE), ("limit", "9")], SEPTEMBER).join(",");
    assert_eq!(fixture.get(&format!("lists/set?name=Mine&symbols={symbols}")).status, 200);
    let limits = [("min_roe", "5"), ("list", "Mine"), ("sort_by", "pe"), ("sort_dir", "asc")];
    let page = format!("{}&view=charts&limit=2", query(&limits));
    saved("Cheap", ("query", page.as_str()));
    let of_day = |day| {
        let mut symbols = listed(&fixture, "", &limits, day);
        symbols.truncate(5);
        (day, symbols)
    };
    let sql = select_of(&[AUGUST, SEPTEMBER].map(of_day));
    let expected = fixture.get(&path("", &[("sql", sql.as_str())])).data();
    assert_eq!(figures(&tested(("saved", "Cheap")).data()), figures(&expected));
    let unknown = tested(("saved", "Cheep"));
    assert_eq!(unknown.status, 404);
    assert!(unknown.message().contains("Cheap, Large"), "{}", unknown.message());
    saved("Odd", ("query", "min_roe=high"));
    let odd = tested(("saved", "Odd"));
    assert!(odd.status == 400 && odd.message().contains("`min_roe`"), "{}", odd.message());
}

#[test]
fn a_saved_screen_with_other_words_is_another_try() {
    let state = tempfile::tempdir().unwrap();
    let mut store = Store::open(&state.path().join("state.db")).unwrap();
    let (secret, row) = key("Anu", Tier::ApiMax);
    store.insert_key(&row).unwrap();
    let access = Arc::new(AccessControl::open(&store, 1_000, Arc::new(|| NOON)).unwrap());
    let fixture =
        storing(store, |data| PAST_MONTHS.copy_to(data), |service| service.with_access_control(access));
    let call = |path: &str| reply(fixture.asking(path, &[("x-api-key", secret.reveal())])).data();
    let variants = || call("backtest/tried")["variants"].as_u64().unwrap();
    for (words, count) in [(BY_SIZE, 1), ("ROE above 6, by market cap", 2), (BY_SIZE, 2)] {
        call(&format!("screens/save?{}", query(&[("name", "Large"), ("words", words)])));
        call(&path("", &[("saved", "Large")]));
        assert_eq!(variants(), count, "{words}");
    }
    call(&path("", &[("screen", BY_SIZE)]));
    assert_eq!(variants(), 2, "the same words by their sentence");
}

#[test]
fn a_list_has_a_renamed_company_on_days_before_its_change() {
    const NEW: &str = "RENAMED";
    let symbols = open_whole(&LITTLE.data);
    let old = first_value(&symbols, Market::India, "SELECT symbol FROM stocks ORDER BY symbol").unwrap();
    let raw = tempfile::tempdir().unwrap();
    let india = raw.path().join("india");
    copy_folder(&LITTLE.raw.join("india"), &india);
    // The last session is the first one under the new symbol.
    for file in ["EQUITY_L.csv", "prices/sec_bhavdata_full_30102026.csv"] {
        let text = fs::read_to_string(india.join(file)).unwrap();
        assert!(text.contains(&old), "{file}");
        fs::write(india.join(file), text.replace(&old, NEW)).unwrap();
    }
    let change = format!("A Company Limited,{old},{NEW},30-OCT-2026\n");
    fs::write(india.join("symbolchange.csv"), change).unwrap();
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(&state.path().join("state.db")).unwrap();
    let fill = |data: &Path| {
        PAST_MONTHS.copy_to(data);
        derive_market(&CATALOGUE, Market::India, (raw.path(), data), None);
    };
    let fixture = storing(store, fill, |service| service);
    let list = format!("lists/set?name=Mine&symbols={NEW}");
    for saved in [list.as_str(), "screens/save?name=Own&query=list%3DMine"] {
        assert_eq!(fixture.get(saved).status, 200, "{saved}");
    }
    for day in [AUGUST, SEPTEMBER] {
        assert_eq!(listed(&fixture, "", &[("list", "Mine")], day), [old.as_str()]);
    }
    let sql = select_of(&[AUGUST, SEPTEMBER].map(|day| (day, vec![NEW.to_owned()])));
    let expected = fixture.get(&path("", &[("sql", sql.as_str())])).data();
    let tested = fixture.get(&path("", &[("saved", "Own")])).data();
    assert_eq!(figures(&tested), figures(&expected));
}

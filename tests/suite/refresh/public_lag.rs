//! A market with a public lag: public callers see the newest retained set that is old enough, over every route, and no newer one.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta, Utc};
use datafusion::arrow::array::{AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parquote::access::{AccessControl, Secret};
use parquote::call::{PublicTiers, SourceTerms, ToolRunners};
use parquote::engine::QueryLimits;
use parquote::fetch::SourceCatalogue;
use parquote::handlers::Runners as _;
use parquote::operation::{Market, Tier};
use parquote::refresh::RefreshSettings;
use parquote::set::{MarketLag, PublicLag, Retention};
use parquote::state::{NewKey, Store};
use serde_json::{Value as Json, json};

use super::earlier::EARLIER;
use super::swaps::rename;
use crate::demo_market::RUNTIME;
use crate::issued_key::{NOON, key};
use crate::plain_folder::{age, plain_market};
use crate::refreshed_server::{Fixture, on_request, reply};
use crate::server::Reply;
use crate::tables;

/// A server with a lag, a public caller, one of a higher public tier, and a member.
struct Lagged {
    fixture: Fixture,
    keys: Vec<Secret>,
    _state: tempfile::TempDir,
}

const FREE: usize = 0;
const MAX: usize = 1;
const PUBLIC_PRO: usize = 2;

impl Lagged {
    /// Starts it over a folder that `fill` fills; the public sees sessions of India up to the given one.
    fn up_to(session: NaiveDate, fill: impl FnOnce(&Path)) -> Self {
        let state = tempfile::tempdir().unwrap();
        let mut store = Store::open(&state.path().join("state.db")).unwrap();
        let tiers = [("Free", Tier::Free), ("Max", Tier::ApiMax), ("Shown", Tier::ApiPro)];
        let keys = tiers.map(|(owner, tier)| {
            let (secret, row) = key(owner, tier);
            let row = NewKey { quota_hour: Some(10_000), quota_day: Some(10_000), ..row };
            store.insert_key(&row).unwrap();
            secret
        });
        let access = Arc::new(AccessControl::open(&store, 1_000, Arc::new(|| NOON)).unwrap());
        let today = Utc::now().with_timezone(&Market::India.time_zone()).date_naive();
        let days = u16::try_from((today - session).num_days()).unwrap();
        let lag = PublicLag::from_markets([MarketLag { market: Market::India, days }]);
        let keep = Retention { sets: 1, lag, ..Retention::default() };
        let public = PublicTiers::new([Tier::Free, Tier::ApiPro]);
        let fixture =
            Fixture::behind(RefreshSettings { keep, ..on_request() }, QueryLimits::default(), fill, |it| {
                let terms =
                    SourceTerms::from_catalogue(Fixture::catalogue(), &SourceCatalogue::embedded().unwrap())
                        .unwrap();
                it.with_access_control(access).with_public_tiers(public).with_source_terms(Arc::new(terms))
            });
        Self { fixture, keys: keys.into(), _state: state }
    }

    fn get(&self, caller: usize, path: &str, headers: &[(&str, &str)]) -> Reply {
        let key = [("x-api-key", self.keys[caller].reveal())];
        reply(self.fixture.asking(path, &[&key, headers].concat()))
    }

    /// Returns the completions of a typed text, as the value of a prompt's argument.
    fn completes(&self, caller: usize, argument: &str, typed: &str) -> Json {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "stock_brief"},
            "argument": {"name": argument, "value": typed},
            "context": {"arguments": {"market": "india"}},
        });
        let key = [("x-api-key", self.keys[caller].reveal())];
        self.fixture.message(&key, "completion/complete", &params)["completion"]["values"].take()
    }

    fn tool(&self, caller: usize, headers: &[(&str, &str)], name: &str, arguments: &Json) -> Json {
        let key = [("x-api-key", self.keys[caller].reveal())];
        self.fixture.tool_as(&[&key, headers].concat(), name, arguments)
    }
}

#[test]
fn answers_come_with_the_terms_of_those_whose_data_they_may_be() {
    let lagged = Lagged::up_to(EARLIER.as_of, |data| EARLIER.plain(data));
    let movers = lagged.get(MAX, "market/top-movers?limit=1", &[]);
    let nse = "National Stock Exchange of India <https://www.nseindia.com/nse-terms-of-use>; pass-on=\"after 30 days\"";
    let told = movers.header("x-source-terms");
    assert!(told.contains(nse) && !told.contains("www.sec.gov"), "{told}");
    // A 304 and every other format carry the terms too.
    let tag = movers.header("etag");
    let unchanged = lagged.get(MAX, "market/top-movers?limit=1", &[("if-none-match", tag)]);
    let csv = lagged.get(MAX, "market/top-movers?limit=1&format=csv", &[]);
    assert_eq!(unchanged.status, 304);
    for reply in [unchanged, csv] {
        assert_eq!(reply.header("x-source-terms"), movers.header("x-source-terms"));
    }
    assert!(!lagged.get(MAX, "status", &[]).headers.contains_key("x-source-terms"));
    let called = lagged.tool(MAX, &[], "search_companies", &json!({"limit": 1}));
    let terms = &called["_meta"]["parquote/source_terms"];
    let expected = json!({
        "who": "National Stock Exchange of India",
        "terms": "https://www.nseindia.com/nse-terms-of-use",
        "pass_on": "after 30 days",
    });
    assert!(terms.as_array().unwrap().contains(&expected), "{called}");
    // A model sees one of the two halves.
    let halves =
        [called["content"][0]["text"].as_str().unwrap().to_owned(), called["structuredContent"].to_string()];
    for half in halves {
        let half: Json = serde_json::from_str(&half).unwrap();
        assert!(half["source_terms"].as_str().unwrap().contains(nse), "{half}");
    }
    let manual = lagged.fixture.page("/v1/docs/market/top-movers.md", &[]);
    let row =
        "| National Stock Exchange of India | https://www.nseindia.com/nse-terms-of-use | after 30 days |";
    assert!(text(&manual).contains(row), "{}", text(&manual));
}

#[test]
fn the_invented_market_is_nobodys_data() {
    let marked = Lagged::up_to(EARLIER.as_of, |data| {
        EARLIER.plain(data);
        // The little market lacks the company that marks a market as invented.
        let companies = data.join("india/companies.parquet");
        tables::change(&companies, |rows| {
            let symbols = cast(rows.column_by_name("symbol").unwrap(), &DataType::Utf8).unwrap();
            let symbols: Vec<&str> = symbols.as_string::<i32>().iter().flatten().collect();
            let marker = Market::India.invented_symbol();
            let at = symbols.partition_point(|symbol| *symbol < marker);
            let rows = tables::picked(&rows, (0..at).chain([0]).chain(at..symbols.len()));
            let symbols = [&symbols[..at], &[marker], &symbols[at..]].concat();
            tables::replaced(&rows, "symbol", |_| Arc::new(StringArray::from_iter_values(symbols)))
        });
        age(&companies);
    });
    let reply = marked.get(MAX, "market/top-movers?limit=1", &[]);
    assert!(reply.status == 200 && !reply.headers.contains_key("x-source-terms"), "{:?}", reply.headers);
    let called = marked.tool(MAX, &[], "search_companies", &json!({"limit": 1}));
    assert!(called["_meta"].get("parquote/source_terms").is_none(), "{called}");
}

/// Returns the last session of the whole little market.
fn last_session() -> NaiveDate {
    let whole = Fixture::over(on_request(), plain_market);
    whole.get("companies?limit=1").header("x-as-of").parse().unwrap()
}

#[test]
fn the_public_is_answered_from_the_newest_set_that_is_old_enough_and_no_door_shows_a_newer_one() {
    let earlier = EARLIER.as_of;
    // The session after this one is too recent to be shown.
    let lagged = Lagged::up_to(earlier, |data| EARLIER.plain(data));
    let (before, shown) = (earlier.to_string(), lagged.get(FREE, "companies?limit=1", &[]));
    assert_eq!((shown.status, shown.header("x-as-of")), (200, before.as_str()), "{}", shown.message());
    let of_earlier = lagged.get(FREE, "openapi.json", &[]);
    let old_tag = shown.header("etag").to_owned();

    // The whole market arrives, and a second set of the same day; retention by number alone would retain one of the three.
    plain_market(&lagged.fixture.data());
    lagged.fixture.refresh();
    assert_eq!(lagged.fixture.refused(), "");
    rename(&lagged.fixture, "Brand New");
    let now = lagged.get(MAX, "companies?limit=1", &[]);
    let newest = now.header("x-as-of").to_owned();
    assert!(newest.parse::<NaiveDate>().unwrap() > earlier && text(&now).contains("Brand New"));
    assert!(lagged.fixture.file("sets/1.json").exists(), "the set that the public sees is kept");

    let is_old = |reply: &Reply, what: &str| {
        assert_eq!((reply.status, reply.header("x-as-of")), (200, before.as_str()), "{what}");
        assert!(
            !text(reply).contains("Brand New") && !text(reply).contains(&newest),
            "{what}: {}",
            text(reply)
        );
    };
    // REST in all formats, cached answers and pictures; a member's answers are already in the cache.
    let symbol = now.data()[0]["symbol"].as_str().unwrap().to_owned();
    let prices = format!("company/daily-prices?symbol={symbol}&limit=3");
    // A caller's SELECT reads the same set, also through the other market's route.
    let own = "query?sql=SELECT+company_name+FROM+stocks";
    assert!(text(&lagged.get(MAX, own, &[])).contains("Brand New"));
    is_old(&lagged.get(PUBLIC_PRO, own, &[]), own);
    let across = lagged.get(PUBLIC_PRO, "query?market=us&sql=SELECT+company_name+FROM+india.stocks", &[]);
    assert!(across.status == 200 && !text(&across).contains("Brand New"), "{}", text(&across));
    let own = format!("{own}&limit=1");
    for path in ["companies?limit=1", "market/breadth", "market/top-movers?limit=5", &prices, &own] {
        for format in ["json", "csv", "ndjson", "arrow", "columns"] {
            let path = format!("{path}{}format={format}", if path.contains('?') { '&' } else { '?' });
            let whole = lagged.get(MAX, &path, &[]);
            assert_eq!((whole.status, whole.header("x-as-of")), (200, newest.as_str()), "{path}");
            is_old(&lagged.get(PUBLIC_PRO, &path, &[]), &path);
        }
    }
    is_old(&lagged.get(FREE, "companies?limit=1&format=csv", &[]), "a free key");
    let drawn = lagged.get(PUBLIC_PRO, &format!("{prices}&format=svg"), &[]);
    is_old(&drawn, "a picture");
    // The newest answer's tag does not match for the public, and the public answer's own tag does.
    let tag = now.header("etag");
    is_old(&lagged.get(FREE, "companies?limit=1", &[("if-none-match", tag)]), "a tag");
    assert_eq!(lagged.get(FREE, "companies?limit=1", &[("if-none-match", &old_tag)]).status, 304);

    // Requested sets: by number, id, pair of ids and date, as a parameter and in the header.
    let ids = now.header("x-snapshot").to_owned();
    let id = ids.split('-').next().unwrap();
    let number = lagged.fixture.set().to_string();
    let asked = "companies?limit=1&snapshot=".to_owned();
    let from = newest.parse::<NaiveDate>().unwrap() + (today() - earlier);
    for set in [number.as_str(), id, &ids] {
        for (path, pin) in [(format!("{asked}{set}"), None), ("companies?limit=1".to_owned(), Some(set))] {
            let pin: Vec<_> = pin.map(|pin| ("x-snapshot", pin)).into_iter().collect();
            for has in [None, Some(("if-none-match", tag))] {
                let headers: Vec<_> = pin.iter().copied().chain(has).collect();
                let refused = lagged.get(FREE, &path, &headers);
                assert_eq!(refused.status, 403, "{path}: {}", refused.message());
                assert!(refused.message().contains(&format!("from {from} on")), "{}", refused.message());
            }
        }
        assert_eq!(lagged.get(MAX, &format!("{asked}{set}"), &[]).status, 200);
    }
    for set in [newest.as_str(), &before, "2999-01-01", "1"] {
        is_old(&lagged.get(FREE, &format!("{asked}{set}"), &[]), set);
    }

    // Tools, completions and public documents.
    let call = |caller, headers: &[(&str, &str)]| {
        lagged.tool(caller, headers, "search_companies", &json!({"limit": 1}))
    };
    let (public, member) = (call(FREE, &[]), call(MAX, &[]));
    assert_eq!(public["_meta"]["parquote/as_of"], before.as_str(), "{public}");
    assert_eq!(member["_meta"]["parquote/as_of"], newest.as_str(), "{member}");
    assert!(!public.to_string().contains("Brand New") && !public.to_string().contains(&newest));
    let refused = call(FREE, &[("x-snapshot", &ids)]);
    assert!(refused["isError"] == true && refused.to_string().contains("days old"), "{refused}");
    // Agents have the tier of the user who started them, also on a set that their run names.
    let public = PublicTiers::new([Tier::Free]);
    let tools = ToolRunners::new(Arc::clone(Fixture::catalogue()), lagged.fixture.snapshots(), None);
    let tools = tools.with_public_tiers(public);
    let runner =
        |set, tier| RUNTIME.block_on(tools.runner(Market::India, set, tier)).map(|pinned| pinned.as_of);
    assert_eq!(runner(None, Tier::Free), Ok(Some(earlier)));
    assert!(runner(Some(id), Tier::Free).is_err());
    assert!(runner(None, Tier::ApiMax).unwrap() > Some(earlier));

    let page =
        |caller: usize, path: &str| lagged.fixture.page(path, &[("x-api-key", lagged.keys[caller].reveal())]);
    for path in ["/india/search?q=a", "/india/breadth", "/india/nothing"] {
        let (public, member) = (page(FREE, path), page(MAX, path));
        assert!(!text(&public).contains("Brand New") && !text(&public).contains(&newest), "{path}");
        // A page of nothing shows the same to all callers.
        assert_eq!(text(&member).contains(&newest), member.status == 200, "{path}");
    }
    // An open page looks for another set than the one of its frame: each reader for the set that it sees.
    for (caller, sees_newest) in [(FREE, false), (MAX, true)] {
        let set = page(caller, "/india/set").json()["set"].as_str().unwrap().to_owned();
        assert_eq!(set == id, sees_newest, "{set}");
        let breadth = page(caller, "/india/breadth");
        assert!(text(&breadth).contains(&format!("data-set=\"{set}\"")), "{}", text(&breadth));
    }
    // The document lists the available dates.
    let document = lagged.get(FREE, "openapi.json", &[]);
    assert_eq!((document.status, document.header("etag")), (200, of_earlier.header("etag")));
}

fn text(reply: &Reply) -> Cow<'_, str> {
    String::from_utf8_lossy(&reply.body)
}

fn today() -> NaiveDate {
    Utc::now().with_timezone(&Market::India.time_zone()).date_naive()
}

#[test]
fn the_public_is_told_from_when_on_it_sees_what_is_kept() {
    let last = last_session();
    let lagged = Lagged::up_to(last - TimeDelta::days(2), plain_market);
    let from = (today() + TimeDelta::days(2)).to_string();
    for path in ["companies?limit=1", "market/breadth", "companies?limit=1&snapshot=1"] {
        let refused = lagged.get(FREE, path, &[]);
        assert_eq!(refused.status, 403, "{path}: {}", refused.message());
        assert!(refused.message().contains(&format!("from {from} on")), "{}", refused.message());
        assert_eq!(lagged.get(MAX, path, &[]).status, 200, "{path}");
    }
    let select = |market: &str| {
        let path = format!("query?market={market}&sql=SELECT+symbol+FROM+india.stocks");
        lagged.get(PUBLIC_PRO, &path, &[])
    };
    assert!(select("india").message().contains(&format!("from {from} on")));
    // The other market's route has no table of this market.
    let across = select("us");
    assert!(
        (across.status, across.message().contains("no India data")) == (404, true),
        "{}",
        across.message()
    );
    let prompt = lagged.completes(FREE, "symbol", "");
    assert_eq!(prompt, json!([]), "nothing is completed of what is not shown");
    assert_ne!(lagged.completes(MAX, "symbol", ""), json!([]));
    // The other market has no lag, and the status contains no rows.
    assert_eq!(lagged.get(FREE, "status", &[]).status, 200);
}

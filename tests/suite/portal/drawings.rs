//! Drawings on the chart of a stock: over REST and on the page of the chart, separate for each owner, scaled by splits, and bounded.

use parquote::state::SavedItemKind;
use serde_json::{Value as Json, json};

use super::kept::{data, of_two, refusal};

/// The face value of a share of this stock was halved with effect from 22 October 2026: two shares for one.
const HALVED: &str = "VOZEBECHEM";

#[test]
fn drawings_are_of_their_owner_and_of_a_stock() {
    let (fixture, anu, ben) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let list = |path: &str| data(&call(path))["drawings"].clone();
    assert_eq!(data(&call("drawings/list?symbol=BAXIPAPOWR"))["count"], 0);
    let added = data(&call("drawings/add?symbol=baxipapowr&price=800"));
    assert_eq!((&added["number"], &added["count"]), (&json!(1), &json!(1)));
    let trend = "drawings/add?symbol=BAXIPAPOWR&day=2026-03-02&price=700&day_2=2026-09-01&price_2=812.25";
    assert_eq!(data(&call(trend))["number"], 2);
    let drawn = list("drawings/list?symbol=BAXIPAPOWR");
    let close = data(&call("company/profile?symbol=BAXIPAPOWR"))["price_cmp"].as_f64().unwrap();
    // The last session of the market is 30 October 2026.
    let level = json!({
        "number": 1, "kind": "level", "day": "2026-10-30", "price": 800.0, "day_2": null, "price_2": null,
        "pct_from_close": (100.0 * (100.0 * (800.0 / close - 1.0))).round() / 100.0, "drawn_on": "2026-10-30",
    });
    let line = json!({
        "number": 2, "kind": "trend", "day": "2026-03-02", "price": 700.0, "day_2": "2026-09-01", "price_2": 812.25,
        "pct_from_close": null, "drawn_on": "2026-10-30",
    });
    assert_eq!(drawn, json!([level, line]));
    // Neither another owner, another stock nor another market has them.
    assert_eq!(data(&fixture.call(ben.reveal(), "drawings/list?symbol=BAXIPAPOWR"))["count"], 0);
    assert_eq!(list("drawings/list?symbol=DEXENIELEC"), json!([]));
    refusal(&fixture.call(ben.reveal(), "drawings/remove?symbol=BAXIPAPOWR&number=1"), 404);
    data(&call("drawings/add?symbol=BAQEBO&price=12.5&market=us"));
    assert_eq!(list("drawings/list?symbol=BAQEBO&market=us")[0]["price"], 12.5);
    refusal(&call("drawings/list?symbol=BAQEBO"), 404);
    // One is removed; the other keeps its number.
    assert_eq!(data(&call("drawings/remove?symbol=BAXIPAPOWR&number=1"))["count"], 1);
    assert_eq!(list("drawings/list?symbol=BAXIPAPOWR")[0]["number"], 2);
    assert!(refusal(&call("drawings/remove?symbol=BAXIPAPOWR&number=1"), 404).contains("there are 2"));
    data(&call("drawings/remove?symbol=BAXIPAPOWR&number=2"));
    let stored = fixture.store.lock().unwrap().saved_items("Anu", SavedItemKind::Drawings, "india").unwrap();
    assert_eq!(stored.iter().map(|row| row.content.as_str()).collect::<Vec<_>>(), ["last 2"]);
    // The number of a removed drawing is not given again.
    assert_eq!(data(&call("drawings/list?symbol=BAXIPAPOWR"))["count"], 0);
    assert_eq!(data(&call("drawings/add?symbol=BAXIPAPOWR&price=5"))["number"], 3);
}

#[test]
fn a_split_after_a_drawing_changes_its_prices() {
    let (fixture, anu, _) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let before = "day=2026-05-04&price=800&day_2=2026-10-20&price_2=900&basis=2026-10-21";
    data(&call(&format!("drawings/add?symbol={HALVED}&{before}")));
    data(&call(&format!("drawings/add?symbol={HALVED}&price=800&basis=2026-10-21")));
    // Drawn on the day of the split or later: in the shares of today.
    data(&call(&format!("drawings/add?symbol={HALVED}&price=800&basis=2026-10-22")));
    data(&call(&format!("drawings/add?symbol={HALVED}&price=800&day=2026-05-04")));
    let answer = data(&call(&format!("drawings/list?symbol={HALVED}")));
    let prices = |name: &str| -> Vec<Json> {
        answer["drawings"].as_array().unwrap().iter().map(|drawing| drawing[name].clone()).collect()
    };
    assert_eq!(prices("price"), [400.0, 400.0, 800.0, 800.0]);
    assert_eq!(prices("price_2"), [json!(450.0), Json::Null, Json::Null, Json::Null]);
    assert_eq!(prices("drawn_on"), ["2026-10-21", "2026-10-21", "2026-10-22", "2026-10-30"]);
}

#[test]
fn a_drawing_that_is_none_and_one_too_many_are_refused() {
    let (fixture, anu, _) = of_two();
    let call = |query: &str| fixture.call(anu.reveal(), &format!("drawings/add?symbol=BAXIPAPOWR&{query}"));
    for (query, status, words) in [
        ("", 400, "`price` is required"),
        ("price=0", 400, "`price`"),
        ("price=nan", 400, "`price`"),
        ("price=5&price_2=6", 400, "give both"),
        ("price=5&day_2=2026-09-01", 400, "give both"),
        ("price=5&day=2026-09-01&price_2=6&day_2=2026-09-01", 400, "a day after `day`"),
        ("price=5&basis=2030-01-01", 400, "outside the data"),
        ("price=5&market=us", 404, "not a symbol of this market"),
    ] {
        let refused = refusal(&call(query), status);
        assert!(refused.contains(words), "{query}: {refused}");
    }
    for _ in 0..50 {
        data(&call("price=5"));
    }
    assert!(refusal(&call("price=5"), 400).contains("50 drawings"));
    data(&fixture.call(anu.reveal(), "drawings/remove?symbol=BAXIPAPOWR&number=7"));
    assert_eq!(data(&call("price=5"))["number"], 51);
}

#[test]
fn the_page_of_a_chart_lists_draws_and_deletes_for_its_reader_alone() {
    let (fixture, anu, ben) = of_two();
    let (mut browser, mut other) = (fixture.signed_in(&anu), fixture.signed_in(&ben));
    let chart = "/india/company/BAXIPAPOWR/chart";
    assert!(browser.get(chart).body.contains("There is no drawing yet"));
    let change = |operation: &str| {
        format!("/india/lists?operation={operation}&back=%2Findia%2Fcompany%2FBAXIPAPOWR%2Fchart")
    };
    let (add, remove) = (change("drawings%2Fadd"), change("drawings%2Fremove"));
    let level = [("symbol", "BAXIPAPOWR"), ("basis", "2026-10-30"), ("price", "800.5")];
    let reply = browser.post(&add, &level);
    assert_eq!((reply.status, reply.header("location")), (303, chart));
    let page = browser.get(chart).body;
    assert!(page.contains("data-points=\"2026-10-30 800.5\"") && page.contains("800.50, "), "{page}");
    assert!(page.contains("Drawings on BAXIPAPOWR: 1."));
    assert!(!other.get(chart).body.contains("800.5"));
    // The overview does not have them.
    assert!(!browser.get("/india/company/BAXIPAPOWR").body.contains("data-points"));
    // A form of another site changes nothing.
    let cookie = browser.cookie.clone().unwrap();
    let foreign = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    for path in [&add, &remove] {
        assert_eq!(fixture.send(reqwest::Method::POST, path, &foreign, &level).status, 403);
    }
    let wrong = browser.post(&add, &[("symbol", "BAXIPAPOWR"), ("price", "cheap")]);
    assert!(wrong.status == 400 && wrong.body.contains("`price`"), "{}", wrong.body);
    let reply = browser.post(&remove, &[("symbol", "BAXIPAPOWR"), ("number", "1")]);
    assert_eq!(reply.status, 303);
    assert!(browser.get(chart).body.contains("There is no drawing yet"));
}

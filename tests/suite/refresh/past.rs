//! Past sets: a call that names a day is answered by the market as it is derived as of that day.

use std::fs;
use std::path::Path;

use chrono::Days;
use parquote::engine::QueryLimits;
use parquote::operation::Market;
use parquote::set::Root;
use serde_json::{Value as Json, json};

use super::earlier::EARLIER;
use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, copy_folder};
use crate::refreshed_server::{Fixture, on_request};
use crate::server::query;

/// Copies the newest sets, and the set of the earlier day as an admitted past set.
fn with_past_set(data: &Path) {
    copy_folder(&LITTLE.sets, data);
    EARLIER.copy_as_past(data);
    record_check(data, true);
}

/// Writes the result of the check of the past set, as the program that derives it does.
fn record_check(data: &Path, admitted: bool) {
    let sets = data.join("past/india/sets");
    let set: Json = serde_json::from_slice(&fs::read(sets.join("1.json")).unwrap()).unwrap();
    let record = json!({"id": set["id"], "admitted": admitted, "at": "2026-11-01T00:00:00Z", "findings": []});
    fs::write(sets.join("1.admission.json"), record.to_string()).unwrap();
}

/// Serves all operations over a folder that `fill` fills.
fn serving(fill: impl FnOnce(&Path)) -> Fixture {
    Fixture::with_operations(&CATALOGUE, on_request(), QueryLimits::default(), fill, |service| service)
}

#[test]
fn every_read_of_a_past_day_is_that_of_a_market_derived_on_it() {
    let fixture = serving(with_past_set);
    let derived = EARLIER.sets();
    let on_the_day = serving(|data| copy_folder(derived.path(), data));
    let (day, newest) = (EARLIER.as_of, fixture.get("companies").header("x-as-of").to_owned());
    assert_ne!(newest, day.to_string());
    let symbol = on_the_day.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    let mut compared = 0;
    for operation in CATALOGUE.operations() {
        if operation.market != Market::India || !operation.answers_from_select() || !operation.has_route {
            continue;
        }
        let mut pairs = operation.example_pairs(false);
        if operation.param("symbol").is_some() {
            pairs.retain(|(name, _)| *name != "symbol");
            pairs.push(("symbol", symbol.clone()));
        }
        let path = |pairs: &[(&str, String)]| format!("{}?{}", operation.name, query(pairs));
        let expected = on_the_day.get(&path(&pairs));
        pairs.push(("snapshot", day.to_string()));
        let answer = fixture.get(&path(&pairs));
        assert_eq!(answer.status, expected.status, "{}", operation.name);
        if expected.status == 200 {
            assert_eq!(answer.data(), expected.data(), "{}", operation.name);
            assert_eq!(answer.header("x-as-of"), day.to_string(), "{}", operation.name);
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared} operations were compared");
}

#[test]
fn days_select_past_sets_between_published_ones() {
    let fixture = serving(with_past_set);
    let newest = fixture.get("companies?limit=1").header("x-as-of").to_owned();
    let day = EARLIER.as_of;
    let asked = |reference: &str| fixture.get(&format!("companies?limit=1&snapshot={reference}"));
    let past = asked(&day.to_string());
    assert_eq!(past.header("x-as-of"), day.to_string());
    // A session without a past set is answered by the one before it, and the newest day by the published set.
    let next = day.checked_add_days(Days::new(1)).unwrap();
    assert_eq!(asked(&next.to_string()).header("x-as-of"), day.to_string());
    assert_eq!(asked(&newest).header("x-as-of"), newest);
    assert_eq!(asked("1").header("x-as-of"), newest);
    // The ids of an answer pin later calls to the same sets.
    let pinned = fixture.pinned("companies?limit=1", Some(past.header("x-snapshot")));
    assert_eq!(pinned.data(), past.data());
    let before = asked("1999-01-01");
    assert_eq!(before.status, 410);
    assert!(before.message().contains(&format!("1 past set from {day}")), "{}", before.message());
    // Pages show a day that the reader chose, and files of them have its rows.
    let (path, cookie) = ("/india/breadth", format!("parquote-day={day}"));
    let page = |headers: &[(&str, &str)]| {
        let page = fixture.page(path, headers);
        assert_eq!(page.status, 200);
        String::from_utf8(page.body).unwrap()
    };
    let (now, then) = (page(&[]), page(&[("cookie", &cookie)]));
    assert!(now.contains(&format!("datetime=\"{newest}\"")) && now.contains(&format!("value=\"{day}\"")));
    assert!(!now.contains("past day"));
    assert!(then.contains(&format!("datetime=\"{day}\"")) && then.contains("past day"));
    let tested = fixture.page("/india/backtest", &[("cookie", &cookie)]).body;
    assert!(String::from_utf8(tested).unwrap().contains(&format!("datetime=\"{day}\"")));
    // A day after the data is the newest data, and its page is not marked; a day before all sets is an error in the words of the page.
    let later = page(&[("cookie", "parquote-day=9999-12-31")]);
    assert!(later.contains(&format!("datetime=\"{newest}\"")) && !later.contains("past day"));
    let before = fixture.page(path, &[("cookie", "parquote-day=1999-01-01")]);
    assert_eq!(before.status, 410);
    let before = String::from_utf8(before.body).unwrap();
    assert!(before.contains("chosen day") && !before.contains("X-Snapshot"), "{before}");
    // A deleted one is gone at the next scan.
    let sets = fixture.data().join("past/india/sets");
    let kept = sets.with_file_name("kept");
    fs::rename(&sets, &kept).unwrap();
    fixture.refresh();
    assert_eq!(asked(&day.to_string()).status, 410);
    fs::rename(&kept, &sets).unwrap();
    fixture.refresh();
    assert_eq!(asked(&day.to_string()).status, 200);
    assert_eq!(fixture.refused(), "");
}

#[test]
fn a_past_set_answers_once_its_check_has_admitted_it() {
    let path = format!("companies?limit=1&snapshot={}", EARLIER.as_of);
    let fixture = Fixture::over(on_request(), |data| {
        copy_folder(&LITTLE.sets, data);
        EARLIER.copy_as_past(data);
    });
    assert_eq!(fixture.get(&path).status, 410);
    record_check(&fixture.data(), true);
    fixture.refresh();
    assert_eq!(fixture.get(&path).status, 200);
    let refused = Fixture::over(on_request(), |data| {
        with_past_set(data);
        record_check(data, false);
    });
    assert_eq!(refused.get(&path).status, 410);
}

#[test]
fn a_select_of_a_past_day_reads_no_later_rows_of_the_other_market() {
    let fixture = Fixture::over(on_request(), with_past_set);
    let day = EARLIER.as_of.to_string();
    let select =
        |sql: &str| fixture.get(&format!("query?{}", query(&[("sql", sql), ("snapshot", day.as_str())])));
    let own = select("SELECT max(session) AS newest FROM sessions");
    assert_eq!(own.data()[0]["newest"], day.as_str());
    // The US has a newer set alone, which a day before it does not select.
    for sql in ["SELECT max(session) AS newest FROM us.sessions", "SELECT 1 AS one FROM \"us\" . sessions"] {
        let both = select(sql);
        assert_eq!(both.status, 410, "{sql}");
        assert!(both.message().contains("of us"), "{}", both.message());
    }
}

#[test]
fn a_past_set_with_the_number_of_a_published_one_is_found_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    with_past_set(folder.path());
    let root = Root::folder(folder.path());
    let newest = RUNTIME.block_on(root.read(Market::India, 1)).unwrap();
    let past = RUNTIME.block_on(root.past().read(Market::India, 1)).unwrap();
    assert_eq!(past.as_of, Some(EARLIER.as_of));
    for (set, below) in [(&newest, root.location()), (&past, root.past().location())] {
        let (at, found) = RUNTIME.block_on(root.find(Market::India, 1, &set.id)).unwrap();
        assert_eq!((at.location(), &found), (below, set));
    }
    assert!(RUNTIME.block_on(root.find(Market::India, 1, "0000000000000000")).is_err());
    // One broken manifest does not hide the other sets.
    fs::write(folder.path().join("past/india/sets/2.json"), "{").unwrap();
    assert_eq!(RUNTIME.block_on(root.past().read_all(Market::India)).unwrap(), [past]);
}

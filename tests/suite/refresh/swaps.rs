//! A file copied over an old one is served, and the sets before it stay within reach by number, id, date and header, over
//! REST and as a tool, until they are swept.

use std::sync::Arc;

use datafusion::arrow::array::StringArray;
use parquote::refresh::RefreshSettings;
use parquote::set::Retention;
use serde_json::json;

use super::earlier::EARLIER;
use crate::plain_folder::plain_market;
use crate::refreshed_server::{House, on_request};
use crate::server::Reply;
use crate::tables::{change, replaced};

/// Gives every company this name in `stocks`, and has that served.
pub(super) fn rename(house: &House, name: &str) {
    change(&house.file("stocks.parquet"), |rows| {
        replaced(&rows, "company_name", |values| Arc::new(StringArray::from(vec![name; values.len()])))
    });
    house.refresh();
    assert_eq!(house.refused(), "", "{name}");
}

/// The first company's name in an answer.
pub(super) fn name(reply: &Reply) -> String {
    reply.data()[0]["company_name"].as_str().unwrap().to_owned()
}

#[test]
fn a_changed_file_is_served_and_earlier_sets_stay_within_reach() {
    let keep = Retention { sets: 3, ..Retention::default() };
    let house = House::over(RefreshSettings { keep, ..on_request() }, plain_market);
    let first = house.get("companies?limit=1");
    let ids = |reply: &Reply| reply.header("x-snapshot").to_owned();
    let (original, first_id) = (name(&first), ids(&first));
    rename(&house, "Second");
    let second_id = ids(&house.get("companies"));
    assert_ne!(first_id, second_id);
    rename(&house, "Third");
    assert_eq!(name(&house.get("companies?limit=1")), "Third");
    assert_eq!(house.set(), 3);

    let as_of = first.header("x-as-of");
    let [one, two] = [&first_id, &second_id].map(|ids| ids.split('-').next().unwrap());
    let third_id = ids(&house.get("companies"));
    for (asked, expected, answering) in [
        ("1", original.as_str(), &first_id),
        (one, &original, &first_id),
        ("2", "Second", &second_id),
        (two, "Second", &second_id),
        (&second_id, "Second", &second_id),
        ("3", "Third", &third_id),
        // All sets are of one day; the newest of them answers.
        (as_of, "Third", &third_id),
        ("2999-01-01", "Third", &third_id),
    ] {
        let reply = house.get(&format!("companies?limit=1&snapshot={asked}"));
        assert_eq!((name(&reply).as_str(), &ids(&reply)), (expected, answering), "snapshot={asked}");
        let reply = house.pinned("companies?limit=1", Some(asked));
        assert_eq!((name(&reply).as_str(), &ids(&reply)), (expected, answering), "X-Snapshot: {asked}");
        let tool = house.tool("search_companies", &json!({"limit": 1, "snapshot": asked}));
        assert!(tool.to_string().contains(expected), "the tool, snapshot {asked}: {tool}");
        assert_eq!(tool["_meta"]["parquote/snapshot"], **answering, "the tool, snapshot {asked}");
    }
    // What is asked for in the query string counts more than what the client is pinned to.
    let reply = house.pinned("companies?limit=1&snapshot=2", Some("1"));
    assert_eq!(name(&reply), "Second");

    // Three sets are kept: the fourth sweeps the first.
    rename(&house, "Fourth");
    for (what, reply) in [
        ("number", house.get("companies?snapshot=1")),
        ("id", house.get(&format!("companies?snapshot={one}"))),
        ("header", house.pinned("companies", Some(&first_id))),
        ("unknown number", house.get("companies?snapshot=77")),
        ("unknown id", house.get("companies?snapshot=0123456789abcdef")),
        ("a day before all", house.get("companies?snapshot=1999-01-01")),
    ] {
        assert_eq!(reply.status, 410, "{what}: {}", reply.message());
        assert!(reply.message().contains("sets 2 ("), "{what}: {}", reply.message());
        assert!(reply.message().contains("to 4 ("), "{what}: {}", reply.message());
    }
    let gone = house.tool("search_companies", &json!({"snapshot": "1"}));
    assert!(gone["isError"] == true && gone.to_string().contains("sets 2 ("), "{gone}");
    assert_eq!(name(&house.get("companies?limit=1&snapshot=2")), "Second");

    for asked in ["latest", "-1", "0", "2026-13-01", "0123456789abcdeg", "2.5"] {
        let reply = house.get(&format!("companies?snapshot={asked}"));
        assert_eq!(reply.status, 400, "snapshot={asked}: {}", reply.message());
        assert!(reply.message().contains("hexadecimal"), "snapshot={asked}: {}", reply.message());
        let reply = house.pinned("companies", Some(asked));
        assert_eq!(reply.status, 400, "X-Snapshot: {asked}: {}", reply.message());
        assert!(reply.message().contains("X-Snapshot"), "X-Snapshot: {asked}: {}", reply.message());
    }
}

#[test]
fn a_date_asks_for_the_newest_set_as_of_that_day() {
    let house = House::over(on_request(), |data| EARLIER.plain(data));
    let before = house.get("market/breadth?days=2");
    assert_eq!(before.header("x-as-of"), EARLIER.as_of.to_string());
    plain_market(&house.data());
    house.refresh();
    assert_eq!((house.refused().as_str(), house.set()), ("", 2));
    let now = house.get("market/breadth?days=2");
    let as_of: chrono::NaiveDate = now.header("x-as-of").parse().unwrap();
    assert!(as_of > EARLIER.as_of);
    let (day, eve) = (EARLIER.as_of, as_of.pred_opt().unwrap());
    for (asked, expected) in [(day, &before), (eve, &before), (as_of, &now)] {
        let reply = house.get(&format!("market/breadth?days=2&snapshot={asked}"));
        assert_eq!(reply.data(), expected.data(), "{asked}");
        assert_eq!(reply.header("x-as-of"), expected.header("x-as-of"), "{asked}");
    }
    assert_eq!(house.get(&format!("market/breadth?snapshot={}", day.pred_opt().unwrap())).status, 410);
}

/// Files that were touched, or copied over by themselves, are no new set.
#[test]
fn the_same_bytes_are_no_new_set() {
    let house = House::over(on_request(), plain_market);
    let bytes = std::fs::read(house.file("stocks.parquet")).unwrap();
    for _ in 0..2 {
        std::fs::write(house.file("stocks.parquet"), &bytes).unwrap();
        house.refresh();
        assert_eq!((house.set(), house.refused().as_str()), (1, ""));
    }
    rename(&house, "Second");
    assert_eq!(house.set(), 2);
}

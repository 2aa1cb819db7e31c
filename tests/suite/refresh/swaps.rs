//! An overwritten file is served, and earlier sets stay available by number, id, date and header, over
//! REST and as a tool, until they are swept.

use std::sync::Arc;

use datafusion::arrow::array::StringArray;
use parquote::refresh::RefreshSettings;
use parquote::set::Retention;
use serde_json::json;

use super::earlier::EARLIER;
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::server::Reply;
use crate::tables::{change, replaced};

/// Gives every company this name in `stocks`, and waits until that is served.
pub(super) fn rename(fixture: &Fixture, name: &str) {
    change(&fixture.file("stocks.parquet"), |rows| {
        replaced(&rows, "company_name", |values| Arc::new(StringArray::from(vec![name; values.len()])))
    });
    fixture.refresh();
    assert_eq!(fixture.refused(), "", "{name}");
}

/// Returns the first company's name in an answer.
pub(super) fn name(reply: &Reply) -> String {
    reply.data()[0]["company_name"].as_str().unwrap().to_owned()
}

#[test]
fn a_changed_file_is_served_and_earlier_sets_stay_within_reach() {
    let keep = Retention { sets: 3, ..Retention::default() };
    let fixture = Fixture::over(RefreshSettings { keep, ..on_request() }, plain_market);
    let first = fixture.get("companies?limit=1");
    let ids = |reply: &Reply| reply.header("x-snapshot").to_owned();
    let (original, first_id) = (name(&first), ids(&first));
    rename(&fixture, "Second");
    let second_id = ids(&fixture.get("companies"));
    assert_ne!(first_id, second_id);
    rename(&fixture, "Third");
    assert_eq!(name(&fixture.get("companies?limit=1")), "Third");
    assert_eq!(fixture.set(), 3);

    let as_of = first.header("x-as-of");
    let [one, two] = [&first_id, &second_id].map(|ids| ids.split('-').next().unwrap());
    let third_id = ids(&fixture.get("companies"));
    for (asked, expected, answering) in [
        ("1", original.as_str(), &first_id),
        (one, &original, &first_id),
        ("2", "Second", &second_id),
        (two, "Second", &second_id),
        (&second_id, "Second", &second_id),
        ("3", "Third", &third_id),
        // All sets have the same day; the newest of them answers.
        (as_of, "Third", &third_id),
        ("2999-01-01", "Third", &third_id),
    ] {
        let reply = fixture.get(&format!("companies?limit=1&snapshot={asked}"));
        assert_eq!((name(&reply).as_str(), &ids(&reply)), (expected, answering), "snapshot={asked}");
        let reply = fixture.pinned("companies?limit=1", Some(asked));
        assert_eq!((name(&reply).as_str(), &ids(&reply)), (expected, answering), "X-Snapshot: {asked}");
        let tool = fixture.tool("search_companies", &json!({"limit": 1, "snapshot": asked}));
        assert!(tool.to_string().contains(expected), "the tool, snapshot {asked}: {tool}");
        assert_eq!(tool["_meta"]["parquote/snapshot"], **answering, "the tool, snapshot {asked}");
    }
    // The query string takes precedence over the header.
    let reply = fixture.pinned("companies?limit=1&snapshot=2", Some("1"));
    assert_eq!(name(&reply), "Second");

    // Three sets are retained: the fourth sweeps the first.
    rename(&fixture, "Fourth");
    for (what, reply) in [
        ("number", fixture.get("companies?snapshot=1")),
        ("id", fixture.get(&format!("companies?snapshot={one}"))),
        ("header", fixture.pinned("companies", Some(&first_id))),
        ("unknown number", fixture.get("companies?snapshot=77")),
        ("unknown id", fixture.get("companies?snapshot=0123456789abcdef")),
        ("a day before all", fixture.get("companies?snapshot=1999-01-01")),
    ] {
        assert_eq!(reply.status, 410, "{what}: {}", reply.message());
        assert!(reply.message().contains("sets 2 ("), "{what}: {}", reply.message());
        assert!(reply.message().contains("to 4 ("), "{what}: {}", reply.message());
    }
    let gone = fixture.tool("search_companies", &json!({"snapshot": "1"}));
    assert!(gone["isError"] == true && gone.to_string().contains("sets 2 ("), "{gone}");
    assert_eq!(name(&fixture.get("companies?limit=1&snapshot=2")), "Second");

    for asked in ["latest", "-1", "0", "2026-13-01", "0123456789abcdeg", "2.5"] {
        let reply = fixture.get(&format!("companies?snapshot={asked}"));
        assert_eq!(reply.status, 400, "snapshot={asked}: {}", reply.message());
        assert!(reply.message().contains("hexadecimal"), "snapshot={asked}: {}", reply.message());
        let reply = fixture.pinned("companies", Some(asked));
        assert_eq!(reply.status, 400, "X-Snapshot: {asked}: {}", reply.message());
        assert!(reply.message().contains("X-Snapshot"), "X-Snapshot: {asked}: {}", reply.message());
    }
}

#[test]
fn a_date_asks_for_the_newest_set_as_of_that_day() {
    let fixture = Fixture::over(on_request(), |data| EARLIER.plain(data));
    let before = fixture.get("market/breadth?days=2");
    assert_eq!(before.header("x-as-of"), EARLIER.as_of.to_string());
    plain_market(&fixture.data());
    fixture.refresh();
    assert_eq!((fixture.refused().as_str(), fixture.set()), ("", 2));
    let now = fixture.get("market/breadth?days=2");
    let as_of: chrono::NaiveDate = now.header("x-as-of").parse().unwrap();
    assert!(as_of > EARLIER.as_of);
    let (day, eve) = (EARLIER.as_of, as_of.pred_opt().unwrap());
    for (asked, expected) in [(day, &before), (eve, &before), (as_of, &now)] {
        let reply = fixture.get(&format!("market/breadth?days=2&snapshot={asked}"));
        assert_eq!(reply.data(), expected.data(), "{asked}");
        assert_eq!(reply.header("x-as-of"), expected.header("x-as-of"), "{asked}");
    }
    assert_eq!(fixture.get(&format!("market/breadth?snapshot={}", day.pred_opt().unwrap())).status, 410);
}

/// Files with a new timestamp or overwritten with the same bytes are no new set.
#[test]
fn the_same_bytes_are_no_new_set() {
    let fixture = Fixture::over(on_request(), plain_market);
    let bytes = std::fs::read(fixture.file("stocks.parquet")).unwrap();
    for _ in 0..2 {
        std::fs::write(fixture.file("stocks.parquet"), &bytes).unwrap();
        fixture.refresh();
        assert_eq!((fixture.set(), fixture.refused().as_str()), (1, ""));
    }
    rename(&fixture, "Second");
    assert_eq!(fixture.set(), 2);
}

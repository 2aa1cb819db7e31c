//! Files that are valid by themselves and contradict the served set: they are refused by name, with the
//! remedy.

use std::fs;
use std::path::Path;

use super::earlier::EARLIER;
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::{change, picked};

/// Checks that the files are refused with these words in one finding, and that the served set stays.
fn assert_refused(fixture: &Fixture, what: &str, parts: &[&str]) {
    let (set, before) = (fixture.set(), fixture.get("market/breadth").data());
    fixture.refresh();
    let refused = fixture.refused();
    let status = fixture.now();
    assert_eq!(status.set, Some(set), "{what}: it is served all the same");
    let named = status.refused.iter().any(|finding| {
        let text = finding.to_string();
        parts.iter().all(|part| text.contains(part)) && !finding.remedy.is_empty()
    });
    assert!(named, "{what}: no finding has {parts:?}:\n{refused}");
    assert_eq!(fixture.get("market/breadth").data(), before, "{what}");
    assert!(fixture.refusal().is_some(), "{what}");
}

#[test]
fn a_table_is_not_taken_away() {
    let fixture = Fixture::over(on_request(), plain_market);
    let (path, aside) = (fixture.file("breadth.parquet"), fixture.file(".breadth"));
    fs::rename(&path, &aside).unwrap();
    assert_refused(&fixture, "a table gone", &["india.breadth", "the new one lacks it"]);
    fs::rename(&aside, &path).unwrap();
    fixture.refresh();
    assert_eq!((fixture.set(), fixture.refused().as_str(), fixture.refusal()), (1, "", None));
}

/// A missing year of a long table would remove sessions of the market.
#[test]
fn a_year_is_not_taken_away() {
    let fixture = Fixture::over(on_request(), plain_market);
    fs::remove_file(fixture.file("daily_prices/2026.parquet")).unwrap();
    assert_refused(&fixture, "a year gone", &["india.daily_prices"]);
}

#[test]
fn the_date_of_the_market_does_not_go_back() {
    let fixture = Fixture::over(on_request(), plain_market);
    EARLIER.plain(&fixture.data());
    let last = EARLIER.as_of.to_string();
    assert_refused(&fixture, "an earlier day", &["india.sessions", "its last session is", &last]);
    plain_market(&fixture.data());
    fixture.refresh();
    assert_eq!((fixture.set(), fixture.refused().as_str(), fixture.refusal()), (1, "", None));
}

#[test]
fn sessions_do_not_go() {
    let fixture = Fixture::over(on_request(), plain_market);
    change(&fixture.file("sessions.parquet"), |rows| {
        let last = rows.num_rows();
        picked(&rows, (0..last).filter(|row| ![last - 9, last - 7].contains(row)))
    });
    assert_refused(
        &fixture,
        "sessions gone",
        &["india.sessions", "2 sessions of the set now served are gone"],
    );
}

#[test]
fn a_table_does_not_lose_most_of_its_rows() {
    let fixture = Fixture::over(on_request(), plain_market);
    change(&fixture.file("stocks.parquet"), |rows| rows.slice(0, rows.num_rows() / 3));
    assert_refused(&fixture, "most rows gone", &["india.stocks", "rows"]);
}

/// Files of a new day that arrive one by one are served together, after the last.
#[test]
fn files_of_two_days_are_not_served_side_by_side() {
    for (first, named) in [
        ("stocks.parquet", "stocks_have_their_bar"),
        ("daily_prices/2026.parquet", "bars_on_sessions"),
        ("sessions.parquet", "files of two days"),
    ] {
        let fixture = Fixture::over(on_request(), |data| EARLIER.plain(data));
        let whole = tempfile::tempdir().unwrap();
        plain_market(whole.path());
        fs::copy(whole.path().join("india").join(first), fixture.file(first)).unwrap();
        assert_refused(&fixture, first, &[named]);
        copy_all(&whole.path().join("india"), &fixture.file(""));
        fixture.refresh();
        assert_eq!((fixture.set(), fixture.refused().as_str(), fixture.refusal()), (2, "", None), "{first}");
    }
}

/// The reverse: all files of a new day except one.
#[test]
fn a_day_of_which_a_file_is_missing_waits_for_it() {
    for late in ["stocks.parquet", "daily_prices/2026.parquet", "breadth.parquet"] {
        let fixture = Fixture::over(on_request(), |data| EARLIER.plain(data));
        plain_market(&fixture.data());
        EARLIER.copy_over(late, &fixture.file(late));
        let table = late.split(['/', '.']).next().unwrap();
        assert_refused(&fixture, late, &[table, "files of two days"]);
        plain_market(&fixture.data());
        fixture.refresh();
        assert_eq!((fixture.set(), fixture.refused().as_str()), (2, ""), "{late}");
    }
}

fn copy_all(from: &Path, to: &Path) {
    crate::demo_market::copy_folder(from, to);
}

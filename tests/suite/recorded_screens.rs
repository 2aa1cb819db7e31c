//! Screens that a server records when it serves another set: a line for each session, whichever of several servers writes it, and the audit
//! of these lines.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use parquote::call::ToolRunners;
use parquote::handlers::{Handlers, LedgerName, SavedItemStore, ScreenRecorder};
use parquote::operation::Market;
use parquote::refresh::Snapshots;
use parquote::state::{SavedItemKey, SavedItemKind, Store};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, derive_market, open};
use crate::issued_key::NOON;
use crate::program::run;

/// The last two sessions of the demo market.
const DAYS: [&str; 2] = ["2026-10-29", "2026-10-30"];

const QUERY: &str = "min_mcap=1";

fn key(owner: &str, kind: SavedItemKind, name: &str) -> SavedItemKey {
    SavedItemKey { owner: owner.to_owned(), kind, market: "india".to_owned(), name: name.to_owned() }
}

fn store(state: &Path, key: &SavedItemKey, content: &str) {
    let mut store = Store::open(state).unwrap();
    store.change_saved_item(key, 9, NOON, |_| Ok::<_, ()>(content.to_owned())).unwrap().unwrap();
}

/// Returns the text of the ledger of an owner's screen `Strong`; empty if there is none.
fn recorded(state: &Path, owner: &str) -> String {
    let rows = Store::open(state).unwrap().saved_items(owner, SavedItemKind::Ledger, "india").unwrap();
    rows.first().map_or_else(String::new, |row| row.content.clone())
}

/// Returns the recorder of a server over the newest set.
fn recorder(state: &Path, data: &Path) -> ScreenRecorder {
    let snapshots = Arc::new(Snapshots::from_snapshot(open(data).unwrap()));
    let lists = SavedItemStore::new(Store::open(state).unwrap(), Arc::new(|| NOON));
    let runners = ToolRunners::new(Arc::clone(&CATALOGUE), snapshots, None);
    Handlers::for_snapshot().with_lists(lists).screen_recorder(Arc::new(runners)).unwrap()
}

/// Returns the symbols that the screener lists in the newest set, sorted.
fn listed(data: &Path) -> Vec<String> {
    let call = ["query", "--data", data.to_str().unwrap(), "explore/screen-words", QUERY, "limit=200"];
    let (code, out, errors) = run(&call);
    assert_eq!(code, Some(0), "{errors}");
    let answer: Json = serde_json::from_str(&out).unwrap();
    let stocks = answer["stocks"].as_array().unwrap().iter();
    let mut symbols: Vec<String> = stocks.map(|row| row["symbol"].as_str().unwrap().to_owned()).collect();
    symbols.sort();
    symbols
}

#[test]
fn each_served_session_is_one_line_of_each_marked_screen_and_the_audit_verifies_them() {
    let folder = tempfile::tempdir().unwrap();
    let (data, state) = (folder.path().join("data"), folder.path().join("state.db"));
    fs::create_dir(&data).unwrap();
    let page = format!("screener?{QUERY}");
    for (owner, mark) in [("Anu", "\nrecorded-by api_max"), ("Ben", "\nrecorded-by free"), ("Cy", "")] {
        store(&state, &key(owner, SavedItemKind::Screen, "Strong"), &format!("{page}{mark}"));
    }
    let anu = LedgerName { owner: "Anu", market: Market::India, name: "strong" };
    for (day, count) in DAYS.iter().zip(1..) {
        derive_market(&CATALOGUE, Market::India, (&LITTLE.raw, &data), Some(day.parse().unwrap()));
        // Two servers at the same time.
        let servers = [recorder(&state, &data), recorder(&state, &data)];
        let both = servers.map(|server| RUNTIME.spawn(async move { server.record(Market::India).await }));
        for server in both {
            RUNTIME.block_on(server).unwrap().unwrap();
        }
        let ledger = anu.ledger(&recorded(&state, "Anu")).unwrap();
        let lines: Vec<String> = ledger.lines().iter().map(|(line, _)| line.session.to_string()).collect();
        assert_eq!(lines, DAYS[..count]);
        let picks = ledger.picks(None).into_iter().filter(|pick| pick.left_on.is_none());
        let mut symbols: Vec<String> = picks.map(|pick| pick.symbol).collect();
        symbols.sort();
        assert!(!symbols.is_empty());
        assert_eq!(symbols, listed(&data), "{day}");
        // A tier that does not reach the screener, and a screen without the mark.
        assert_eq!((recorded(&state, "Ben"), recorded(&state, "Cy")), (String::new(), String::new()));
    }

    let (text, place) = (data.to_str().unwrap(), state.to_str().unwrap());
    let audited = || run(&["audit", "--ledger", "--data", text, "--state", place]);
    let sound = recorded(&state, "Anu");
    // The test marked a screen that has no line; a server marks none before its first line.
    let (code, out, errors) = audited();
    assert!(
        code == Some(1) && errors.contains("the screen `Strong` of Ben is recorded, but"),
        "{out}{errors}"
    );
    store(&state, &key("Ben", SavedItemKind::Screen, "Strong"), &page);
    let (code, out, errors) = audited();
    assert_eq!(code, Some(0), "{out}{errors}");
    let head = format!("Head {}", anu.ledger(&sound).unwrap().head());
    assert!(out.contains("the ledger `Strong` of Anu has 2 lines") && out.contains(&head), "{out}");
    // A line that was removed, a changed figure, and the ledger of another owner.
    let first_line = sound.find('\n').unwrap() + 1;
    let at = sound.find('.').unwrap() + 1;
    let digit = if &sound[at..=at] == "1" { "2" } else { "1" };
    let changed = format!("{}{digit}{}", &sound[..at], &sound[at + 1..]);
    let of_anu = key("Anu", SavedItemKind::Ledger, "Strong");
    for (text, line) in [(&sound[first_line..], 1), (changed.as_str(), 1), (&sound[..sound.len() - 1], 2)] {
        store(&state, &of_anu, text);
        let (code, out, errors) = audited();
        assert!(code == Some(1) && errors.contains(&format!("is broken at line {line}")), "{out}{errors}");
    }
    // Each fault is named, and the sound ledgers are still verified.
    store(&state, &of_anu, "");
    store(&state, &key("Dee", SavedItemKind::Ledger, "Strong"), &sound);
    store(&state, &key("Eve", SavedItemKind::Ledger, "Strong"), &sound);
    store(&state, &key("Anu", SavedItemKind::Screen, "Kept"), &format!("{page}\nrecorded-by api_max"));
    store(&state, &key("Anu", SavedItemKind::Ledger, "Kept"), &sound);
    let (code, _, errors) = audited();
    assert_eq!((code, errors.matches("is broken at line 1").count()), (Some(1), 3), "{errors}");
    assert!(errors.contains("the screen `Strong` of Anu is recorded, but its ledger is missing"), "{errors}");
    let (code, out, errors) = run(&["audit", "--ledger", "--data", text, "--state", "no-such-state.db"]);
    assert!(code == Some(1) && out.contains("there is no state file no-such-state.db"), "{out}{errors}");
}

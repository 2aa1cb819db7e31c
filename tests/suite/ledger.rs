//! The ledger of the scans: derivations record the stocks of their last session once, and a ledger that was altered ends them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use parquote::derive::{DeriveError, DeriveOptions, DerivedMarket, Publishing, derive};
use parquote::engine::CheckResult;
use parquote::operation::{Check, Market};
use parquote::raw::SilentProgress;
use parquote::set::{Home, Ledger, ScanPicks};

use crate::checks::{Plant, planted};
use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, first_value, open_whole};
use crate::program::run;

/// The last two sessions of the demo market.
const DAYS: [&str; 2] = ["2026-10-29", "2026-10-30"];

/// Rules over the tables of the ledger, with a fault that breaks each.
const PLANTS: [Plant; 3] = [
    ("ledger_closes_are_of_the_bars", "ledger_picks", "recorded_close", "recorded_close + 0.01"),
    ("ledger_picks_are_of_the_scans", "ledger_picks", "symbol", "concat(symbol, 'NO')"),
    ("ledger_picks_are_of_the_scans", "scan_spells", "symbol", "concat(symbol, 'NO')"),
];

fn derive_until(data: &Path, market: Market, day: &str, begins: bool) -> Result<DerivedMarket, DeriveError> {
    let options = DeriveOptions {
        raw: LITTLE.raw.clone(),
        data: data.to_owned(),
        as_of: Some(day.parse().unwrap()),
        publishing: Publishing { begin_ledger: begins, ..Publishing::default() },
        ..DeriveOptions::default()
    };
    RUNTIME.block_on(derive(&CATALOGUE, market, &options, &SilentProgress))
}

fn ledger(data: &Path, market: Market) -> Ledger {
    Ledger::read(&Home::new(data), market).unwrap().unwrap()
}

fn file(data: &Path) -> PathBuf {
    data.join("ledger/india.jsonl")
}

/// Returns the recorded stocks of the scans of a session.
fn recorded(ledger: &Ledger, day: &str) -> String {
    let day = day.parse().unwrap();
    let picks = ledger.picks(None).into_iter();
    let of_day = picks.filter(|pick| pick.entered_on <= day && pick.left_on.is_none_or(|left| left > day));
    let mut lines: Vec<String> = of_day.map(|pick| format!("{} {}", pick.scan, pick.symbol)).collect();
    lines.sort();
    lines.join(",")
}

#[test]
fn each_session_is_recorded_once_as_the_scans_say() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for market in Market::ALL {
        derive_until(data, market, DAYS[0], true).unwrap();
        let again = derive_until(data, market, DAYS[0], false).unwrap();
        assert_eq!((again.set.number, ledger(data, market).lines().len()), (1, 1), "{market}");
        derive_until(data, market, DAYS[1], false).unwrap();
        let again = derive_until(data, market, DAYS[1], false).unwrap();
        let ledger = ledger(data, market);
        assert_eq!((again.set.number, ledger.lines().len()), (2, 2), "{market}");
        let sessions: Vec<String> = ledger.lines().iter().map(|(line, _)| line.session.to_string()).collect();
        assert_eq!(sessions, DAYS, "{market}");

        // An earlier session is not recorded any more.
        derive_until(data, market, DAYS[0], false).unwrap();
        derive_until(data, market, DAYS[1], false).unwrap();
        assert_eq!(self::ledger(data, market).lines(), ledger.lines(), "{market}");
    }
    let tables = open_whole(data);
    for market in Market::ALL {
        let ledger = ledger(data, market);
        for day in DAYS {
            let sql = format!(
                "SELECT array_to_string(array_agg(pick ORDER BY pick), ',') AS picks
                 FROM (SELECT scan_name || ' ' || symbol AS pick FROM scan_spells
                       WHERE entered_on <= '{day}' AND (left_on IS NULL OR left_on > '{day}'))"
            );
            let recorded = recorded(&ledger, day);
            assert!(!recorded.is_empty(), "{market} {day}");
            assert_eq!(Some(recorded), first_value(&tables, market, &sql), "{market} {day}");
        }
        let head = "SELECT entry_hash FROM ledger_entries ORDER BY entry_number DESC";
        assert_eq!(first_value(&tables, market, head).unwrap(), ledger.head(), "{market}");
        let closes = "SELECT COUNT(*) AS differing FROM ledger_picks p
                      JOIN daily_prices b ON b.symbol = p.symbol AND b.session = p.entered_on WHERE b.close <> p.recorded_close";
        assert_eq!(first_value(&tables, market, closes).unwrap(), "0", "{market}");
        for plant in PLANTS {
            let check = CATALOGUE.checks().iter().find(|check| check.name == plant.0).unwrap();
            let verdict = |check: &Check| RUNTIME.block_on(tables.check(market, check)).unwrap();
            assert_eq!(verdict(check), CheckResult::Passed, "{market}: {}", plant.0);
            let broken = verdict(&planted(check, &plant));
            assert!(matches!(broken, CheckResult::Broken { rows: 1.., .. }), "{}: {broken:?}", plant.0);
        }
    }
    let (code, out, errors) = run(&["audit", "--ledger", "--data", data.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("0 unexplained"), "{out}");
    for market in Market::ALL {
        let (file, head) =
            (format!("{market}.jsonl has 2 lines"), format!("Head {}", ledger(data, market).head()));
        assert!(out.contains(&file) && out.contains(&head), "{out}");
    }
    assert_eq!(out.matches("ledger_picks_are_of_the_scans: 0 rows").count(), 2, "{out}");
}

#[test]
fn a_ledger_that_was_altered_ends_derivations() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let text = data.to_str().unwrap();
    let audited = || run(&["audit", "--ledger", "--data", text]);
    derive_until(data, Market::India, DAYS[0], false).unwrap();
    assert!(!file(data).exists(), "it is begun on request");
    assert!(audited().2.contains("has no ledger"), "{}", audited().2);
    for (day, begins) in [(DAYS[0], true), (DAYS[1], false)] {
        derive_until(data, Market::India, day, begins).unwrap();
    }
    let sound = fs::read(file(data)).unwrap();
    let (code, out, _) = audited();
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("2 lines") && out.contains("0 unexplained"), "{out}");
    let number = || Home::new(data).newest_number(Market::India).unwrap();
    let before = number();
    let refused = |expected: &str| {
        let error = derive_until(data, Market::India, DAYS[1], false).unwrap_err().to_string();
        assert!(error.contains("india.jsonl is broken at line ") && error.contains(expected), "{error}");
        let (code, _, errors) = audited();
        assert!(code == Some(1) && errors.contains(expected), "{code:?} {errors}");
        assert_eq!(number(), before, "nothing is published");
    };

    let mut altered = sound.clone();
    let at = altered.iter().position(|byte| *byte == b'.').unwrap();
    altered[at + 1] = if altered[at + 1] == b'1' { b'2' } else { b'1' };
    fs::write(file(data), &altered).unwrap();
    refused("line 1");
    let first_line = sound.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(file(data), &sound[..first_line]).unwrap();
    refused("the newest set knows line 2");
    fs::remove_file(file(data)).unwrap();
    refused("the newest set knows line 2");

    // A line that a crash left incomplete is cut.
    fs::write(file(data), [&sound[..], b"{\"entry\":3,"].concat()).unwrap();
    assert!(audited().1.contains("11 bytes of an incomplete line follow"), "{}", audited().1);
    derive_until(data, Market::India, DAYS[1], false).unwrap();
    assert_eq!(ledger(data, Market::India).lines().len(), 2);

    // Another one is begun only on request.
    fs::remove_file(file(data)).unwrap();
    derive_until(data, Market::India, DAYS[1], true).unwrap();
    let begun = ledger(data, Market::India);
    assert_eq!((begun.lines().len(), begun.lines()[0].0.previous.as_str()), (1, ""));
    derive_until(data, Market::India, DAYS[1], false).unwrap();
}

/// A pick is recorded in three lines: on its day, a minute before the close of the next session, which is 15:30 in India and 10:00 UTC,
/// and a minute after it.
#[test]
fn picks_that_are_recorded_after_the_close_of_the_next_session_are_in_no_figure() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    derive_until(data, Market::India, DAYS[1], false).unwrap();
    let tables = open_whole(data);
    let value = |sql: &str| first_value(&tables, Market::India, sql).unwrap();
    let of_pick = "FROM daily_prices a JOIN daily_prices b ON b.symbol = a.symbol
                   AND b.cumulative_split_factor = a.cumulative_split_factor AND b.price_segment = a.price_segment
                   WHERE a.session = '2026-10-12' AND b.session = '2026-10-19' ORDER BY a.symbol";
    let symbol = value(&format!("SELECT a.symbol {of_pick}"));
    let close: f64 = value(&format!("SELECT a.close {of_pick}")).parse().unwrap();
    let later: f64 = value(&format!("SELECT b.close {of_pick}")).parse().unwrap();

    let (mut ledger, mut picks) = (Ledger::begin(&Home::new(data), Market::India), ScanPicks::new());
    let lines = [
        ("vcp", "2026-10-12T12:00:00Z"),
        ("stage2", "2026-10-13T09:59:00Z"),
        ("all", "2026-10-13T10:01:00Z"),
    ];
    for (scan, at) in lines {
        picks.entry(scan.to_owned()).or_default().insert(symbol.clone(), close);
        let session = "2026-10-12".parse().unwrap();
        assert!(ledger.append(session, at.parse().unwrap(), "scans 1", &picks).unwrap());
    }
    derive_until(data, Market::India, DAYS[1], false).unwrap();
    let answer = |arguments: &[&str]| -> Vec<Json> {
        let command = ["query", "--data", data.to_str().unwrap(), "explore/ledger"];
        let (code, out, errors) = run(&[&command[..], arguments].concat());
        assert_eq!(code, Some(0), "{errors}");
        serde_json::from_str(&out).unwrap()
    };
    let figures = answer(&[]);
    let scans: Vec<&str> = figures.iter().map(|row| row["scan_name"].as_str().unwrap()).collect();
    assert_eq!(scans, ["stage2", "vcp"]);
    for row in &figures {
        let (count, days) = (&row["pick_count"], &row["pick_days"]);
        assert_eq!(
            (row["sessions_after"].as_i64(), count.as_i64(), days.as_i64()),
            (Some(5), Some(1), Some(1))
        );
        let wanted = 100.0 * (later / close - 1.0);
        let returned = row["mean_return_pct"].as_f64().unwrap();
        assert!((returned - wanted).abs() < 0.006, "{returned} is not {wanted}");
    }
    for (scan, _) in lines {
        let rows = answer(&[&format!("scan={scan}")]);
        let old: Vec<&Json> = rows.iter().filter(|row| row["entered_on"] == "2026-10-12").collect();
        assert_eq!(old.len(), 1, "{scan}");
        assert_eq!(old[0]["is_late"], scan == "all", "{scan}");
    }
}
